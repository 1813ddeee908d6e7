import { MAX_READ } from "../sign-in/page-signs.ts";
import { simple } from "../sign-in/sign-in-page.ts";
import { changeMessages, changeParameters } from "./words.ts";

/** What nobody reads as a message of the page: a form's texts, and what scripts may show. */
const UNREAD = /<!--[\s\S]*?(?:-->|$)|<(script|style|template|textarea|option)\b[\s\S]*?(?:<\/\1|$)/gi;

/** What a page shows on the way back from a visit that has changed something. */
export type ShownChange = "a message" | "an entry less";

/**
 * Whether a list has lost the entry that a visit was about: neither what was asked for nor another link of the same object is
 * on it any more. Most of the other links are: a list that shows something else each time says nothing.
 *
 * @param asked the address that was visited, which was among the links
 */
export function hasLostEntry(asked: string, before: readonly string[], after: readonly string[]): boolean {
  const left = new Set(after);
  if (!before.includes(asked) || left.has(asked)) return false;
  const objects = objectsOf(asked);
  const same = before.filter((link) => objectsOf(link).some((one) => objects.includes(one)));
  const others = before.filter((link) => !same.includes(link));
  // Visits at the same time may have taken more from it.
  const stay = others.filter((link) => left.has(link)).length;
  return objects.length > 0 && same.every((link) => !left.has(link)) && 2 * stay >= others.length;
}

/** The parts of an address that name an object: numbers, and long ones with digits in them. */
function objectsOf(address: string): string[] {
  const url = URL.parse(address, "http://any/");
  const parts = url ? [...url.pathname.split("/"), ...url.searchParams.values()] : [];
  return parts.filter((part) => /^\d+$|^(?=.*\d).{6,}$/.test(part));
}

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
