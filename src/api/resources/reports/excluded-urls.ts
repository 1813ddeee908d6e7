import { countExcludedUrls, listExcludedUrls } from "../../../database/reports/web-pages.ts";
import { exclusionReasons } from "../../../domain/failure.ts";
import type { Route } from "../../context.ts";
import { choiceParameter, pageParameters } from "../../http/request/parameters.ts";
import { list, related, timestamp } from "../../http/response/documents.ts";
import { excludedMeta } from "../../openapi/response-schemas/reports.ts";
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
    success: { kind: "list", type: "excluded_url", meta: excludedMeta },
    access: "shared",
    site: "report",
    parameters: [
      choiceParameter("filter[reason]", "Those that were left out for this reason.", exclusionReasons),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const page = context.query.page();
      const { db } = context.deps;
      const reason = context.query.choice("filter[reason]", exclusionReasons);
      const listed = await listExcludedUrls(db, report.id, reason, page);
      const meta = { reasons: await countExcludedUrls(db, report.id) };
      return list(context, page, { ...listed, meta }, (row) => ({
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
