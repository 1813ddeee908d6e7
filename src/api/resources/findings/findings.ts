import { type FindingDetails, type FindingPlace, listFindings } from "../../../database/findings/findings.ts";
import { type FindPicture, readPictures } from "../../../database/reports/element-pictures.ts";
import { type FindingState, findingStates } from "../../../domain/findings/finding-state.ts";
import { impactOf } from "../../../domain/findings/findings.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import {
  baseParameter,
  choiceParameter,
  cursorParameters,
  digestParameter,
  idParameter,
  MUTED_LEFT_OUT,
  stateParameter,
} from "../../http/request/parameters.ts";
import { cursorList, related, timestamp } from "../../http/response/documents.ts";
import { pageUrl, reportUrl } from "../reports/report-access.ts";
import { comparedAttributes } from "./compared-attributes.ts";
import { elementAttributes, pictureAttributes, ruleAttributes } from "./finding-attributes.ts";
import { findingFilter, findingFilters } from "./finding-filter.ts";

/** A finding's elements may be in several states: the first one in this order is the state of the finding. */
const states: readonly FindingState[] = ["new", "new_rule", "fixed", "gone", "unknown", "persisting"];

export const findings: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/findings",
    id: "listFindings",
    tag: "Issues",
    summary: "List a report's findings",
    description: `Over all pages: errors first, the most severe first, then by rule. Elements of a page that cannot be told apart are one finding. ${MUTED_LEFT_OUT}`,
    success: { kind: "list", type: "finding", paging: "cursor" },
    errors: [409],
    access: "shared",
    site: "report",
    parameters: [
      ...findingFilters({
        state: stateParameter(
          "Findings with an element in this state. Fixed and gone findings, and some unknown ones, belong to the base, the report that this one is compared with; their relationship report links to it.",
          Object.keys(findingStates),
        ),
        path: "Findings on pages",
      }),
      digestParameter("filter[component]", "Findings of this component.", 20),
      digestParameter("filter[cause]", "Findings of this cause.", 20),
      idParameter("filter[web_page_id]", "Findings on this page."),
      choiceParameter(
        "filter[consequence]",
        "Only findings that follow from another one of their page, or only those that do not.",
        ["true", "false"],
      ),
      baseParameter,
      ...cursorParameters,
    ],
    handle: async (context) => {
      const { size, after } = context.query.cursor(readPlace);
      const { reportIds, filter } = await findingFilter(context, states);
      const { rows, next } = await listFindings(context.deps.db, reportIds, filter, { size, ...(after && { after }) });
      const pictures = await readPictures(
        context.deps.db,
        rows.map(({ web_page_id }) => web_page_id),
      );
      const guides = await context.deps.guides();
      return cursorList(
        context,
        rows.map((row) => findingDocument(context, row, pictures, guides)),
        { size, next: next && [next.issueType, next.severity, next.rule, next.id] },
      );
    },
  },
];

/** The place in the list that a decoded cursor stands for; undefined for a value that is not a place. */
function readPlace(cursor: unknown): FindingPlace | undefined {
  if (!Array.isArray(cursor) || cursor.length !== 4) return undefined;
  const [issueType, severity, rule, id] = cursor as unknown[];
  if (typeof issueType !== "string" || typeof rule !== "string" || typeof id !== "string") return undefined;
  if (!Number.isInteger(severity) || Math.abs(severity as number) > 9 || !/^[1-9][0-9]{0,17}$/.test(id))
    return undefined;
  return { issueType, severity: severity as number, rule, id };
}

function findingDocument(
  context: Context,
  finding: FindingDetails,
  pictures: FindPicture,
  guides: Guides,
): Resource<"finding"> {
  const { issue_type, impact_order, fingerprint, component, cause, url, how_many } = finding;
  const page = pageUrl(context, finding);
  return {
    id: finding.id,
    type: "finding",
    attributes: {
      ...ruleAttributes(finding, guides),
      issue_type,
      impact: impactOf(impact_order),
      impact_order,
      fingerprint,
      component,
      cause,
      fault: finding.fault,
      role: finding.role,
      url,
      element: elementAttributes(
        finding.element,
        pictureAttributes(context, pictures(finding.web_page_id, finding.element?.box), finding.report_id),
      ),
      how_many,
      num_consequences: finding.consequences,
      state: states.find((state) => (finding.states?.[state] ?? 0) > 0) ?? null,
      ...comparedAttributes(finding, Object.keys(findingStates) as FindingState[]),
      found_at: timestamp(finding.found_at),
    },
    relationships: related({
      report: reportUrl(context, finding.report_id),
      web_page: page,
      issue: `${page}/${finding.kind}_issues/${finding.issue_id}`,
    }),
  };
}
