import type { PageRoute } from "../page.ts";

/** The whole source of a page, as text. */
export const sourcePages: readonly PageRoute[] = (["/reports", "/r"] as const).map(
  (root): PageRoute => ({
    path: `${root}/:report_id/pages/:page_id/source`,
    access: root === "/r" ? "public" : "shared",
    read: async ({ params }) => ({
      forward: { path: `/reports/${params.report_id}/web_pages/${params.page_id}/source` },
    }),
  }),
);
