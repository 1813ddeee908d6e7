import { type Kysely, type Selectable, sql } from "kysely";
import type { Part, Stays } from "../../domain/retention/decide.ts";
import { nameOfToken } from "../accounts/tokens.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { DELETIONS_WAITING, notify } from "../notifications.ts";
import type { Database } from "../tables.ts";

/** What became of a report, or of a part of it: `gone` was deleted by others. */
export type ItemOutcome = "deleted" | "gone" | Stays;
export type Item = { reportId: string; part: Part };

/** Many reports that are deleted, with how many of them are how. */
export type DeletionRow = Selectable<Database["deletions"]> & {
  /** By what became of each; those that wait are `waiting`. */
  outcomes: Partial<Record<ItemOutcome | "waiting", number>>;
  /** The parts that it deletes. */
  parts: Part[];
};

const outcomes = sql<DeletionRow["outcomes"]>`(
  select coalesce(json_object_agg(outcome, number), '{}') from (
    select coalesce(i.outcome, 'waiting') as outcome, count(*) as number from deletion_items i
    where i.deletion_id = deletions.id group by 1
  ) counted
)`;
const partsOf = sql<Part[]>`array(
  select i.part from deletion_items i where i.deletion_id = deletions.id group by i.part order by min(array_position(array['report', 'pictures', 'raw'], i.part))
)`;

function deletionsOf(db: Kysely<Database>, accountId: string) {
  return db.selectFrom("deletions").where("account_id", "=", accountId);
}

function rowsOf(db: Kysely<Database>, accountId: string) {
  return deletionsOf(db, accountId)
    .selectAll()
    .select([outcomes.as("outcomes"), partsOf.as("parts")]);
}

/** Deletions of an account, the newest first. */
export function listDeletions(db: Kysely<Database>, accountId: string, page: Page): Promise<Paginated<DeletionRow>> {
  const rows = rowsOf(db, accountId).orderBy("inserted_at", "desc").orderBy("id");
  return readPage(deletionsOf(db, accountId), rows, page);
}

export function findDeletion(db: Kysely<Database>, accountId: string, id: string): Promise<DeletionRow | undefined> {
  return rowsOf(db, accountId).where("id", "=", id).executeTakeFirst();
}

/** The reports of a deletion that were not deleted, with why; at most `limit`. */
export async function listLeft(
  db: Kysely<Database>,
  id: string,
  limit: number,
): Promise<{ report_id: string; reason: ItemOutcome }[]> {
  const { rows } = await sql<{ report_id: string; reason: ItemOutcome }>`
    select report_id, outcome as reason from deletion_items
    where deletion_id = ${id} and outcome is not null and outcome <> 'deleted' order by reason, report_id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/**
 * Begins a deletion. What stays in any case is named with why.
 *
 * @param tokenId who asks for it; null for what is kept no longer
 * @returns its id
 */
export async function insertDeletion(
  trx: Kysely<Database>,
  accountId: string,
  {
    items,
    stays,
    tokenId,
    now,
  }: { items: readonly Item[]; stays: ReadonlyMap<string, Stays>; tokenId: string | null; now: Date },
): Promise<string> {
  const { id } = await trx
    .insertInto("deletions")
    .values({ account_id: accountId, asked_by: tokenId === null ? null : nameOfToken(tokenId), inserted_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  const listed = items.map(({ reportId, part }) => ({
    report_id: reportId,
    part,
    outcome: stays.get(reportId) ?? null,
  }));
  await sql`
    insert into deletion_items (deletion_id, report_id, part, outcome)
    select ${id}::uuid, report_id, part, outcome
    from json_to_recordset(${JSON.stringify(listed)}::json) as item (report_id uuid, part text, outcome text)
    on conflict do nothing`.execute(trx);
  await notify(trx, DELETIONS_WAITING);
  return id;
}

/** The deletion to go on with: the oldest that has not ended. */
export async function nextDeletion(
  db: Kysely<Database>,
  failed: readonly string[],
): Promise<{ id: string; accountId: string } | undefined> {
  const row = await db
    .selectFrom("deletions")
    .select(["id", "account_id"])
    .where("state", "in", ["waiting", "running"])
    .where(sql<boolean>`id <> all(${[...failed]}::uuid[])`)
    .orderBy("inserted_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && { id: row.id, accountId: row.account_id };
}

/** What of a deletion is next; undefined when nothing waits, or somebody has stopped it. */
export async function nextItem(db: Kysely<Database>, id: string, now: Date): Promise<Item | undefined> {
  const { rows } = await sql<Item>`
    with running as (
      update deletions set state = 'running', started_at = coalesce(started_at, ${now}) where id = ${id} and state = 'waiting'
    )
    select i.report_id as "reportId", i.part from deletion_items i join deletions d on d.id = i.deletion_id
    where i.deletion_id = ${id} and i.outcome is null and d.state in ('waiting', 'running') limit 1`.execute(db);
  return rows[0];
}

/** Which of some reports a deletion would delete as a whole, done or not. */
export async function readChosen(db: Kysely<Database>, id: string, among: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom("deletion_items")
    .select("report_id")
    .where("deletion_id", "=", id)
    .where("part", "=", "report")
    .where(sql<boolean>`report_id = any(${[...among]}::uuid[])`)
    .execute();
  return new Set(rows.map(({ report_id }) => report_id));
}

/** Says what became of an item, and adds its bytes. */
export async function setOutcome(
  trx: Kysely<Database>,
  id: string,
  { reportId, part }: Item,
  { outcome, bytes }: { outcome: ItemOutcome; bytes: number },
): Promise<void> {
  await trx
    .updateTable("deletion_items")
    .set({ outcome })
    .where("deletion_id", "=", id)
    .where("report_id", "=", reportId)
    .where("part", "=", part)
    .execute();
  await addBytes(trx, id, bytes);
}

export async function addBytes(trx: Kysely<Database>, id: string, bytes: number): Promise<void> {
  if (bytes !== 0) await sql`update deletions set bytes = bytes + ${bytes}::bigint where id = ${id}`.execute(trx);
}

/** Ends a deletion, unless somebody has stopped it. */
export async function endDeletion(db: Kysely<Database>, id: string, now: Date): Promise<void> {
  await db
    .updateTable("deletions")
    .set({ state: "ended", ended_at: now })
    .where("id", "=", id)
    .where("state", "in", ["waiting", "running"])
    .execute();
}

/** Stops a deletion: what is left stays. @returns false when it has ended */
export async function stopDeletion(db: Kysely<Database>, accountId: string, id: string, now: Date): Promise<boolean> {
  const stopped = await db
    .updateTable("deletions")
    .set({ state: "stopped", ended_at: now })
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .where("state", "in", ["waiting", "running"])
    .executeTakeFirst();
  return stopped.numUpdatedRows > 0n;
}

/** Deletes what is known of deletions that ended before, at most `limit`. @returns how many */
export async function forgetDeletions(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from deletions where id = any(array(
      select id from deletions where ended_at < ${before} limit ${limit}
    ))`.execute(db);
  return Number(gone.numAffectedRows ?? 0);
}
