import type { Attributes } from "../../api/documents.ts";
import type { Client } from "../client.ts";

/** A page that could not be checked. */
export type FailedPage = {
  url: string;
  /** The page that links to it; null for where the crawl began. */
  linkedFrom: string | null;
  reasons: string[];
  /** The codes of the reasons. */
  codes: string[];
};

type CheckEnd = Pick<NonNullable<Attributes<"web_page">["html_check"]>, "status" | "failure"> | null;
/** What is read of a page. */
export type CheckedPage = {
  attributes: Pick<Attributes<"web_page">, "url" | "linked_from"> & { html_check: CheckEnd; a11y_check: CheckEnd };
};

/** The pages that could not be checked, with the reasons. */
export async function failedPages(
  client: Client,
  id: string,
  report: Pick<Attributes<"report">, "checks">,
): Promise<FailedPage[]> {
  if (Object.values(report.checks).every((check) => (check?.status.failed ?? 0) === 0)) return [];
  return failedAmong(await client.all<"web_page">(`/reports/${id}/web_pages?filter[status]=failed`));
}

export function failedAmong(pages: readonly CheckedPage[]): FailedPage[] {
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
