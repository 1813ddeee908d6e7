import { listSections, type SectionRow, sectionSortKeys } from "../../../database/reports/sections.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { pageParameters, sortParameter } from "../../http/request/parameters.ts";
import { list, related } from "../../http/response/documents.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

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
    parameters: [
      sortParameter("The sort order. Ties are sorted by the path.", sectionSortKeys, "errors-desc"),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { deps, query } = context;
      const page = query.page();
      const sort = query.sort(sectionSortKeys) ?? { key: "errors", direction: "desc" };
      const { report } = await visibleReport(context);
      // A report that is queued has no row yet.
      const of = { reportId: report.id, comparisonId: report.comparison_id ?? null };
      const listed = await listSections(deps.db, of, sort, page);
      return list(context, page, listed, (row) => sectionDocument(context, report.id, row));
    },
  },
];

function sectionDocument(context: Context, reportId: string, section: SectionRow): Resource<"section"> {
  const report = reportUrl(context, reportId);
  const { path, num_pages, num_checked_pages, errors, warnings, new_errors } = section;
  const filter = new URLSearchParams({ "filter[path]": path });
  return {
    id: path,
    type: "section",
    attributes: { path, num_pages, num_checked_pages, errors, warnings, new_errors },
    relationships: related({
      report,
      web_pages: `${report}/web_pages?${filter}`,
      findings: `${report}/findings?${filter}`,
    }),
  };
}
