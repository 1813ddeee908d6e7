import {
  createShareLink,
  deleteShareLink,
  findShareLink,
  listShareLinks,
  openShareLink,
  renewShareLink,
  type SharedThing,
  type ShareLinkRow,
  setShareLinkEnd,
} from "../../database/accounts/share-links.ts";
import { findReport } from "../../database/reports/read-reports.ts";
import { readSiteDays } from "../../database/reports/site-history.ts";
import { siteIdOf } from "../../database/reports/site-key.ts";
import { findSite, listSites } from "../../database/reports/sites.ts";
import { reportAccess } from "../../domain/accounts/principal.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { recordReadingOnce } from "../http/audit/record.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf } from "../http/request/caller.ts";
import { futureTime } from "../http/request/future-time.ts";
import { digestParameter, pageParameters, uuidParameter } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import {
  type NewShareLinkAttributes,
  newShareLinkSchema,
  type ShareLinkAttributes,
  shareLinkSchema,
} from "../request-attributes.ts";
import { reportUrl } from "./reports/report-access.ts";
import { dayAttributes, numbersOf, SERIES_DAYS } from "./reports/sites.ts";

const DAY = 86_400_000;
/** A link is not for ever: what is forgotten ends. */
const MAX_DAYS = 366;

const readNew = attributesReader<NewShareLinkAttributes>(newShareLinkSchema);
const readChange = attributesReader<ShareLinkAttributes>(shareLinkSchema);

const sharedAudit = { verb: "read what a share link opens", area: "sharing" } as const;

/** Links that open a report, or the numbers of a site, to everybody who has them, until they end. */
export const shareLinks: readonly Route[] = [
  {
    method: "GET",
    path: "/share_links",
    id: "listShareLinks",
    tag: "Access",
    summary: "List share links",
    description: "The newest first, also those that are over. The secrets are never shown again.",
    success: { kind: "list", type: "share_link" },
    access: "account",
    site: "caller",
    parameters: [
      uuidParameter("filter[report_id]", "Links to this report."),
      digestParameter("filter[site_id]", "Links to this site.", 32),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const [reportId, siteId] = [query.uuid("filter[report_id]"), query.digest("filter[site_id]", 32)];
      const of = { ...(reportId !== undefined && { reportId }), ...(siteId !== undefined && { siteId }) };
      const listed = await listShareLinks(deps.db, callerOf(context), of, page);
      return list(context, page, listed, (link) => linkDocument(context, link));
    },
  },
  {
    method: "POST",
    path: "/share_links",
    id: "createShareLink",
    audit: { verb: "shared something by a link", area: "sharing" },
    tag: "Access",
    summary: "Share a report, or the numbers of a site",
    description:
      "Only this response shows the secret. Who has it can read the report and everything below it with the header Share-Link: <secret>, or the numbers of the site, until the link ends.",
    success: { kind: "created", type: "share_link" },
    access: "account",
    site: "caller",
    right: "share",
    body: bodyOf("share_link", newShareLinkSchema),
    showsSecret: true,
    handle: async (context) => {
      const { report_id, site_id, expires_at } = readNew(context.attributes);
      const end = readEnd(context, expires_at);
      const thing = await sharedThing(context, report_id, site_id);
      const { id, secret } = await createShareLink(context.deps.db, callerOf(context), thing, end);
      return created(linkDocument(context, await linkOf(context, id), secret), linkUrl(context, id));
    },
  },
  {
    method: "GET",
    path: "/share_links/:share_link_id",
    id: "getShareLink",
    tag: "Access",
    summary: "Get a share link",
    success: { kind: "one", type: "share_link" },
    access: "account",
    site: "share_link",
    handle: async (context) => one(linkDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: "/share_links/:share_link_id",
    id: "updateShareLink",
    audit: { verb: "changed when a share link ends", area: "sharing" },
    tag: "Access",
    summary: "Change when a share link ends",
    success: { kind: "one", type: "share_link" },
    access: "account",
    site: "share_link",
    right: "share",
    body: bodyOf("share_link", shareLinkSchema),
    handle: async (context) => {
      const { id } = await addressed(context);
      await setShareLinkEnd(context.deps.db, id, readEnd(context, readChange(context.attributes).expires_at));
      return one(linkDocument(context, await addressed(context)));
    },
  },
  {
    method: "POST",
    path: "/share_links/:share_link_id/secret",
    id: "renewShareLink",
    audit: { verb: "gave a share link a new secret", area: "sharing" },
    tag: "Access",
    summary: "Give a share link a new secret",
    description: "The secret before it opens nothing any more. Only this response shows the new one.",
    success: { kind: "created", type: "share_link" },
    access: "account",
    site: "share_link",
    right: "share",
    showsSecret: true,
    handle: async (context) => {
      const link = await addressed(context);
      return created(
        linkDocument(context, link, await renewShareLink(context.deps.db, link.id)),
        linkUrl(context, link.id),
      );
    },
  },
  {
    method: "DELETE",
    path: "/share_links/:share_link_id",
    id: "deleteShareLink",
    audit: { verb: "ended a share link", area: "sharing" },
    tag: "Access",
    summary: "Stop sharing",
    success: { kind: "nothing" },
    access: "account",
    site: "share_link",
    right: "share",
    handle: async (context) => {
      const { id } = await addressed(context);
      if (!(await deleteShareLink(context.deps.db, id))) throw notFound("share link");
      return { status: 204 };
    },
  },
  {
    method: "GET",
    path: "/shared/:share_secret",
    id: "getShared",
    audit: sharedAudit,
    tag: "Access",
    summary: "Open a share link",
    description:
      "Needs no token. Of a report it has the address, which is readable with the header Share-Link: <secret>; of a site the numbers. 404 when the link is over or has another secret.",
    success: { kind: "one", type: "shared" },
    access: "public",
    handle: async (context) => {
      const { db, now } = context.deps;
      const link = await openShareLink(db, context.params.share_secret ?? "", now());
      const shared = link && (await sharedDocument(context, link));
      if (!shared) throw notFound("share link");
      const doer = { accountId: link.account_id, who: "link", whoId: null, whoName: "a share link" } as const;
      const target = { type: "share_link", id: link.id, name: null, path: `/share_links/${link.id}` };
      await recordReadingOnce(context, {
        ...{ doer, id: "getShared", audit: sharedAudit },
        target: { ...target, siteUrl: link.starting_url },
      });
      return one(shared);
    },
  },
];

/** The end of a link. @throws RequestError 422 */
const readEnd = (context: Context, text: string): Date =>
  futureTime(context, "expires_at", text, { days: MAX_DAYS, orNull: false });

/** What is to be shared, if it is the caller's. @throws RequestError 422 */
async function sharedThing(
  context: Context,
  reportId: string | undefined,
  siteId: string | undefined,
): Promise<SharedThing> {
  const { db } = context.deps;
  const caller = callerOf(context);
  if ((reportId === undefined) === (siteId === undefined))
    throw refuseAttribute(
      "report_id",
      "required",
      "Either report_id or site_id is required, and not both: a link opens one of them.",
    );
  if (reportId !== undefined) {
    const report = await findReport(db, reportId.toLowerCase());
    if (report && reportAccess(report, caller) === "owner") return { reportId: report.id };
    throw refuseAttribute(
      "report_id",
      "unknown_report",
      `report_id is ${formatValue(reportId)}; you have no such report.`,
    );
  }
  const site = siteId === undefined ? undefined : await findSite(db, caller, siteId);
  if (site) return { startingUrl: site.starting_url };
  throw refuseAttribute("site_id", "unknown_site", `site_id is ${formatValue(siteId)}; you have no such site.`);
}

async function linkOf(context: Context, id: string): Promise<ShareLinkRow> {
  const link = isUuid(id) ? await findShareLink(context.deps.db, id, callerOf(context)) : undefined;
  if (link) return link;
  throw notFound("share link");
}

function addressed(context: Context): Promise<ShareLinkRow> {
  return linkOf(context, context.params.share_link_id ?? "");
}

function linkUrl(context: Context, id: string): string {
  return `${context.base}/share_links/${id}`;
}

/** A link; its secret is only in the responses to the requests that made it. */
function linkDocument(context: Context, link: ShareLinkRow, secret?: string): Resource<"share_link"> {
  const { id, report_id, starting_url, guest_token, expires_at, inserted_at } = link;
  const site = starting_url === null ? null : siteIdOf(starting_url);
  return {
    id,
    type: "share_link",
    attributes: {
      report_id,
      site_id: site,
      expires_at: timestamp(expires_at),
      ...(secret !== undefined && { secret }),
      ...(guest_token !== null && { guest_token }),
      inserted_at: timestamp(inserted_at),
    },
    relationships: related({
      report: report_id === null ? undefined : reportUrl(context, report_id),
      site: site === null ? undefined : `${context.base}/sites/${site}`,
    }),
  };
}

/** What a link opens; undefined when that is gone. */
async function sharedDocument(context: Context, link: ShareLinkRow): Promise<Resource<"shared"> | undefined> {
  const { id, account_id, guest_token, report_id, starting_url, expires_at } = link;
  const shared = { expires_at: timestamp(expires_at) };
  const { db, now } = context.deps;
  if (report_id !== null) {
    const report = await findReport(db, report_id);
    if (!report) return undefined;
    return {
      id,
      type: "shared",
      attributes: { ...shared, report_id, site: null },
      relationships: related({ report: reportUrl(context, report_id) }),
    };
  }
  if (starting_url === null) return undefined;
  const scope = { accountId: account_id, guestToken: guest_token, sites: null };
  const query = { ...scope, id: siteIdOf(starting_url), since: new Date(now().getTime() - 30 * DAY) };
  const { rows } = await listSites(db, query, { limit: 1, offset: 0 });
  const [site] = rows;
  if (!site) return undefined;
  const days = await readSiteDays(db, scope, starting_url, {
    since: new Date(now().getTime() - SERIES_DAYS * DAY),
    each: "day",
  });
  const numbers = site.numbers && numbersOf(site.numbers);
  return {
    id,
    type: "shared",
    attributes: {
      ...shared,
      report_id: null,
      site: {
        name: site.name,
        starting_url,
        numbers: numbers && withoutReport(numbers),
        days: days.map(({ changes: _, ...day }) => {
          const { has_report: _kept, ...numbers } = dayAttributes({ ...day, changes: [] });
          return withoutReport(numbers);
        }),
      },
    },
    relationships: related({ report: undefined }),
  };
}

/** Readers get numbers, and no address of a report. */
function withoutReport<Numbers extends { report_id: string }>({
  report_id: _,
  ...numbers
}: Numbers): Omit<Numbers, "report_id"> {
  return numbers;
}
