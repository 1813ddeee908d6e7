import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Steps } from "../../domain/addresses/page-variant.ts";
import type { Coverage } from "../../domain/coverage/coverage.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { FindingCount, GateOutcome, GateResult } from "../../domain/findings/gate.ts";
import type { Gate } from "../../schema/gate.ts";
import type { ReportPhase } from "../../schema/status.ts";
import { CHANNEL } from "../notifications.ts";
import type { Database } from "../tables.ts";
import { selectCounts } from "./check-counts.ts";
import { isWhole, seriesOf } from "./series.ts";

/** What a report that has ended is judged by, besides what was found. */
export type EndedReport = {
  gate: Gate;
  gate_results: GateResult[] | null;
  phase: ReportPhase;
  failure_code: FailureCode | null;
  failure_detail: string | null;
  exclusions: string[];
  exclude_globs: string[];
  prepare: Steps["prepare"];
  states: Steps["states"];
  comparison_id: string | null;
  /** Null until the report is judged. */
  coverage: Coverage | null;
};

/** Locks a report; undefined unless it has ended. A process that changes a count afterwards judges it again. */
export function lockEnded(trx: Kysely<Database>, id: string): Promise<EndedReport | undefined> {
  return selectEnded(trx, id, sql`for no key update`);
}

/** Reads the same without a lock, to say how it would be judged. */
export function readEnded(db: Kysely<Database>, id: string): Promise<EndedReport | undefined> {
  return selectEnded(db, id, sql``);
}

async function selectEnded(
  db: Kysely<Database>,
  id: string,
  lock: RawBuilder<unknown>,
): Promise<EndedReport | undefined> {
  const { rows } = await sql<EndedReport>`
    select spec -> 'gate' as gate, gate_results, comparison_id, coverage, phase, failure_code, failure_detail,
      coalesce(spec -> 'exclusions', '[]'::jsonb) as exclusions,
      coalesce(spec -> 'excludeGlobs', '[]'::jsonb) as exclude_globs,
      coalesce(spec -> 'prepare', '[]'::jsonb) as prepare, coalesce(spec -> 'states', '[]'::jsonb) as states
    from reports
    where id = ${id} and phase in ('Complete', 'Failed') and deleted_at is null ${lock}`.execute(db);
  return rows[0];
}

/** How many elements of these kinds were found of each impact; without muted ones and those outside of the standard. */
export async function countByImpact(
  trx: Kysely<Database>,
  id: string,
  kinds: readonly CheckKind[],
): Promise<FindingCount[]> {
  const { rows } = await sql<FindingCount>`
    select kind, issue_type, impact_order, sum(how_many)::integer as how_many
    from common_issues
    where report_id = ${id} and kind = any(${[...kinds]}::text[]) and impact_order is not null and not outside_standard
    group by 1, 2, 3`.execute(trx);
  return rows;
}

/** What a comparison counted; undefined when it is gone. */
export async function readStateCounts(trx: Kysely<Database>, comparisonId: string): Promise<StateCount[] | undefined> {
  const row = await trx.selectFrom("comparisons").select("counts").where("id", "=", comparisonId).executeTakeFirst();
  return row?.counts;
}

/**
 * Keeps what is counted of a complete report, with its comparison, when it ends first, and how it is judged at each end. The
 * process that ends it calls this, in the same transaction; no muting changes it afterwards.
 */
export async function keepEnd(trx: Kysely<Database>, id: string, now: Date): Promise<void> {
  await sql`
    insert into report_ends (report_id, ended_at, counts, base_id, states, muted_states, is_whole, series, pages, pages_now,
      passed, gate_results)
    select r.id, ${now}, ${selectCounts("r.id")}, c.base_id, c.counts, c.muted_counts,
      ${isWhole("r")}, ${seriesOf(sql`r.spec`)}, counted.pages, counted.pages, r.passed, r.gate_results
    from reports r left join comparisons c on c.id = r.comparison_id
    cross join lateral (select ${pagesNow}::jsonb as pages) counted
    where r.id = ${id} and r.phase = 'Complete'
    on conflict (report_id) do update set passed = excluded.passed, gate_results = excluded.gate_results`.execute(trx);
}

const withoutPage = sql`coalesce((r.coverage -> 'pages' ->> 'without_page')::integer, 0)`;
/** How many pages of the report `r` are how. */
const pagesNow = sql`(
  select json_build_object(
    'checked', count(*) filter (where is_checked), 'lost', coalesce(sum(lost) filter (where is_checked), 0), 'without_errors', count(*) filter (where is_checked and errors = 0),
    'without_issues', count(*) filter (where is_checked and errors + warnings = 0), 'failed', count(*) filter (where not is_checked), 'without_page', ${withoutPage},
    'known', count(*) + coalesce((r.coverage -> 'pages' -> 'left_out' ->> 'page_limit')::integer, 0),
    'by_kind', (
      select coalesce(json_object_agg(kind, json_build_object('checked', checked, 'without_errors', without_errors)), '{}') from (
        select k.kind, count(*) as checked, count(*) filter (where k.errors = 0) as without_errors
        from checks k where k.report_id = r.id and k.status = 'checked' group by 1
      ) kinds
    )
  ) from (
    select bool_and(k.status = 'checked') as is_checked, sum(k.errors) as errors, sum(k.warnings) as warnings, (
      select l.lost from page_losses l where l.web_page_id = k.web_page_id
    ) as lost
    from checks k where k.report_id = r.id group by k.web_page_id
  ) pages
)`;

/** Stores what a report covers, how many of its pages are how, and how it is judged by that, if it has a gate. */
export async function storeOutcome(
  trx: Kysely<Database>,
  id: string,
  coverage: Coverage,
  { passed, results }: GateOutcome | { passed: null; results: null },
): Promise<void> {
  const found = results && JSON.stringify(results);
  const covered = JSON.stringify(coverage);
  await sql`
    with judged as (
      update reports set passed = ${passed}, gate_results = ${found}::jsonb, coverage = ${covered}::jsonb, updated_at = now()
      where id = ${id}
        and (passed, gate_results, coverage) is distinct from (${passed}::boolean, ${found}::jsonb, ${covered}::jsonb)
      returning id
    )
    select pg_notify(${CHANNEL}, id::text) from judged`.execute(trx);
  // On its own: it reads what the report covers now.
  await sql`update report_ends e set pages_now = ${pagesNow} from reports r where r.id = ${id} and e.report_id = r.id`.execute(
    trx,
  );
}
