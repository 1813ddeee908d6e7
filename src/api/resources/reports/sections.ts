import { noAssignments, readAssignments } from "../../../database/findings/assignments.ts";
import { listSections, type SectionRow, sectionSortKeys } from "../../../database/reports/sections.ts";
import { type Assignment, assignmentState, NEVER } from "../../../domain/causes/assignment.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { pageParameters, sortParameter } from "../../http/request/parameters.ts";
import { list, related } from "../../http/response/documents.ts";
import { assignmentAttributes } from "../assignment-attributes.ts";
import { reportUrl, type Visible, visibleReport } from "./report-access.ts";

/** The folders of a report's site. */
export const sections: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/sections",
    id: "listSections",
    tag: "Web pages",
    summary: "List the sections of a report's site",
    description:
      "A section has the pages of one first folder, such as /products/; / has those that are in no folder. filter[path] of other lists selects the pages of one.",
    success: { kind: "list", type: "section" },
    access: "shared",
    site: "report",
    parameters: [
      sortParameter("The sort order. Ties are sorted by the path.", sectionSortKeys, "errors-desc"),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { deps, query } = context;
      const page = query.page();
      const sort = query.sort(sectionSortKeys) ?? { key: "errors", direction: "desc" };
      const visible = await visibleReport(context);
      const { report, owned } = visible;
      // A report that is queued has no row yet.
      const of = { reportId: report.id, comparisonId: report.comparison_id ?? null };
      const listed = await listSections(deps.db, of, sort, page);
      const { account_id: accountId, guest_token: guestToken, starting_url: startingUrl } = report;
      const site = { accountId, guestToken, startingUrl };
      const said = owned ? await readAssignments(deps.db, site) : noAssignments;
      return list(context, page, listed, (row) => sectionDocument(context, visible, row, said.sections.get(row.path)));
    },
  },
];

function sectionDocument(
  context: Context,
  { report: { id, inserted_at } }: Visible,
  section: SectionRow,
  held: Assignment | undefined,
): Resource<"section"> {
  const report = reportUrl(context, id);
  const { path, num_pages, num_checked_pages, errors, warnings, new_errors } = section;
  const state = held && assignmentState(held, errors > 0 ? inserted_at : NEVER, context.deps.now());
  const assignment = held && state ? assignmentAttributes({ ...held, of: "section" }, state, path) : null;
  const filter = new URLSearchParams({ "filter[path]": path });
  return {
    id: path,
    type: "section",
    attributes: { path, num_pages, num_checked_pages, errors, warnings, new_errors, assignment },
    relationships: related({
      report,
      web_pages: `${report}/web_pages?${filter}`,
      findings: `${report}/findings?${filter}`,
    }),
  };
}
