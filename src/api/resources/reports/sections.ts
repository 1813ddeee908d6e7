import { listSections, type SectionRow, sectionSortKeys } from "../../../database/reports/sections.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { pageParameters } from "../../http/request/query.ts";
import { list, related } from "../../http/response/documents.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

/** The folders of a report's site. */
export const sections: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/sections",
    access: "shared",
    parameters: ["sort", ...pageParameters],
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
