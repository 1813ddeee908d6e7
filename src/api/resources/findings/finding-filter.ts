import { checkKinds } from "../../../checks/kinds.ts";
import type { FindingFilter } from "../../../database/findings/findings.ts";
import { findReport } from "../../../database/reports/read-reports.ts";
import { reportAccess } from "../../../domain/accounts/principal.ts";
import { type FindingState, ownStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import type { Context } from "../../context.ts";
import {
  impactParameter,
  issueTypeParameter,
  issueTypes,
  kindParameter,
  mutedParameter,
  outsideParameter,
  pathParameter,
  roleParameter,
  ruleParameter,
} from "../../http/request/parameters.ts";
import { mutedIn } from "../../http/request/query.ts";
import type { QueryParameter } from "../../openapi/operation.ts";
import { comparisonAsked } from "../reports/comparisons.ts";
import { visibleReport } from "../reports/report-access.ts";

const roleNames = Object.keys(roles) as Role[];

/**
 * The query parameters that select findings.
 *
 * @param what the one by state, what a folder selects, and what `filter[muted]` says
 */
export function findingFilters({
  state,
  path,
  muted = mutedParameter(),
}: {
  state: QueryParameter;
  path: string;
  muted?: QueryParameter;
}): readonly QueryParameter[] {
  const outside = outsideParameter("Only what is outside of the report's standard, or only what is not.");
  return [
    kindParameter,
    ruleParameter,
    impactParameter,
    issueTypeParameter,
    outside,
    state,
    pathParameter(path),
    roleParameter,
    muted,
  ];
}

/**
 * The findings that a request asks for.
 *
 * @param states the states by which the list can be filtered
 * @returns the report's id, and the ids of the reports whose findings are listed: for some states its base, too, or
 *   only its base
 * @throws RequestError 404, 401, or 400 for an invalid parameter
 */
export async function findingFilter(
  context: Context,
  states: readonly FindingState[],
): Promise<{ reportId: string; reportIds: string[]; filter: FindingFilter }> {
  const { query } = context;
  const { report } = await visibleReport(context);
  const compared = await comparisonAsked(context, report);
  const kind = query.choice("filter[kind]", checkKinds);
  const outside = query.choice("filter[outside_standard]", ["true", "false"]);
  const rule = query.text("filter[rule]");
  const impact = query.choice("filter[impact]", impacts);
  const issueType = query.choice("filter[issue_type]", issueTypes);
  const state = query.choice("filter[state]", states);
  const folder = query.folder();
  const role = query.choice("filter[role]", roleNames);
  const webPageId = query.id("filter[web_page_id]");
  const component = query.digest("filter[component]", 20);
  const cause = query.digest("filter[cause]", 20);
  const follows = query.choice("filter[consequence]", ["true", "false"]);
  const { own, ofBase } = havingState(state);
  const base = ofBase && states.includes("fixed") ? await visibleBase(context, compared?.baseId) : [];
  return {
    reportId: report.id,
    reportIds: [...(own ? [report.id] : []), ...base],
    filter: {
      comparisonId: compared?.id ?? null,
      ...(kind && { kind }),
      ...(outside && { outsideStandard: outside === "true" }),
      ...(rule !== undefined && { rule }),
      ...(impact && { impact }),
      ...(issueType && { issueType }),
      ...(state && { state }),
      ...(component !== undefined && { component }),
      ...(cause !== undefined && { cause }),
      ...(folder && { folder }),
      ...(role && { role }),
      ...(webPageId !== undefined && { webPageId }),
      ...(follows && { follows: follows === "true" }),
      muted: mutedIn(query),
    },
  };
}

/** Which of the two reports has findings in a state: new ones are only in the report, fixed ones only in its base. */
function havingState(state: FindingState | undefined): { own: boolean; ofBase: boolean } {
  const own = state === undefined || (ownStates as readonly FindingState[]).includes(state);
  return { own, ofBase: !own || state === "unknown" };
}

/** The base's id; nothing when the caller may not see the base: a report may be shared without it. */
async function visibleBase(context: Context, id: string | undefined): Promise<string[]> {
  const base = id === undefined ? undefined : await findReport(context.deps.db, id);
  return base && reportAccess(base, context.caller) !== "none" ? [base.id] : [];
}
