import { type Kysely, sql } from "kysely";
import type { Assignment } from "../../domain/causes/assignment.ts";
import { isOfSite, type SiteKey } from "../reports/site-key.ts";
import type { Database } from "../tables.ts";

/** Who has which cause of a site, by the id of the cause. */
export async function readAssignments(db: Kysely<Database>, site: SiteKey): Promise<Map<string, Assignment>> {
  const { rows } = await sql<Assignment & { cause: string }>`
    select encode(cause, 'hex') as cause, assignee, to_char(due_on, 'YYYY-MM-DD') as due_on, note, done_at from cause_assignments
    where ${isOfSite(site)}`.execute(db);
  return new Map(rows.map(({ cause, ...assignment }) => [cause, assignment]));
}

/** Stores who has a cause; undefined says that nobody has it. */
export async function storeAssignment(
  db: Kysely<Database>,
  site: SiteKey,
  cause: string,
  assignment: Assignment | undefined,
): Promise<void> {
  if (!assignment) {
    await sql`delete from cause_assignments where ${isOfSite(site)} and cause = decode(${cause}, 'hex')`.execute(db);
    return;
  }
  const { accountId, guestToken, startingUrl } = site;
  const { assignee, due_on, note, done_at } = assignment;
  await sql`
    insert into cause_assignments (account_id, guest_token, starting_url, cause, assignee, due_on, note, done_at)
    values (${accountId}, coalesce(${guestToken}::text, ''), ${startingUrl}, decode(${cause}, 'hex'), ${assignee}, ${due_on}::date, ${note}, ${done_at})
    on conflict (account_id, guest_token, starting_url, cause) do update set assignee = excluded.assignee, due_on = excluded.due_on,
      note = excluded.note, done_at = excluded.done_at`.execute(db);
}
