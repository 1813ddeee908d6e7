import { deletePageViews, findPageViews } from "../../../database/reports/page-views.ts";
import type { SiteKey } from "../../../database/reports/site-key.ts";
import type { BriefSite } from "../../../database/reports/sites.ts";
import { UnreadableViews } from "../../../domain/page-views/read-file.ts";
import { importPageViews } from "../../../transactions/import-page-views.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import { callerOf } from "../../http/request/caller.ts";
import { one, related, timestamp } from "../../http/response/documents.ts";
import { notFound, refuseAttribute } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { type PageViewsAttributes, pageViewsSchema } from "../../request-attributes.ts";
import { reportUrl } from "./report-access.ts";
import { briefSite } from "./sites.ts";

const readViews = attributesReader<PageViewsAttributes>(pageViewsSchema);

/** How often pages of a site are viewed, which says what of their errors weighs most. */
export const pageViews: readonly Route[] = [
  {
    method: "GET",
    path: "/sites/:site_id/page_views",
    id: "getSitePageViews",
    tag: "Reports",
    summary: "Get where the page views of a site come from",
    description: "How often a page was viewed is views of the page (listWebPages).",
    success: { kind: "one", type: "page_views" },
    access: "account",
    site: "site",
    handle: async (context) => one(await viewsDocument(context, await briefSite(context))),
  },
  {
    method: "PATCH",
    path: "/sites/:site_id/page_views",
    id: "importSitePageViews",
    audit: { verb: "imported page views", area: "sites" },
    tag: "Reports",
    summary: "Import page views of a site",
    description:
      "From a file that a program for statistics exports. It takes the place of the one before, and holds for all reports of the site. Kept are numbers of pages that the newest report has; other rows are only counted. 422 for a file that is not understood: then nothing changes.",
    success: { kind: "one", type: "page_views" },
    access: "account",
    site: "site",
    body: bodyOf("page_views", pageViewsSchema),
    takesFile: true,
    isHeavy: true,
    handle: async (context) => {
      const { db, now } = context.deps;
      const site = await briefSite(context);
      const { file } = readViews(context.attributes);
      try {
        await importPageViews(db, keyOf(context, site), { newest: site.report_id, text: file, now: now() });
      } catch (error) {
        if (!(error instanceof UnreadableViews)) throw error;
        throw refuseAttribute("file", "invalid_format", error.message);
      }
      return one(await viewsDocument(context, site));
    },
  },
  {
    method: "DELETE",
    path: "/sites/:site_id/page_views",
    id: "deleteSitePageViews",
    audit: { verb: "deleted page views", area: "sites" },
    tag: "Reports",
    summary: "Forget the page views of a site",
    success: { kind: "nothing" },
    access: "account",
    site: "site",
    handle: async (context) => {
      const site = await briefSite(context);
      if (!(await deletePageViews(context.deps.db, keyOf(context, site)))) throw notFound("file of page views");
      return { status: 204 };
    },
  },
];

function keyOf(context: Context, { starting_url }: BriefSite): SiteKey {
  const { accountId, guestToken } = callerOf(context);
  return { accountId, guestToken, startingUrl: starting_url };
}

async function viewsDocument(context: Context, site: BriefSite): Promise<Resource<"page_views">> {
  const found = await findPageViews(context.deps.db, keyOf(context, site), site.report_id);
  const { format = null, imported_at = null, first_day = null, last_day = null } = found ?? {};
  const { num_rows = 0, pages = 0, num_pages = 0, views = 0, other_rows = 0, other_views = 0 } = found ?? {};
  return {
    id: site.id,
    type: "page_views",
    attributes: {
      ...{ format, imported_at: timestamp(imported_at), first_day, last_day },
      ...{ num_rows, pages, num_pages, views, other_rows, other_views },
    },
    relationships: related({
      site: `${context.base}/sites/${site.id}`,
      report: reportUrl(context, site.report_id),
    }),
  };
}
