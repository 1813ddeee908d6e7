import { createHash } from "node:crypto";
import {
  type ComparedRule,
  type ComparedRuleCounts,
  comparedRuleSortKeys,
  countComparedRules,
  listComparedRules,
  readPageChanges,
} from "../../../database/findings/compared-rules.ts";
import type { RequestState } from "../../../database/findings/comparison-requests.ts";
import {
  type Compared,
  findBase,
  findComparison,
  type Pair,
  readDifferences,
} from "../../../database/findings/comparisons.ts";
import { findReport, type ReportRow } from "../../../database/reports/read-reports.ts";
import { reportAccess } from "../../../domain/accounts/principal.ts";
import { COMPARED_AT_ONCE, MAX_OF_GUESTS, MAX_REQUESTS } from "../../../domain/findings/comparing.ts";
import { comparisonFailures } from "../../../domain/findings/comparison-failure.ts";
import { type FindingState, findingStates, stateTotals } from "../../../domain/findings/finding-state.ts";
import { checkKinds, impactOf } from "../../../domain/findings/findings.ts";
import { successCriteriaOf } from "../../../domain/findings/success-criteria.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import { titleOfRule } from "../../../domain/guides/title-of-rule.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import { compareAtOnce, requestComparison } from "../../../transactions/compare-at-once.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { Attributes, List, Resource } from "../../documents.ts";
import {
  baseParameter,
  issueTypeParameter,
  issueTypes,
  mutedParameter,
  outsideParameter,
  pageParameters,
  sortParameter,
  stateParameter,
} from "../../http/request/parameters.ts";
import { mutedIn } from "../../http/request/query.ts";
import { list, one, related, timestamp } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { comparedRuleMeta } from "../../openapi/response-schemas/rules.ts";
import { specAttributes } from "../spec-attributes.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

/** When to look for the result, in seconds. */
const RETRY_AFTER = 5;

export const comparisons: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/comparison/rules",
    id: "listComparedRules",
    tag: "Issues",
    summary: "List what changed between two reports, by rule",
    description:
      "The elements of each rule in each state, the most elements first. Without base, compared with the report before it; 409 while the named base is not compared with it.",
    success: { kind: "list", type: "compared_rule", meta: comparedRuleMeta },
    errors: [409],
    access: "shared",
    site: "report",
    parameters: [
      baseParameter,
      stateParameter("Only elements in this state.", Object.keys(findingStates)),
      issueTypeParameter,
      outsideParameter("Only what is outside of the report's standard, or only what is not."),
      mutedParameter(),
      sortParameter("The sort order: by elements, by severity, or by pages.", comparedRuleSortKeys, "how_many-desc"),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const state = query.choice("filter[state]", Object.keys(findingStates) as FindingState[]);
      const sort = query.sort(comparedRuleSortKeys) ?? { key: "how_many", direction: "desc" };
      const outside = query.choice("filter[outside_standard]", ["true", "false"]);
      const filter = {
        ...{ state, issueType: query.choice("filter[issue_type]", issueTypes), muted: mutedIn(query) },
        outsideStandard: outside && outside === "true",
      };
      const { report } = await visibleReport(context);
      const asked = await comparisonAsked(context, report);
      const none = { howMany: 0, outsideStandard: 0, issueType: {}, state: {} };
      if (!asked) return list(context, page, { rows: [], total: 0, meta: metaOf(none) }, (row) => row);
      const listed = await listComparedRules(deps.db, asked.id, { ...filter, sort, page });
      const meta = metaOf(await countComparedRules(deps.db, asked.id, filter));
      const guides = await deps.guides();
      return list(context, page, { ...listed, meta }, (rule) =>
        ruleDocument(context, { reportId: report.id, baseId: asked.baseId }, rule, guides),
      );
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/comparison",
    id: "getComparison",
    tag: "Reports",
    summary: "Compare a report with an earlier one",
    description:
      "How many findings are new, fixed or still there. By default, the base is the newest earlier complete report of the same schedule that was not cut short; without a schedule, one with the same starting URL and settings. states is null without a base, while one of the two has not ended, and until the comparison is there. Two reports with many findings are compared in the background: the response is 202 until then, and asking again is the way to wait. The same two are compared once, however many ask.",
    success: {
      kind: "one",
      type: "comparison",
      until:
        "The comparison is being made: status and percent say how far it is. Get Location again after Retry-After.",
    },
    access: "shared",
    site: "report",
    parameters: [baseParameter],
    isHeavy: true,
    handle: async (context) => {
      const { report, owned } = await visibleReport(context);
      const { base, sameAccount } = await baseOf(context, report);
      if (base === undefined)
        return one(comparisonDocument(context, report.id, base, { differs: [], changes: null }, undefined));
      const pair = { reportId: report.id, baseId: base };
      const differs = (await readDifferences(context.deps.db, pair)).map(snakeCase);
      // Only the owner of both reports can start a comparison. Readers of a shared one get a comparison that exists.
      const found =
        (await findComparison(context.deps.db, report.id, base)) ??
        (owned && sameAccount ? await compare(context, pair) : undefined);
      // Read with the result, and not each time that somebody looks for one.
      const isThere = found && "counts" in found;
      const changes = isThere ? await changesOf(context, report, base, owned && sameAccount, differs) : null;
      return comparisonResponse(context, pair, { differs, changes }, found);
    },
  },
];

/**
 * The comparison that a list is about: with the base that the request names, or the report's own.
 *
 * @returns undefined for a report that is not compared
 * @throws RequestError 404, or 409 when the two are not compared
 */
export async function comparisonAsked(
  context: Context,
  report: Pick<ReportRow, "id" | "account_id" | "comparison_id" | "comparison">,
): Promise<{ id: string; baseId: string } | undefined> {
  if (context.query.uuid("base") === undefined)
    return report.comparison_id != null && report.comparison && (await ofOwnSites(context, report.comparison.base_id))
      ? { id: report.comparison_id, baseId: report.comparison.base_id }
      : undefined;
  const { base = "" } = await baseOf(context, report);
  const found = await findComparison(context.deps.db, report.id, base);
  if (found) return found;
  const detail = `The two reports are not compared yet, or one of them was checked again since: GET /reports/${report.id}/comparison?base=${base} compares them.`;
  throw refuse(409, "not_compared", "Conflict", detail);
}

/** A base, unless it is of a site that is not there for the caller: reports may be compared across sites. */
async function ofOwnSites({ caller, deps }: Context, id: string | undefined): Promise<string | undefined> {
  if (caller?.sites == null || id === undefined) return id;
  const base = await findReport(deps.db, id);
  return base && reportAccess(base, caller) !== "none" ? id : undefined;
}

/** The report that is named in the request, or the one before this report. @throws RequestError 404 */
async function baseOf(
  context: Context,
  report: Pick<ReportRow, "id" | "account_id">,
): Promise<{ base: string | undefined; sameAccount: boolean }> {
  const { caller, deps, query } = context;
  const named = query.uuid("base");
  if (named === undefined)
    return { base: await ofOwnSites(context, await findBase(deps.db, report.id)), sameAccount: true };
  const base = await findReport(deps.db, named);
  if (base && reportAccess(base, caller) !== "none")
    return { base: base.id, sameAccount: base.account_id === report.account_id };
  throw notFound("report to compare with");
}

/** What else is not the same in both. Only the owner of both sees the values of settings. */
async function changesOf(
  context: Context,
  report: ReportRow,
  baseId: string,
  owned: boolean,
  differs: readonly string[],
): Promise<Attributes<"comparison">["changes"]> {
  const { db } = context.deps;
  const base = await findReport(db, baseId);
  if (!base) return null;
  const [now, before] = [report, base].map(
    ({ spec }): Readonly<Record<string, unknown>> => specAttributes(reportSpecSchema, spec),
  );
  const text = (value: unknown) => (owned && value !== undefined ? JSON.stringify(value) : null);
  const engines = checkKinds.flatMap((kind) => {
    const [to, from] = [report.engines[kind], base.engines[kind]].map((engine) =>
      engine ? `${engine.name} ${engine.version}` : null,
    );
    return to === from ? [] : [{ kind, from: from ?? null, to: to ?? null }];
  });
  const pages = await readPageChanges(db, report.id, baseId);
  const failed = ({ coverage }: ReportRow) => coverage?.pages.failed ?? null;
  return {
    settings: differs.map((name) => ({ name, from: text(before?.[name]), to: text(now?.[name]) })),
    engines,
    pages: {
      from: base.num_pages,
      to: report.num_pages,
      failed_from: failed(base),
      failed_to: failed(report),
      ...pages,
    },
  };
}

function metaOf({ howMany, outsideStandard, issueType, state }: ComparedRuleCounts) {
  const states = (Object.keys(findingStates) as FindingState[]).map((name) => [name, state[name] ?? 0] as const);
  const counts = {
    issue_type: { error: issueType.error ?? 0, warning: issueType.warning ?? 0 },
    outside_standard: outsideStandard,
    state: Object.fromEntries(states) as Record<FindingState, number>,
  };
  return { how_many: howMany, counts } satisfies Partial<List<"compared_rule">["meta"]>;
}

function ruleDocument(
  context: Context,
  { reportId, baseId }: Pair,
  row: ComparedRule,
  guides: Guides,
): Resource<"compared_rule"> {
  const {
    kind,
    rule,
    message,
    tags,
    issue_type,
    impact_order,
    outside_standard,
    state,
    is_muted,
    how_many,
    num_pages,
  } = row;
  const report = reportUrl(context, reportId);
  const query = new URLSearchParams({
    ...{ base: baseId, "filter[kind]": kind, "filter[rule]": rule, "filter[state]": state },
    ...{ "filter[issue_type]": issue_type, "filter[outside_standard]": String(outside_standard) },
    ...(is_muted && { "filter[muted]": "true" }),
  });
  return {
    id: createHash("md5").update([kind, rule, issue_type, outside_standard, state, is_muted].join(" ")).digest("hex"),
    type: "compared_rule",
    attributes: {
      ...{ kind, rule: rule === "" ? null : rule, title: titleOfRule(guides, { kind, rule, message }), message },
      ...{ success_criteria: successCriteriaOf(tags), issue_type },
      ...{ impact: impactOf(impact_order), outside_standard, state, muted: is_muted, how_many, num_pages },
      first_seen_at: timestamp(row.first_seen_at),
    },
    relationships: related({ report, findings: `${report}/findings?${query}` }),
  };
}

/** Compares small reports at once. Others, and those that take too long after all, are compared by the controller. */
async function compare({ deps, caller }: Context, pair: Pair): Promise<Compared | RequestState | undefined> {
  const { db, comparedAtOnce = COMPARED_AT_ONCE } = deps;
  const compared = await compareAtOnce(db, pair, comparedAtOnce);
  if (compared !== "too_long") return compared;
  const requested = await requestComparison(db, { ...pair, byGuest: caller?.guestToken != null });
  if (requested !== "full") return requested;
  const detail = `No more than ${MAX_REQUESTS} comparisons of an account may wait or be made, and guests may ask for ${MAX_OF_GUESTS} of these; try again when one of them is there.`;
  throw refuse(429, "too_many_at_once", "Too many requests", detail, undefined, { "Retry-After": "30" });
}

/** What else is known of two reports. */
type Also = Pick<Attributes<"comparison">, "differs" | "changes">;

function comparisonResponse(
  context: Context,
  pair: Pair,
  also: Also,
  found: Compared | RequestState | undefined,
): RouteResponse {
  const response = one(comparisonDocument(context, pair.reportId, pair.baseId, also, found));
  if (!found || !("status" in found) || found.status === "failed") return response;
  const Location = `${reportUrl(context, pair.reportId)}/comparison?base=${pair.baseId}`;
  return { ...response, status: 202, headers: { Location, "Retry-After": String(RETRY_AFTER) } };
}

function comparisonDocument(
  context: Context,
  reportId: string,
  base: string | undefined,
  also: Also,
  found: Compared | RequestState | undefined,
): Resource<"comparison"> {
  return {
    id: reportId,
    type: "comparison",
    attributes: { base_id: base ?? null, ...also, ...progressOf(found) },
    relationships: related({
      report: reportUrl(context, reportId),
      base: base === undefined ? undefined : reportUrl(context, base),
    }),
  };
}

function progressOf(
  found: Compared | RequestState | undefined,
): Omit<Attributes<"comparison">, "base_id" | keyof Also> {
  const none = { states: null, muted: null, percent: null, failure: null };
  if (!found) return { ...none, status: "none" };
  if ("counts" in found) {
    const [states, muted] = [stateTotals(found.counts), stateTotals(found.mutedCounts)];
    return { ...none, states, muted, status: "complete", percent: 100 };
  }
  const { status } = found;
  if (status !== "failed") return { ...none, status, percent: found.percent };
  return { ...none, status, failure: { code: found.failure, detail: comparisonFailures[found.failure] } };
}
