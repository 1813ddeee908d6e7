import { openShareLink } from "../../../database/accounts/share-links.ts";
import { findReport, type ReportRow } from "../../../database/reports/read-reports.ts";
import { findWebPage, type WebPageRow } from "../../../database/reports/web-pages.ts";
import { findExpectedReport } from "../../../database/schedules/runs.ts";
import { reportAccess } from "../../../domain/accounts/principal.ts";
import type { Context } from "../../context.ts";
import { unauthenticated } from "../../http/request/authenticate.ts";
import { isNumericId, isUuid } from "../../http/request/query.ts";
import { malformed, notFound, refuse } from "../../http/response/errors.ts";

/**
 * A report, and whether the caller owns it or only reads it because it is shared. `expected` means that a deploy hook
 * has queued it: it has an address, but nothing below it yet.
 */
export type Visible = { report: ReportRow; owned: boolean; expected: boolean };

/**
 * The report in the address, if the caller may see it.
 *
 * @throws RequestError 404, or 401 when credentials might make it visible
 */
export async function visibleReport(context: Context): Promise<Visible> {
  const { caller, deps, params } = context;
  const id = params.report_id ?? "";
  const existing = isUuid(id) ? await findReport(deps.db, id) : undefined;
  const expected = !existing && caller && isUuid(id);
  const report = expected ? await findExpectedReport(deps.db, caller.accountId, id) : existing;
  const owned = report ? reportAccess(report, caller) : "none";
  const access = owned === "none" && report && (await opensReport(context, report.id)) ? "reader" : owned;
  if (report && access !== "none") return { report, owned: access === "owner", expected: !existing };
  throw caller ? notFound("report") : unauthenticated();
}

/** Whether the request has the secret of a link that opens the report. */
async function opensReport({ deps, header }: Context, reportId: string): Promise<boolean> {
  const secret = header("share-link");
  const link = secret === undefined ? undefined : await openShareLink(deps.db, secret, deps.now());
  return link?.report_id === reportId;
}

/** The report in the address, if the caller may change it. @throws RequestError 404 */
export async function ownReport(context: Context): Promise<ReportRow> {
  const { report, owned } = await visibleReport(context);
  if (owned) return report;
  throw notFound("report");
}

/** The report in the address, if the caller may change it. @throws RequestError 404, or 409 while it is queued */
export async function startedReport(context: Context): Promise<ReportRow> {
  const { report, owned, expected } = await visibleReport(context);
  if (!owned) throw notFound("report");
  if (!expected) return report;
  const detail = "The report waits for the one before it; it can be changed when it has started.";
  throw refuse(409, "report_queued", "Conflict", detail);
}

/** The web page in the address, if the caller may see its report. @throws RequestError 404, 401 */
export async function visiblePage(context: Context): Promise<WebPageRow> {
  const visible = await visibleReport(context);
  const id = context.params.web_page_id ?? "";
  const page = isNumericId(id) ? await findWebPage(context.deps.db, visible.report.id, id) : undefined;
  if (page) return visiblePart(page, visible);
  throw notFound("web page");
}

/**
 * The page without what the caller may not see: a shared report is open to everybody who has its link, but how often its pages
 * were viewed is not and, if it has credentials for the site, neither are the sources of its pages.
 */
export function visiblePart(page: WebPageRow, { report: { spec }, owned }: Visible): WebPageRow {
  if (owned) return page;
  const isOpen = spec.basicAuthId === "" && spec.basicAuthSecret === "";
  const stored = isOpen ? page.stored : new Set([...page.stored].filter((what) => what !== "source"));
  return { ...page, stored, views: null };
}

/** What sort keys tell that only the owner of a report may know. */
const ownersOnly: Readonly<Record<string, string>> = {
  views: "page views are",
  met: "page views are",
  due_on: "who has what until when is",
};

/** @throws RequestError 400 for a sort key that tells others what only the owner may know */
export function requireOwner({ owned }: Visible, sort: { key: string } | undefined): void {
  const what = sort && ownersOnly[sort.key];
  if (owned || !what) return;
  const detail = `sort by ${sort.key} is only for the owner of the report: ${what} not shared with it.`;
  throw malformed("invalid_parameter", detail, { parameter: "sort" });
}

/** A report's address, for links. */
export function reportUrl(context: Context, reportId: string): string {
  return `${context.base}/reports/${reportId}`;
}

export function pageUrl(context: Context, page: { report_id: string; web_page_id: string }): string {
  return `${reportUrl(context, page.report_id)}/web_pages/${page.web_page_id}`;
}
