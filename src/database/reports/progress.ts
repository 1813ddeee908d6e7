import { type Kysely, sql } from "kysely";
import { manifestOf } from "../../checks/kinds.ts";
import type { Coverage } from "../../domain/coverage/coverage.ts";
import type { CrawlOver, FailureCode } from "../../domain/failure.ts";
import { byKind, type CheckCounts, sumOf } from "../../domain/findings/check-counts.ts";
import { type StateTotals, stateTotals } from "../../domain/findings/finding-state.ts";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import type { GateResult } from "../../domain/findings/gate.ts";
import { type CrawlState, isCrawlOver } from "../../domain/report-over.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { API_VERSION, annotations, type ReportPhase, type ReportResource, type Stage } from "../../schema/resources.ts";
import { wasFetched } from "../crawl/crawl.ts";
import { CHANNEL } from "../notifications.ts";
import type { LastJob, LastJobs } from "../stored.ts";
import type { Database } from "../tables.ts";
import { hasPending, selectCounts } from "./check-counts.ts";

/** The part of a report's row that the controller reads. */
export type ReportProgress = {
  id: string;
  accountId: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  /** What is asked for: as it was admitted, with what may change of it. */
  spec: ReportSpec;
  shared: boolean;
  phase: ReportPhase;
  crawlState: CrawlState;
  failureCode: string | null;
  failureDetail: string | null;
  pages: number;
  checks: Record<CheckKind, Pick<CheckCounts, "pending" | "checked" | "failed">>;
  errors: number;
  warnings: number;
  /** Findings by state, compared with the report before; null before the end, and without a comparison. */
  states: StateTotals | null;
  /** The result of its gate; null before the end, and without a gate. */
  gate: { passed: boolean; results: GateResult[] } | null;
  /** What its result covers; null before the end. */
  coverage: Coverage | null;
  completedAt: Date | null;
  deletedAt: Date | null;
  /**
   * The number of each stage's last Job before a page of the ended report was last requeued; earlier Jobs did other
   * work. Null for the report's own run.
   */
  runBase?: LastJobs | null;
  /** The last Job of each stage that was recorded. */
  lastJobs?: LastJobs;
};

/** A report's row as it is now, also when it is deleted; by its id, or by the uid of its resource. */
export async function readProgress(
  db: Kysely<Database>,
  by: string | { uid: string },
): Promise<ReportProgress | undefined> {
  const found = db
    .selectFrom("reports")
    .leftJoin("comparisons", "comparisons.id", "reports.comparison_id")
    .selectAll("reports")
    .select("comparisons.counts as states")
    .select(selectCounts("reports.id").as("counts"));
  const row = await (typeof by === "string"
    ? found.where("reports.id", "=", by)
    : found.where("reports.uid", "=", by.uid)
  ).executeTakeFirst();
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      namespace: row.namespace,
      name: row.name,
      uid: row.uid,
      generation: Number(row.generation),
      spec: row.spec,
      shared: row.shared,
      phase: row.phase,
      crawlState: row.crawl_state,
      failureCode: row.failure_code,
      failureDetail: row.failure_detail,
      pages: row.num_pages,
      checks: byKind((kind) => {
        const { pending, checked, failed } = row.counts[kind];
        return { pending, checked, failed };
      }),
      errors: sumOf(row.counts, "errors"),
      warnings: sumOf(row.counts, "warnings"),
      states: row.states && stateTotals(row.states),
      gate: row.passed === null ? null : { passed: row.passed, results: row.gate_results ?? [] },
      coverage: row.coverage,
      completedAt: row.completed_at,
      deletedAt: row.deleted_at,
      runBase: row.run_base,
      lastJobs: row.last_jobs,
    }
  );
}

/** The part of an unfinished report that the scheduler needs. */
export type UnfinishedReport = {
  id: string;
  accountId: string;
  namespace: string;
  name: string;
  uid: string;
  waiting: boolean;
  crawlOver: boolean;
  /** How many checks wait or run of each kind that it performs. */
  pending: Partial<Record<CheckKind, number>>;
  insertedAt: Date;
  /** The report had ended, but one of its pages is being checked again: its resource may be gone. */
  reopened: boolean;
};

/** All reports that have neither ended nor been deleted, oldest first. */
export async function listUnfinished(db: Kysely<Database>): Promise<UnfinishedReport[]> {
  const rows = await db
    .selectFrom("reports")
    .select(["id", "account_id", "namespace", "name", "uid", "phase", "crawl_state", "inserted_at"])
    .select([
      sql<boolean>`run_base is not null`.as("reopened"),
      sql<Record<CheckKind, boolean>>`json_build_object(${sql.join(
        checkKinds.map((kind) => sql`${sql.lit(kind)}, spec -> ${sql.lit(manifestOf(kind).settings.perform)}`),
      )})`.as("performs"),
      selectCounts("reports.id").as("counts"),
    ])
    .where("phase", "not in", ["Complete", "Failed"])
    .where("deleted_at", "is", null)
    .orderBy("inserted_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    namespace: row.namespace,
    name: row.name,
    uid: row.uid,
    waiting: row.phase === "Pending",
    crawlOver: isCrawlOver(row.crawl_state),
    pending: Object.fromEntries(
      checkKinds.filter((kind) => row.performs[kind]).map((kind) => [kind, row.counts[kind].pending]),
    ),
    insertedAt: row.inserted_at,
    reopened: row.reopened,
  }));
}

/** Sets the phase of a report that is not deleted and has not ended. */
export async function setPhase(db: Kysely<Database>, id: string, phase: "Crawling" | "Checking"): Promise<void> {
  await db
    .updateTable("reports")
    .set({ phase, updated_at: sql`now()` })
    .where("id", "=", id)
    .where("phase", "not in", [phase, "Complete", "Failed"])
    .where("deleted_at", "is", null)
    .execute();
}

/** Locks a report's row. */
export async function lockReport(trx: Kysely<Database>, id: string): Promise<void> {
  await sql`select from reports where id = ${id} for no key update`.execute(trx);
}

export type EndOfReport = { phase: "Complete" | "Failed"; now: Date; comparisonId: string | null };

/** Marks a report as ended. @returns false when there is something left to do, or it is deleted */
export async function markEnded(
  trx: Kysely<Database>,
  id: string,
  { phase, now, comparisonId }: EndOfReport,
): Promise<boolean> {
  const row = await trx
    .updateTable("reports")
    .set({
      phase,
      completed_at: sql`coalesce(completed_at, ${now}::timestamptz)`,
      comparison_id: comparisonId,
      updated_at: sql`now()`,
    })
    .where("id", "=", id)
    .where("crawl_state", "in", ["ended", "failed"])
    .where(sql<boolean>`not ${hasPending("reports.id")}`)
    .where("deleted_at", "is", null)
    .returning(sql`pg_notify(${CHANNEL}, id::text)`.as("notified"))
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks the row of a report whose crawl has not ended; undefined for others and deleted ones. */
export async function lockUnfinishedCrawl(
  trx: Kysely<Database>,
  id: string,
): Promise<{ failureCode: FailureCode | null; failureDetail: string | null } | undefined> {
  return trx
    .selectFrom("reports")
    .select(["failure_code as failureCode", "failure_detail as failureDetail"])
    .where("id", "=", id)
    .where("crawl_state", "in", ["pending", "crawling"])
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Whether a report has a page that could be fetched. */
export async function hasFetchedPages(db: Kysely<Database>, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from web_pages w where w.report_id = ${id} and ${wasFetched("w")} limit 1`.execute(db);
  return rows.length > 0;
}

/** Ends a crawl. */
export async function markCrawlOver(trx: Kysely<Database>, id: string, { state, failure }: CrawlOver): Promise<void> {
  await trx
    .updateTable("reports")
    .set({
      crawl_state: state,
      crawl_ended_at: sql`now()`,
      failure_code: failure.code,
      failure_detail: failure.detail,
      updated_at: sql`now()`,
    })
    .where("id", "=", id)
    .returning(sql`pg_notify(${CHANNEL}, id::text)`.as("notified"))
    .execute();
}

/** Stores what is needed of a stage's last Job once the resource is gone. */
export async function recordRun(
  db: Kysely<Database>,
  id: string,
  { stage, run, attempt, done }: { stage: Stage } & LastJob,
): Promise<void> {
  const job = JSON.stringify({ run, attempt, done } satisfies LastJob);
  await sql`
    update reports set
      last_jobs = last_jobs || jsonb_build_object(${stage}::text, ${job}::jsonb)
    where id = ${id} and coalesce((last_jobs -> ${stage} ->> 'run')::integer, 0) < ${run}`.execute(db);
}

/** The ids of ended reports with a page that is being checked again. */
export async function listReopened(db: Kysely<Database>): Promise<string[]> {
  return (await listUnfinished(db)).filter((report) => report.reopened).map((report) => report.id);
}

/** A report's resource, rebuilt from its row; without a uid, because nothing may refer to it. */
export async function resourceOfRow(db: Kysely<Database>, id: string): Promise<ReportResource | undefined> {
  const row = await db
    .selectFrom("reports")
    .selectAll()
    .where("id", "=", id)
    .where("run_base", "is not", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return (
    row && {
      apiVersion: API_VERSION,
      kind: "Report",
      metadata: {
        name: row.name,
        namespace: row.namespace,
        uid: "",
        resourceVersion: "",
        generation: Number(row.generation),
        creationTimestamp: row.inserted_at.toISOString(),
        annotations: {
          [annotations.id]: id,
          ...(row.request_id !== null && { [annotations.requestId]: row.request_id }),
        },
      },
      spec: row.spec,
      status: { phase: row.phase, conditions: [] },
    }
  );
}
