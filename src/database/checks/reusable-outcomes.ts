import { type Kysely, sql } from "kysely";
import type { CheckOutcome } from "../../domain/findings/findings.ts";
import { compressTextNow, decompressText } from "../stored-text.ts";
import type { Database } from "../tables.ts";

/** Bounds what a page may store beside its findings. A larger outcome is found again by a check. */
const MAX_BYTES = 256_000;

/** An outcome, with what it is found by (checker/reuse.ts) and, if it was found so, how it is `stored`. */
export type Reusable = { webPageId: string; key: Buffer; stored: Buffer | undefined; outcome: CheckOutcome };

/** The site of a report, by the columns of the table. Jobs see the rows of no other one. */
const siteOf = (reportId: string) => sql`
  select account_id, coalesce(guest_token, '') as guest_token, sha256(convert_to(starting_url, 'UTF8')) as site
  from reports where id = ${reportId}`;

const ofSite = sql`o.account_id = r.account_id and o.guest_token = r.guest_token and o.site = r.site`;

/** Whether any outcome of a report's site is stored. */
export async function hasReusable(db: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from reusable_outcomes o where ${ofSite}) as found from (${siteOf(reportId)}) r`.execute(db);
  return rows[0]?.found === true;
}

/** What a check found that had the same key, on the report's site. */
export async function findReusable(
  db: Kysely<Database>,
  reportId: string,
  key: Buffer,
): Promise<{ stored: Buffer; outcome: CheckOutcome } | undefined> {
  const { rows } = await sql<{ outcome_zstd: Buffer }>`
    select o.outcome_zstd from (${siteOf(reportId)}) r join reusable_outcomes o on ${ofSite} and o.key = ${key}`.execute(
    db,
  );
  const stored = rows[0]?.outcome_zstd;
  return stored && { stored, outcome: JSON.parse(await decompressText(stored)) as CheckOutcome };
}

/**
 * Stores outcomes for the reports to come. Those that are stored already become these pages': they are deleted with the newest
 * report that has them.
 */
export async function storeReusable(
  trx: Kysely<Database>,
  reportId: string,
  outcomes: readonly Reusable[],
): Promise<void> {
  const rows = outcomes
    .map(({ outcome, stored, ...row }) => ({
      ...row,
      body: stored ?? compressTextNow(Buffer.from(JSON.stringify(outcome))),
    }))
    .filter(({ body }) => body.byteLength <= MAX_BYTES)
    // Two reports of a site may end checks at the same time: both lock rows in the order of their keys.
    .sort((a, b) => a.key.compare(b.key));
  if (rows.length === 0) return;
  const column = <Key extends "webPageId" | "key" | "body">(name: Key) => rows.map((row) => row[name]);
  await sql`
    insert into reusable_outcomes (account_id, guest_token, site, key, web_page_id, outcome_zstd)
    select r.account_id, r.guest_token, r.site, given.key, given.web_page_id, given.body
    from (${siteOf(reportId)}) r
    cross join unnest(${column("key")}::bytea[], ${column("webPageId")}::bigint[], ${column("body")}::bytea[])
      with ordinality as given (key, web_page_id, body, position)
    order by given.position
    on conflict (account_id, guest_token, site, key) do update set web_page_id = excluded.web_page_id`.execute(trx);
}
