import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { Recount } from "../../domain/findings/recount.ts";
import { tallyFields } from "../../domain/findings/tally.ts";
import type { Database } from "../tables.ts";
import { addCounts } from "./check-counts.ts";

/** Stores what a recount changes. Locks are taken in the order of all writers: common issues by key, the report, its counters. */
export async function writeRecount(
  trx: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  { issues, whole, findings, checks, common, change }: Recount,
): Promise<void> {
  await moveCommon(trx, [...common]);
  if (issues.length > 0) {
    const types = sql`id bigint, "mutingId" bigint, "howMany" integer, "mutedCount" integer`;
    await sql`
      update issues i
      set muting_id = x."mutingId", how_many = x."howMany", muted_count = x."mutedCount", updated_at = now()
      from json_to_recordset(${JSON.stringify(issues)}::json) as x(${types}) where i.id = x.id`.execute(trx);
  }
  await muteFindings(trx, sql.ref("f.issue_id"), whole);
  await muteFindings(trx, sql.ref("f.id"), findings);
  if (checks.length === 0) return;
  const set = tallyFields.map((field) => sql`${sql.ref(field)} = ${sql.ref(`x.${field}`)}`);
  const types = tallyFields.map((field) => sql`${sql.ref(field)} integer`);
  await sql`
    update checks c set ${sql.join(set)}
    from json_to_recordset(${JSON.stringify(checks)}::json) as x(id bigint, ${sql.join(types)})
    where c.id = x.id`.execute(trx);
  await sql`
    with report as (update reports set updated_at = now() where id = ${reportId} returning id)
    ${addCounts({ [kind]: change })}`.execute(trx);
}

async function muteFindings(
  trx: Kysely<Database>,
  column: RawBuilder<unknown>,
  changes: readonly { id: string; mutingId: string | null }[],
): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    update findings f set muting_id = x.muting_id
    from unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ mutingId }) => mutingId)}::bigint[])
      as x(id, muting_id)
    where ${column} = x.id and f.muting_id is distinct from x.muting_id`.execute(trx);
}

/** Adds to common issues' counts; locks them in the order of their key, as all writers do. */
async function moveCommon(trx: Kysely<Database>, by: readonly (readonly [id: string, by: number])[]): Promise<void> {
  if (by.length === 0) return;
  const ids = by.map(([id]) => id);
  await sql`select id from common_issues where id = any(${ids}::bigint[]) order by key for update`.execute(trx);
  await sql`
    update common_issues c set how_many = c.how_many + x.by, updated_at = now()
    from unnest(${ids}::bigint[], ${by.map(([, count]) => count)}::integer[]) as x(id, by)
    where c.id = x.id`.execute(trx);
}
