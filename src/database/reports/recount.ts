import { type Kysely, sql } from "kysely";
import { type CheckKind, checkKinds } from "../../domain/findings.ts";
import { type CountedCheck, type CountedIssue, type Recount, recount } from "../../domain/recount.ts";
import { tallyFields } from "../../domain/tally.ts";
import { loadMutings } from "../accounts/mutings.ts";
import { recountComparisons } from "../findings/states.ts";
import type { Database } from "../tables.ts";

/** Checks per transaction. It is short because checkers lock the same common issues and report. */
const BATCH = 100;

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

/**
 * Judges a report's results by the current mutings, in many short transactions. It takes locks
 * in the same order as recordOutcomes: checks by page, common issues by key, report. A check
 * that is judged by older mutings while this runs lowers the report's revision again.
 */
export async function recountReport(
  db: Kysely<Database>,
  { id, revision }: OutdatedReport,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of checkKinds) {
    while (!signal.aborted && (await recountBatch(db, id, kind, revision)) === BATCH);
  }
  if (signal.aborted) return;
  await recountComparisons(db, id);
  await markRecounted(db, id, revision);
}

/** @returns how many checks were recounted */
async function recountBatch(db: Kysely<Database>, reportId: string, kind: CheckKind, before: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows: checks } = await sql<CountedCheck & { web_page_id: string }>`
      select c.id, c.web_page_id, w.url, ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}
      from checks c join web_pages w on w.id = c.web_page_id
      where c.report_id = ${reportId} and c.kind = ${kind} and c.status = 'checked' and c.muting_revision < ${before}
      order by c.web_page_id limit ${BATCH}
      for update of c`.execute(trx);
    if (checks.length === 0) return 0;
    const applied = await loadMutings(trx, reportId);
    if (!applied) return 0;
    const issues = await readIssues(trx, kind, checks);
    await write(trx, kind, reportId, recount(checks, issues, applied.mutings));
    await trx
      .updateTable("checks")
      .set({ muting_revision: applied.revision })
      .where(
        "id",
        "in",
        checks.map((check) => check.id),
      )
      .execute();
    return checks.length;
  });
}

async function readIssues(
  trx: Kysely<Database>,
  kind: CheckKind,
  checks: readonly { id: string; web_page_id: string }[],
): Promise<CountedIssue[]> {
  const checkIds = new Map(checks.map((check) => [check.web_page_id, check.id]));
  const html = kind === "html";
  const text = sql.ref(html ? "message" : "help");
  const isError = html ? sql`issue_type = 'error'` : sql`not review`;
  const { rows } = await sql<Omit<CountedIssue, "checkId"> & { webPageId: string }>`
    select id, web_page_id as "webPageId", common_id as "commonId", ${text} as text, how_many as "howMany",
      case when ${isError} then 'errors' else 'warnings' end as counts,
      ${html ? sql`null` : sql.ref("impact")} as severity, muting_id as "mutingId"
    from ${sql.table(`${kind}_issues`)}
    where web_page_id = any(${[...checkIds.keys()]}::bigint[])`.execute(trx);
  return rows.map(({ webPageId, ...issue }) => ({ ...issue, checkId: checkIds.get(webPageId) ?? "" }));
}

async function write(
  trx: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  { issues, checks, common, change }: Recount,
): Promise<void> {
  await moveCommon(trx, kind, [...common]);
  if (issues.length > 0) {
    const changed = sql`json_to_recordset(${JSON.stringify(issues)}::json) as x(id bigint, "mutingId" bigint)`;
    await sql`
      update ${sql.table(`${kind}_issues`)} i set muting_id = x."mutingId", updated_at = now()
      from ${changed} where i.id = x.id`.execute(trx);
    await sql`
      update findings f set muting_id = x."mutingId"
      from ${changed} where ${sql.ref(`f.${kind}_issue_id`)} = x.id`.execute(trx);
  }
  if (checks.length === 0) return;
  const set = tallyFields.map((field) => sql`${sql.ref(field)} = ${sql.ref(`x.${field}`)}`);
  const types = tallyFields.map((field) => sql`${sql.ref(field)} integer`);
  await sql`
    update checks c set ${sql.join(set)}
    from json_to_recordset(${JSON.stringify(checks)}::json) as x(id bigint, ${sql.join(types)})
    where c.id = x.id`.execute(trx);
  const fields = kind === "html" ? (["errors", "warnings"] as const) : tallyFields;
  const moved = fields.map((field) => {
    const column = sql.ref(`${kind}_${field}`);
    return sql`${column} = ${column} + ${change[field]}`;
  });
  await sql`update reports set ${sql.join(moved)}, updated_at = now() where id = ${reportId}`.execute(trx);
}

/** Adds to common issues' counts; locks them in the order of their key, as all writers do. */
export async function moveCommon(
  trx: Kysely<Database>,
  kind: CheckKind,
  by: readonly (readonly [id: string, by: number])[],
): Promise<void> {
  if (by.length === 0) return;
  const table = sql.table(`common_${kind}_issues`);
  const ids = by.map(([id]) => id);
  await sql`select id from ${table} where id = any(${ids}::bigint[]) order by key for update`.execute(trx);
  await sql`
    update ${table} c set how_many = c.how_many + x.by, updated_at = now()
    from unnest(${ids}::bigint[], ${by.map(([, count]) => count)}::integer[]) as x(id, by)
    where c.id = x.id`.execute(trx);
}

/** A process that ends a check holds the report's row: after the first statement the second sees what it wrote. */
async function markRecounted(db: Kysely<Database>, id: string, revision: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select id from reports where id = ${id} for no key update`.execute(trx);
    await sql`
      update reports set muting_revision = ${revision}
      where id = ${id} and muting_revision < ${revision} and not exists (
        select from checks where report_id = ${id} and status = 'checked' and muting_revision < ${revision}
      )`.execute(trx);
  });
}
