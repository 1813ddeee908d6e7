import { isHtml, type PageResponse } from "../browser/watch.ts";
import { stepAddress } from "../domain/addresses/shown-address.ts";
import { PageError } from "../domain/failure.ts";
import { requireNoSignIn, requireSamePage } from "../domain/page/reached-page.ts";
import type { ReportSpec } from "../schema/report.ts";

/**
 * Judges the response of a page that is visited in a browser, and where it ended.
 *
 * @throws PageError when there is no page to check, or another one than was asked for
 */
export function requirePage(response: PageResponse, asked: string, spec: Pick<ReportSpec, "ignoredParameters">): void {
  const { url, status, mimeType } = response;
  if (status >= 400) throw new PageError("http_error", `${url} responded with status ${status}.`);
  if (!isHtml(response)) {
    throw new PageError("not_html", `${url} is not an HTML document: its type is ${mimeType || "unknown"}.`);
  }
  requireSameHost(url, asked);
  requireSamePage(url, asked, spec);
}

/** The same for a page to which steps lead: servers answer a form with mistakes with 4xx, too. @throws PageError */
export function requireActed(response: PageResponse, asked: string): void {
  const { url, status, mimeType } = response;
  if (status >= 500)
    throw new PageError("http_error", `The steps lead to ${stepAddress(url)}, which responded with status ${status}.`);
  if (!isHtml(response))
    throw new PageError("not_html", `The steps lead to ${stepAddress(url)}, whose type is ${mimeType || "unknown"}.`);
  requireSameHost(url, asked);
}

/** @throws PageError for a redirect to another site */
export function requireSameHost(url: string, asked: string): void {
  if (URL.parse(url)?.host === URL.parse(asked)?.host) return;
  requireNoSignIn(url, asked);
  throw new PageError("off_site", `${asked} redirects to another site: ${url}.`);
}
