import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";

const PAGES_SHOWN = 3;

/**
 * The first pages that link to an address, and how many others do; null for where a crawl began.
 *
 * @param link how a page's address is shown
 */
export function linkedFrom(
  page: Pick<Attributes<"web_page">, "linked_from" | "num_linked_from" | "linked_from_pages">,
  link: (url: string) => Html,
): Html {
  const pages = page.linked_from_pages ?? (page.linked_from === null ? [] : [page.linked_from]);
  if (pages.length === 0) return null;
  const shown = pages.slice(0, PAGES_SHOWN);
  const others = (page.num_linked_from ?? pages.length) - shown.length;
  return html`${shown.map((url, index) => html`${index > 0 && ", "}${link(url)}`)}${others > 0 && ` ${texts.failed.morePages(others)}`}`;
}
