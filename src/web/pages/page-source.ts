import type { PageRoute } from "../page.ts";
import { reportRoutes } from "../parts/report.ts";

/** The whole source of a page, as text. */
export const sourcePages: readonly PageRoute[] = reportRoutes("/pages/:page_id/source", async ({ params }) => ({
  forward: { path: `/reports/${params.report_id}/web_pages/${params.page_id}/source` },
}));
