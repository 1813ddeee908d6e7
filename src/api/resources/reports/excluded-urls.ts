import { listExcludedUrls } from "../../../database/reports/web-pages.ts";
import type { Route } from "../../context.ts";
import { pageParameters } from "../../http/request/parameters.ts";
import { list, related, timestamp } from "../../http/response/documents.ts";
import { reportUrl, visibleReport } from "./report-access.ts";
import { inboundAttributes } from "./report-document.ts";

export const excludedUrls: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/excluded_urls",
    id: "listExcludedUrls",
    tag: "Web pages",
    summary: "List the URLs that were left out",
    description: "Each with the reason, in the order in which they were found.",
    success: { kind: "list", type: "excluded_url" },
    access: "shared",
    parameters: pageParameters,
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const page = context.query.page();
      const listed = await listExcludedUrls(context.deps.db, report.id, page);
      return list(context, page, listed, (row) => ({
        id: row.id,
        type: "excluded_url",
        attributes: {
          url: row.url,
          linked_from: row.linked_from,
          ...inboundAttributes(row.inbound),
          reason: row.reason,
          inserted_at: timestamp(row.inserted_at),
        },
        relationships: related({ report: reportUrl(context, report.id) }),
      }));
    },
  },
];
