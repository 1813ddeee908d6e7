import { type Kysely, type Selectable, sql } from "kysely";
import { type Actor, type Area, MAX_COUNTED } from "../../domain/audit/entry.ts";
import type { Database } from "../tables.ts";

/** An entry; the address as text. */
export type EntryRow = Omit<Selectable<Database["audit_entries"]>, "address"> & {
  address: string | null;
  num_changes: number;
};

/** Which entries of an account. */
export type EntryFilter = {
  accountId: string;
  who?: Actor | undefined;
  /** Of one token. */
  whoId?: string | undefined;
  area?: Area | undefined;
  siteUrl?: string | undefined;
  targetId?: string | undefined;
  /** From this time on. */
  from?: Date | undefined;
  /** Up to this time, which is not included. */
  to?: Date | undefined;
  /** In a name, a site or a field. */
  text?: string | undefined;
};

const columns = [
  ...(["id", "account_id", "at", "who", "who_id", "who_name", "operation", "verb", "area", "outcome"] as const),
  ...(["target_type", "target_id", "target_name", "target_path", "site_url", "via", "agent", "request_id"] as const),
] as const;

function entriesOf(db: Kysely<Database>, filter: EntryFilter) {
  const { accountId, who, whoId, area, siteUrl, targetId, from, to, text } = filter;
  let found = db.selectFrom("audit_entries").where("account_id", "=", accountId);
  if (who !== undefined) found = found.where("who", "=", who);
  if (whoId !== undefined) found = found.where("who_id", "=", whoId);
  if (area !== undefined) found = found.where("area", "=", area);
  if (siteUrl !== undefined) found = found.where("site_url", "=", siteUrl);
  if (targetId !== undefined) found = found.where("target_id", "=", targetId);
  if (from !== undefined) found = found.where("at", ">=", from);
  if (to !== undefined) found = found.where("at", "<", to);
  if (text !== undefined)
    found = found.where(
      sql<boolean>`strpos(lower(concat_ws(' ', who_name, verb, target_name, site_url, request_id)), lower(${text})) > 0
        or exists (select from jsonb_array_elements(changes) change where strpos(lower(change ->> 'field'), lower(${text})) > 0)`,
    );
  return found;
}

/** @param withChanges a list says only how many there are: they may be long */
function shown(found: ReturnType<typeof entriesOf>, withChanges: boolean) {
  return found.select([
    ...columns,
    sql<string | null>`host(address)`.as("address"),
    sql<number>`jsonb_array_length(changes)`.as("num_changes"),
    sql<EntryRow["changes"]>`${withChanges ? sql.ref("changes") : sql`'[]'::jsonb`}`.as("changes"),
  ]);
}

/** The newest first. @param after the id of the entry before them @returns also that of the last, if there are more */
export async function listEntries(
  db: Kysely<Database>,
  filter: EntryFilter,
  { size, after, withChanges }: { size: number; after: string | undefined; withChanges: boolean },
): Promise<{ rows: EntryRow[]; next: string | undefined }> {
  let found = entriesOf(db, filter);
  if (after !== undefined)
    found = found.where(
      sql<boolean>`(at, id) < (select e.at, e.id from audit_entries e where e.id = ${after} and e.account_id = ${filter.accountId})`,
    );
  const rows = await shown(found, withChanges)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(size + 1)
    .execute();
  const last = rows.length > size ? rows[size - 1] : undefined;
  return { rows: rows.slice(0, size), next: last?.id };
}

/** How many there are by who, whatever the filter for it; at most MAX_COUNTED of each. */
export async function countEntries(db: Kysely<Database>, filter: EntryFilter, of: readonly Actor[]) {
  const { siteUrl, whoId, targetId, text } = filter;
  // These leave few entries, or read all of them anyway: once for all counts.
  if ([siteUrl, whoId, targetId, text].some((value) => value !== undefined)) {
    const rows = await entriesOf(db, { ...filter, who: undefined })
      .select(["who", sql<number>`least(count(*), ${MAX_COUNTED})::integer`.as("count")])
      .groupBy("who")
      .execute();
    return Object.fromEntries(rows.map(({ who, count }) => [who, count])) as Partial<Record<Actor, number>>;
  }
  const counts = await Promise.all(
    of.map(async (who): Promise<[Actor, number]> => {
      const counted = entriesOf(db, { ...filter, who })
        .select("id")
        .limit(MAX_COUNTED)
        .as("counted");
      const { count } = await db
        .selectFrom(counted)
        .select(sql<number>`count(*)::integer`.as("count"))
        .executeTakeFirstOrThrow();
      return [who, count];
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0)) as Partial<Record<Actor, number>>;
}

export function findEntry(db: Kysely<Database>, accountId: string, id: string): Promise<EntryRow | undefined> {
  return shown(entriesOf(db, { accountId }), true).where("id", "=", id).executeTakeFirst();
}

/** When the oldest entry of an account was written; undefined without any. */
export async function oldestEntry(db: Kysely<Database>, accountId: string): Promise<Date | undefined> {
  const oldest = entriesOf(db, { accountId }).select("at").orderBy("at").orderBy("id").limit(1);
  return (await oldest.executeTakeFirst())?.at;
}
