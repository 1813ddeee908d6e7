import type { Gate } from "../../schema/gate.ts";
import type { CountsByKind } from "./check-counts.ts";
import type { StateCount } from "./finding-state.ts";
import { checkKinds, type Impact, impactOrder } from "./findings.ts";

/** The conditions of a gate, and what each of them counts. */
export const gateConditions = {
  max_errors: "errors",
  max_warnings: "warnings",
  max_new_errors: "new errors",
  max_new_warnings: "new warnings",
  fail_on_failed_pages: "pages that could not be checked",
  require_complete: "gaps in what was checked",
} as const;
export type GateCondition = keyof typeof gateConditions;

/** Why a condition was not judged, or was not met although the count is within the limit. */
export const gateReasons = {
  no_base: "there is no earlier report to compare with",
  not_compared: "the comparison with the earlier report failed",
  nothing_checked: "no page was checked",
  crawl_cut_short: "the crawl was cut short, so pages are missing",
} as const;
export type GateReason = keyof typeof gateReasons;

export type GateResult = {
  condition: GateCondition;
  /** The most that may be counted. */
  limit: number;
  /** null when the condition was not judged. */
  counted: number | null;
  /** null when the condition was not judged. */
  passed: boolean | null;
  /** null when the count says everything. */
  reason: GateReason | null;
};

/** How many elements were found; `impact_order` is null for HTML. */
export type FindingCount = Omit<StateCount, "state">;

/** Why a report was not compared with the one before it. */
export type NotCompared = "no_base" | "not_compared";

/** The counts of a report that has ended, without muted findings. */
export type GateInput = {
  /** How many checks have a result. */
  checked: number;
  failedPages: number;
  cutShort: boolean;
  /** How many notices of its coverage are gaps. */
  gaps: number;
  found: readonly FindingCount[];
  /** What the comparison counted, or why there is none. */
  compared: readonly StateCount[] | NotCompared;
};

export type GateOutcome = { passed: boolean; results: GateResult[] };

/**
 * Judges a report by its gate. It passes when every condition is met. A condition on new findings is not judged without
 * an earlier report, and then does not make the report fail: later runs are compared with this first one. A report does
 * not pass when nothing was checked, or when the comparison failed.
 *
 * @param before earlier results, which hold for new findings if the earlier report has been deleted since
 */
export function judgeGate(gate: Gate, input: GateInput, before: readonly GateResult[] = []): GateOutcome {
  const results = conditionsOf(gate).map((condition) => {
    const result = judge(condition, gate, input);
    return result.reason === "no_base" ? (before.find((known) => known.condition === condition) ?? result) : result;
  });
  return { passed: results.every(({ passed, reason }) => passed ?? reason === "no_base"), results };
}

/** What the gate needs less, once this much of what counts is muted. */
export type Silenced = { all: readonly FindingCount[]; new: readonly FindingCount[] };

/** The counts of a report without what is silenced. */
export function withoutSilenced(input: GateInput, silenced: Silenced): GateInput {
  const less = <Count extends FindingCount>(counts: readonly Count[], gone: readonly FindingCount[]): Count[] =>
    counts.map((count) => ({ ...count, how_many: count.how_many - amountOf(gone, count) }));
  const { compared } = input;
  return {
    ...input,
    found: less(input.found, silenced.all),
    compared:
      typeof compared === "string"
        ? compared
        : less(
            compared.filter(({ state }) => state === "new"),
            silenced.new,
          ),
  };
}

/** How much of the same kind, type and impact there is. */
function amountOf(counts: readonly FindingCount[], { kind, issue_type, impact_order }: FindingCount): number {
  return counts
    .filter((one) => one.kind === kind && one.issue_type === issue_type && one.impact_order === impact_order)
    .reduce((sum, { how_many }) => sum + how_many, 0);
}

/** A result in a few words, such as `errors: 3, at most 0 allowed`. */
export function describeResult({ condition, limit, counted, reason }: GateResult): string {
  const what = gateConditions[condition];
  if (counted === null) return `${what}: not judged, ${gateReasons[reason ?? "nothing_checked"]}`;
  const why = reason === null ? "" : ` (${gateReasons[reason]})`;
  return `${what}: ${counted}, at most ${limit} allowed${why}`;
}

/** The conditions that are switched on; their limit is 0. */
const switchNames = {
  fail_on_failed_pages: "failOnFailedPages",
  require_complete: "requireComplete",
} as const satisfies Partial<Record<GateCondition, keyof Gate>>;

const limitNames = {
  max_errors: "maxErrors",
  max_warnings: "maxWarnings",
  max_new_errors: "maxNewErrors",
  max_new_warnings: "maxNewWarnings",
} as const satisfies Partial<Record<GateCondition, keyof Gate>>;

function conditionsOf(gate: Gate): GateCondition[] {
  const all = Object.keys(gateConditions) as GateCondition[];
  return all.filter((condition) => {
    const name = limitNames[condition as keyof typeof limitNames];
    return name ? gate[name] !== undefined : gate[switchNames[condition as keyof typeof switchNames]] === true;
  });
}

function judge(condition: GateCondition, gate: Gate, input: GateInput): GateResult {
  const limit = gate[limitNames[condition as keyof typeof limitNames]] ?? 0;
  const counted = input.checked === 0 ? "nothing_checked" : count(condition, gate, input);
  if (typeof counted === "string") return { condition, limit, counted: null, passed: null, reason: counted };
  const isMissing = condition === "fail_on_failed_pages" && input.cutShort;
  const passed = counted <= limit && !isMissing;
  return { condition, limit, counted, passed, reason: isMissing ? "crawl_cut_short" : null };
}

function count(condition: GateCondition, gate: Gate, input: GateInput): number | GateReason {
  const { found, compared, failedPages } = input;
  switch (condition) {
    case "fail_on_failed_pages":
      return failedPages;
    case "require_complete":
      return input.gaps;
    case "max_errors":
      return total(found, "error", gate.minImpact);
    case "max_warnings":
      return total(found, "warning", gate.minImpact);
    default: {
      if (typeof compared === "string") return compared;
      const isNew = compared.filter(({ state }) => state === "new");
      return total(isNew, condition === "max_new_errors" ? "error" : "warning", gate.minImpact);
    }
  }
}

/** HTML findings have no impact, so they always count. */
function total(counts: readonly FindingCount[], type: "error" | "warning", minImpact: Impact | undefined): number {
  const least = minImpact === undefined ? 0 : impactOrder(minImpact);
  return counts
    .filter(({ issue_type, impact_order }) => issue_type === type && (impact_order ?? least) >= least)
    .reduce((sum, { how_many }) => sum + how_many, 0);
}

/** What is left of each kind's counters besides the counts by impact. */
export function withoutImpact(counts: CountsByKind, byImpact: readonly FindingCount[]): FindingCount[] {
  return checkKinds.flatMap((kind) =>
    (["error", "warning"] as const).map((issue_type) => {
      const known = byImpact.filter((one) => one.kind === kind && one.issue_type === issue_type);
      const how_many = known.reduce((left, one) => left - one.how_many, counts[kind][`${issue_type}s`]);
      return { kind, issue_type, impact_order: null, how_many };
    }),
  );
}
