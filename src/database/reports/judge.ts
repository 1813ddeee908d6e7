import { type Kysely, sql } from "kysely";
import { sumOf } from "../../domain/findings/check-counts.ts";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import { checkKinds, impacts } from "../../domain/findings/findings.ts";
import {
  type FindingCount,
  type GateInput,
  type GateOutcome,
  type GateResult,
  judgeGate,
  withoutImpact,
} from "../../domain/findings/gate.ts";
import { type Gate, hasConditions } from "../../schema/gate.ts";
import type { ReportPhase } from "../../schema/status.ts";
import { CHANNEL } from "../notifications.ts";
import type { Database } from "../tables.ts";
import { readCounts } from "./check-counts.ts";

/** Why a report was not compared with the one before it. */
export type NotCompared = "no_base" | "not_compared";

type Row = {
  gate: Gate;
  gate_results: GateResult[] | null;
  phase: ReportPhase;
  cut_short: boolean;
  comparison_id: string | null;
};

/**
 * Judges an ended report by its gate, from the current counts; does nothing to others. Locks the report's row, so that
 * whoever changes a count afterwards judges it again.
 *
 * @param notCompared why the report, when it ends, has no comparison; later calls keep the stored reason
 */
export async function judgeReport(trx: Kysely<Database>, id: string, notCompared?: NotCompared): Promise<void> {
  const { rows } = await sql<Row>`
    select spec -> 'gate' as gate, gate_results, comparison_id, phase, failure_code is not null as cut_short
    from reports
    where id = ${id} and phase in ('Complete', 'Failed') and deleted_at is null
    for no key update`.execute(trx);
  const [row] = rows;
  if (!row || !hasConditions(row.gate)) return;
  const before = notCompared === undefined ? (row.gate_results ?? []) : [];
  await store(trx, id, judgeGate(row.gate, await readInput(trx, id, row, notCompared), before));
}

async function readInput(
  trx: Kysely<Database>,
  id: string,
  row: Row,
  notCompared: NotCompared = "no_base",
): Promise<GateInput> {
  // A statement of its own: the one that waited for the report's lock does not see what was counted meanwhile.
  const counts = await readCounts(trx, id);
  const kinds = checkKinds.filter((kind) => impacts.some((impact) => counts[kind][impact] > 0));
  const { rows: byImpact } = await sql<FindingCount>`
    select kind, issue_type, impact_order, sum(how_many)::integer as how_many
    from common_issues
    where report_id = ${id} and kind = any(${kinds}::text[]) and impact_order is not null and not outside_standard
    group by 1, 2, 3`.execute(trx);
  return {
    checked: row.phase === "Complete" ? sumOf(counts, "checked") : 0,
    failedPages: sumOf(counts, "failed") === 0 ? 0 : await countFailedPages(trx, id),
    cutShort: row.cut_short,
    found: [...byImpact, ...withoutImpact(counts, byImpact)],
    compared: row.comparison_id === null ? notCompared : await readComparison(trx, row.comparison_id),
  };
}

async function readComparison(trx: Kysely<Database>, id: string): Promise<StateCount[] | NotCompared> {
  const row = await trx.selectFrom("comparisons").select("counts").where("id", "=", id).executeTakeFirst();
  return row?.counts ?? "no_base";
}

async function countFailedPages(trx: Kysely<Database>, id: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select count(distinct web_page_id)::integer as pages from checks
    where report_id = ${id} and status = 'failed'`.execute(trx);
  return rows[0]?.pages ?? 0;
}

async function store(trx: Kysely<Database>, id: string, { passed, results }: GateOutcome): Promise<void> {
  const found = JSON.stringify(results);
  await sql`
    with judged as (
      update reports set passed = ${passed}, gate_results = ${found}::jsonb, updated_at = now()
      where id = ${id} and (passed, gate_results) is distinct from (${passed}::boolean, ${found}::jsonb)
      returning id
    )
    select pg_notify(${CHANNEL}, id::text) from judged`.execute(trx);
}
