import type { Attributes } from "../../api/documents.ts";
import { checkKinds, type Noun, nounOf } from "../../checks/kinds.ts";
import type { Client } from "../client.ts";

/** A page that could not be checked. */
export type FailedPage = {
  url: string;
  /** The first pages that link to it; none for where the crawl began. */
  linkedFrom: readonly string[];
  /** How many there are. */
  numLinkedFrom: number;
  reasons: string[];
  /** The codes of the reasons. */
  codes: string[];
};

type CheckName = `${Noun}_check`;
type CheckEnd = Pick<NonNullable<Attributes<"web_page">[CheckName]>, "status" | "failure"> | null;
/** What is read of a page. */
export type CheckedPage = {
  attributes: Pick<Attributes<"web_page">, "url" | "linked_from" | "num_linked_from" | "linked_from_pages"> &
    Record<CheckName, CheckEnd>;
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
  return pages.flatMap(({ attributes: { url, linked_from, num_linked_from, linked_from_pages, ...page } }) => {
    const failures = checkKinds.flatMap((kind) => {
      const check = page[`${nounOf(kind)}_check`];
      return check?.status === "failed" ? [check.failure ?? { code: "unknown", detail: "Unknown reason." }] : [];
    });
    if (failures.length === 0) return [];
    // All checks of a page that could not be fetched fail for the same reason.
    const reasons = [...new Set(failures.map(({ code, detail }) => `${detail} (${code})`))];
    // A page that could be fetched and not checked is no broken link: only the page by which it was found is known.
    const linkedFrom = linked_from_pages ?? (linked_from === null ? [] : [linked_from]);
    const numLinkedFrom = num_linked_from ?? linkedFrom.length;
    return [{ url, linkedFrom, numLinkedFrom, reasons, codes: [...new Set(failures.map(({ code }) => code))] }];
  });
}
