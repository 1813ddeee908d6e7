import type { Client } from "../client.ts";
import type { Report, WebPage } from "../documents.ts";

/** A page that could not be checked. */
export type FailedPage = {
  url: string;
  /** The page that links to it; null for where the crawl began. */
  linkedFrom: string | null;
  reasons: string[];
  /** The codes of the reasons. */
  codes: string[];
};

/** The pages that could not be checked, with the reasons. */
export async function failedPages(client: Client, id: string, report: Report): Promise<FailedPage[]> {
  const { html, a11y } = report.checks;
  if ((html?.status.failed ?? 0) + (a11y?.status.failed ?? 0) === 0) return [];
  return failedAmong(await client.all<WebPage>(`/reports/${id}/web_pages?filter[status]=failed`));
}

export function failedAmong(pages: readonly WebPage[]): FailedPage[] {
  return pages.flatMap(({ attributes: { url, linked_from: linkedFrom, html_check, a11y_check } }) => {
    const failures = [html_check, a11y_check].flatMap((check) =>
      check?.status === "failed" ? [check.failure ?? { code: "unknown", detail: "Unknown reason." }] : [],
    );
    if (failures.length === 0) return [];
    // Both checks of a page that could not be fetched fail for the same reason.
    const reasons = [...new Set(failures.map(({ code, detail }) => `${detail} (${code})`))];
    return [{ url, linkedFrom, reasons, codes: [...new Set(failures.map(({ code }) => code))] }];
  });
}
