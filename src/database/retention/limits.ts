import { type Kysely, type Selectable, sql } from "kysely";
import { AUDIT_DAYS } from "../../domain/audit/kept.ts";
import { type Limits, limitNames, mapLimits, nightAfter, noLimits } from "../../domain/retention/limits.ts";
import { nameOfToken } from "../accounts/tokens.ts";
import type { Database } from "../tables.ts";

/** What an account has said, and when it is looked next for what is kept no longer. */
export type Retention = {
  limits: Limits;
  /** Null before somebody has set limits. */
  nextAt: Date | null;
  updatedBy: string | null;
  updatedAt: Date | null;
};

type Row = Selectable<Database["retentions"]>;
const limitsOf = (row: Row): Limits => mapLimits((name) => row[name]);

/** The limits of an account itself. */
export async function readRetention(db: Kysely<Database>, accountId: string): Promise<Retention> {
  const row = await db.selectFrom("retentions").selectAll().where("account_id", "=", accountId).executeTakeFirst();
  if (!row) return { limits: noLimits, nextAt: null, updatedBy: null, updatedAt: null };
  const own = row.updated_by === null ? null : row.updated_at;
  return { limits: limitsOf(row), nextAt: row.next_at, updatedBy: row.updated_by, updatedAt: own };
}

/** How many days an account keeps entries of the audit log. */
export async function readAuditDays(db: Kysely<Database>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom("retentions")
    .select("audit_days")
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row?.audit_days ?? AUDIT_DAYS.usual;
}

/** Sets limits; those that are left out stay. They hold from the next night on. */
export async function changeRetention(
  db: Kysely<Database>,
  accountId: string,
  change: Partial<Limits> & { audit_days?: number },
  { tokenId, now }: { tokenId: string; now: Date },
): Promise<void> {
  const values = { ...change, updated_by: nameOfToken(tokenId), updated_at: now, next_at: nightAfter(now) };
  await db
    .insertInto("retentions")
    .values({ account_id: accountId, ...values })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet(values))
    .execute();
}

/** Lets the limits of the operator hold from the next night on, wherever others held before. */
export async function followOperator(db: Kysely<Database>, operator: Limits, now: Date): Promise<void> {
  const set = limitNames.filter((name) => operator[name] !== null);
  const limits = JSON.stringify(Object.fromEntries(set.map((name) => [name, operator[name]])));
  if (set.length > 0)
    await sql`
      insert into retentions (account_id, operator, next_at)
      select a.id, ${limits}::jsonb, ${nightAfter(now)} from accounts a
      where not exists (select from retentions t where t.account_id = a.id)
      on conflict (account_id) do nothing`.execute(db);
  await sql`
    update retentions set operator = ${limits}::jsonb, next_at = ${nightAfter(now)}
    where operator is distinct from ${limits}::jsonb`.execute(db);
}

/** The accounts that are due. */
export async function listDue(db: Kysely<Database>, now: Date): Promise<string[]> {
  const due = db.selectFrom("retentions").select("account_id").where("next_at", "<=", now).orderBy("next_at");
  return (await due.execute()).map(({ account_id }) => account_id);
}

/** When the next account is due; undefined without any. */
export async function nextDue(db: Kysely<Database>): Promise<Date | undefined> {
  const row = await db.selectFrom("retentions").select("next_at").orderBy("next_at").limit(1).executeTakeFirst();
  return row?.next_at;
}

/** Locks what an account has said, if it is still due. @returns its limits */
export async function lockDue(trx: Kysely<Database>, accountId: string, now: Date): Promise<Limits | undefined> {
  const row = await trx
    .selectFrom("retentions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("next_at", "<=", now)
    .forUpdate()
    .executeTakeFirst();
  return row && limitsOf(row);
}

/** It was looked for what the account keeps no longer. */
export async function setLooked(trx: Kysely<Database>, accountId: string, now: Date): Promise<void> {
  await trx
    .updateTable("retentions")
    .set({ next_at: nightAfter(now) })
    .where("account_id", "=", accountId)
    .execute();
}
