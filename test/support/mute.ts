import { type Kysely, sql } from "kysely";
import { listOutdatedReports } from "../../src/database/reports/recounts.ts";
import type { Database } from "../../src/database/tables.ts";
import { recountReport } from "../../src/transactions/recount.ts";

/** Silences what has one of these texts on every page of an account, and nothing else, as the recounter would. */
export async function muteOnly(db: Kysely<Database>, accountId: string, ...messages: string[]): Promise<void> {
  await sql`delete from mutings where account_id = ${accountId}`.execute(db);
  for (const message of messages)
    await sql`insert into mutings (account_id, criteria)
      values (${accountId}, ${JSON.stringify({ url_match: "/", message })})`.execute(db);
  await sql`update accounts set muting_revision = muting_revision + 1 where id = ${accountId}`.execute(db);
  for (const outdated of await listOutdatedReports(db)) await recountReport(db, outdated, new AbortController().signal);
}
