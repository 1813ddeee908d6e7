import { type Kysely, type RawBuilder, sql } from "kysely";
import { ADDRESS_DAYS, AUDIT_DAYS } from "../../domain/audit/kept.ts";
import type { Database } from "../tables.ts";

// The trigger of the table goes by the clock of the database: one of ours that is ahead deletes nothing too early.

/** Deletes some entries that their accounts keep no longer. @returns how many */
export async function deleteOldEntries(db: Kysely<Database>, now: Date, size: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_entries where id in (
      select e.id from accounts a
      left join retentions r on r.account_id = a.id
      cross join lateral (
        select id from audit_entries
        where account_id = a.id and at < least(${now}::timestamptz, now()) - make_interval(days => coalesce(r.audit_days, ${AUDIT_DAYS.usual}))
        order by at, id limit ${size}
      ) e
      limit ${size}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** The network of an address: what is left of it in old entries. */
export const networkOf = (address: RawBuilder<unknown>) =>
  sql`network(set_masklen(${address}, case family(${address}) when 4 then 24 else 48 end))`;

/** Cuts some addresses that are old enough to their network. @returns how many */
export async function cutOldAddresses(db: Kysely<Database>, now: Date, size: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update audit_entries set address = ${networkOf(sql`address`)}
    where id in (
      select id from audit_entries
      where masklen(address) in (32, 128) and at < least(${now}::timestamptz, now()) - make_interval(days => ${ADDRESS_DAYS})
      order by at limit ${size}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
