import { type Kysely, type RawBuilder, sql } from "kysely";
import { type CheckKind, impactOf } from "../../domain/findings/findings.ts";
import type { CountedCheck, CountedFinding, CountedIssue, Recount } from "../../domain/findings/recount.ts";
import { type Tally, tallyFields } from "../../domain/findings/tally.ts";
import type { Database } from "../tables.ts";
import { addCounts } from "./check-counts.ts";

export type OutdatedReport = { id: string; revision: number };

/** The most reports that one query returns. */
const MAX_OUTDATED = 100;

/**
 * Reports whose results may have been judged by outdated mutings. Returns at most MAX_OUTDATED,
 * alternating between accounts.
 *
 * @param except ids of reports to leave out
 */
export async function listOutdatedReports(
  db: Kysely<Database>,
  except: readonly string[] = [],
): Promise<OutdatedReport[]> {
  const { rows } = await sql<OutdatedReport>`
    select r.id, a.muting_revision as revision
    from accounts a join reports r on r.account_id = a.id and r.muting_revision < a.muting_revision
    where r.deleted_at is null and not (r.id = any(${[...except]}::uuid[]))
    order by row_number() over (partition by a.id order by r.id)
    limit ${MAX_OUTDATED}`.execute(db);
  return rows;
}

/** A check that is judged by outdated mutings. */
export type OutdatedCheck = CountedCheck & { web_page_id: string };

/** Locks up to `limit` checks with a result that was judged by mutings before this revision, in the order of their pages. */
export async function lockOutdated(
  trx: Kysely<Database>,
  { id, revision }: OutdatedReport,
  kind: CheckKind,
  limit: number,
): Promise<OutdatedCheck[]> {
  const { rows } = await sql<OutdatedCheck>`
    select c.id, c.web_page_id, w.url, ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}
    from checks c join web_pages w on w.id = c.web_page_id
    where c.report_id = ${id} and c.kind = ${kind} and c.status = 'checked'
      and c.muting_revision < ${revision}
    order by c.web_page_id limit ${limit}
    for update of c`.execute(trx);
  return rows;
}

/** Locks all checks with a result of a report, in the order of their pages. @returns how many */
export async function lockAllChecked(trx: Kysely<Database>, id: string): Promise<number> {
  const { rows } = await sql`
    select from checks where report_id = ${id} and status = 'checked' order by web_page_id, id for update`.execute(trx);
  return rows.length;
}

/** Stores by which mutings checks are judged. */
export async function setRevision(
  trx: Kysely<Database>,
  checks: readonly { id: string }[],
  revision: number,
): Promise<void> {
  await trx
    .updateTable("checks")
    .set({ muting_revision: revision })
    .where(
      "id",
      "in",
      checks.map((check) => check.id),
    )
    .execute();
}

/** Stores that a report is recounted, if all of its results are judged by the mutings of this revision or a later one. */
export async function markRecounted(trx: Kysely<Database>, { id, revision }: OutdatedReport): Promise<void> {
  await sql`
    update reports set muting_revision = ${revision}
    where id = ${id} and muting_revision < ${revision} and not exists (
      select from checks c
      where c.report_id = ${id} and c.status = 'checked' and c.muting_revision < ${revision}
    )`.execute(trx);
}

/** @returns the findings of each of the issues, in the order in which they were found */
export async function readCountedFindings(
  trx: Kysely<Database>,
  issues: readonly string[],
): Promise<Map<string, CountedFinding[]>> {
  if (issues.length === 0) return new Map();
  const { rows } = await sql<CountedFinding & { issueId: string }>`
    select id, issue_id as "issueId", encode(fingerprint, 'hex') as fingerprint, encode(component, 'hex') as component, selector,
      how_many as "howMany", muting_id as "mutingId"
    from findings where issue_id = any(${issues}::bigint[]) order by id`.execute(trx);
  const byIssue = new Map<string, CountedFinding[]>(issues.map((id) => [id, []]));
  for (const { issueId: id, ...finding } of rows) byIssue.get(id)?.push(finding);
  return byIssue;
}

/** Has a report recounted in the background: something that is stored of it is outdated. */
export async function outdateReport(db: Kysely<Database>, id: string): Promise<void> {
  await sql`update reports set muting_revision = muting_revision - 1 where id = ${id}`.execute(db);
}

/** The issues of the pages of these checks, as mutings and counters see them. */
export async function readCountedIssues(
  trx: Kysely<Database>,
  kind: CheckKind,
  checks: readonly { id: string; web_page_id: string }[],
): Promise<CountedIssue[]> {
  const checkIds = new Map(checks.map((check) => [check.web_page_id, check.id]));
  const { rows } = await sql<Omit<CountedIssue, "checkId" | "severity"> & { webPageId: string; impact: number | null }>`
    select id, web_page_id as "webPageId", common_id as "commonId", message as text, coalesce(rule, '') as rule,
      how_many as "howMany", muted_count as "mutedCount",
      case when outside_standard then 'outside_standard' when issue_type = 'error' then 'errors' else 'warnings' end as counts,
      case when not outside_standard then impact_order end as impact, muting_id as "mutingId"
    from issues
    where web_page_id = any(${[...checkIds.keys()]}::bigint[]) and kind = ${kind}`.execute(trx);
  return rows.map(({ webPageId, impact, ...issue }) => ({
    ...issue,
    severity: impactOf(impact),
    checkId: checkIds.get(webPageId) ?? "",
  }));
}

/** Stores what a recount changes of checks, which are locked. @returns how many findings' mutings it changed */
export async function writeRecount(
  trx: Kysely<Database>,
  { issues, whole, findings, checks }: Recount,
): Promise<number> {
  if (issues.length > 0) {
    const types = sql`id bigint, "mutingId" bigint, "howMany" integer, "mutedCount" integer`;
    await sql`
      update issues i
      set muting_id = x."mutingId", how_many = x."howMany", muted_count = x."mutedCount", updated_at = now()
      from json_to_recordset(${JSON.stringify(issues)}::json) as x(${types}) where i.id = x.id`.execute(trx);
  }
  const changed =
    (await muteFindings(trx, sql.ref("f.issue_id"), whole)) + (await muteFindings(trx, sql.ref("f.id"), findings));
  if (checks.length === 0) return changed;
  const set = tallyFields.map((field) => sql`${sql.ref(field)} = ${sql.ref(`x.${field}`)}`);
  const types = tallyFields.map((field) => sql`${sql.ref(field)} integer`);
  await sql`
    update checks c set ${sql.join(set)}
    from json_to_recordset(${JSON.stringify(checks)}::json) as x(id bigint, ${sql.join(types)})
    where c.id = x.id`.execute(trx);
  return changed;
}

/** What recounts change of a report's counters, by kind. */
export type CountedChanges = Partial<Record<CheckKind, Tally>>;

/** Adds to a report's counters, and locks its row first. */
export async function moveCounts(trx: Kysely<Database>, reportId: string, changes: CountedChanges): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await sql`
    with report as (update reports set updated_at = now() where id = ${reportId} returning id)
    ${addCounts(changes)}`.execute(trx);
}

async function muteFindings(
  trx: Kysely<Database>,
  column: RawBuilder<unknown>,
  changes: readonly { id: string; mutingId: string | null }[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const { numAffectedRows } = await sql`
    update findings f set muting_id = x.muting_id
    from unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ mutingId }) => mutingId)}::bigint[])
      as x(id, muting_id)
    where ${column} = x.id and f.muting_id is distinct from x.muting_id`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

/** Adds to common issues' counts; locks them in the order of their key, as all writers do. */
export async function moveCommon(trx: Kysely<Database>, changes: ReadonlyMap<string, number>): Promise<void> {
  const by = [...changes].filter(([, count]) => count !== 0);
  if (by.length === 0) return;
  const ids = by.map(([id]) => id);
  await sql`select id from common_issues where id = any(${ids}::bigint[]) order by key for update`.execute(trx);
  await sql`
    update common_issues c set how_many = c.how_many + x.by, updated_at = now()
    from unnest(${ids}::bigint[], ${by.map(([, count]) => count)}::integer[]) as x(id, by)
    where c.id = x.id`.execute(trx);
}
