import { MAX_READ } from "../site/page-signs.ts";
import { simple } from "../site/sign-in.ts";
import { changeMessages, changeParameters } from "./words.ts";

/**
 * Whether the page to which a redirect led says that something has changed: by a parameter (`?trashed=1`), by its text, or
 * by a link that undoes it.
 */
export function saysChange(url: string, html: string): boolean {
  const names = [...(URL.parse(url)?.searchParams.keys() ?? [])].slice(0, 20).map(simple);
  if (names.some((name) => changeParameters.has(name))) return true;
  return changeMessages.test(html.slice(0, MAX_READ).replace(/<(?:script|style)\b[\s\S]*?<\/(?:script|style)/gi, ""));
}
