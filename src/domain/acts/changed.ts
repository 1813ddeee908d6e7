import { MAX_READ } from "../site/page-signs.ts";
import { simple } from "../site/sign-in.ts";
import { changeMessages, changeParameters } from "./words.ts";

/** What nobody reads as a message of the page: a form's texts, and what scripts may show. */
const UNREAD = /<!--[\s\S]*?(?:-->|$)|<(script|style|template|textarea|option)\b[\s\S]*?(?:<\/\1|$)/gi;

/** Whether an address that a redirect led to says that something has changed: `?trashed=1` */
export function namesChanged(url: string): boolean {
  const names = [...(URL.parse(url)?.searchParams.keys() ?? [])].slice(0, 20).map(simple);
  return names.some((name) => changeParameters.has(name));
}

/**
 * How often the text of a page says that something has changed, with links that undo it. A message is shown once: what is still
 * there when the page is read again is its content.
 */
export function countChanges(html: string): number {
  const text = html
    .slice(0, MAX_READ)
    .replace(UNREAD, "")
    .replace(/<[^<>]*>/g, "<>");
  return [...text.matchAll(changeMessages)].length;
}
