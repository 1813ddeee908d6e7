import { type Kysely, sql } from "kysely";
import type { Muting } from "../domain/muting.ts";
import type { Database } from "./tables.ts";

/** The mutings that apply to a report, and the account's revision that they are of. */
export type AppliedMutings = { revision: number; mutings: Muting[] };

/**
 * Reads a report's mutings: the account's own, or the guest's when a guest made the
 * report. One statement, so that revision and mutings are of the same moment: a muting
 * made after it has a higher revision, and a recount finds what was judged before.
 *
 * @returns undefined when there is no such report
 */
export async function loadMutings(db: Kysely<Database>, reportId: string): Promise<AppliedMutings | undefined> {
  const { rows } = await sql<{ revision: number; mutings: Muting[] }>`
    select a.muting_revision as revision, coalesce((
      select json_agg(json_build_object('id', m.id::text, 'url_match', m.url_match, 'message', m.message) order by m.id)
      from mutings m where m.account_id = a.id and m.guest_token is not distinct from r.guest_token
    ), '[]') as mutings
    from reports r join accounts a on a.id = r.account_id
    where r.id = ${reportId}`.execute(db);
  return rows[0];
}
