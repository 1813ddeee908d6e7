import type { ParseProblem } from "./problem.ts";

type Report = (problem: ParseProblem) => void;

/**
 * HTML that cannot be written in XML 1.0: two hyphens in a comment. The Nu checker warns of it once per comment.
 *
 * @param start and `end` of the comment in the source
 */
export function checkHyphens(source: string, start: number, end: number, report: Report): void {
  if (!source.startsWith("<!--", start)) return;
  const hyphens = source.indexOf("--", start + 4);
  // Those that end the comment, "-->" and "--!>", are not in it.
  if (hyphens < 0 || hyphens + 3 >= end || source[hyphens + 2] === "!") return;
  report({ code: "hyphens-in-comment", start, end: hyphens + 3 });
}

/** Form feeds are white space in HTML, but not characters of XML 1.0. */
export function checkFormFeeds(source: string, report: Report): void {
  for (let at = source.indexOf("\f"); at >= 0; at = source.indexOf("\f", at + 1))
    report({ code: "form-feed", start: at, end: at + 1 });
}

const CONTROLS = /[\u007f-\u009f]|&#(?:x0{0,20}(?:7f|[89][0-9a-f])|0{0,20}(?:12[7-9]|1[34][0-9]|15[0-9]));/gi;

/**
 * Control characters that XML allows but discourages; HTML does not allow them.
 *
 * @see XML 1.0, 2.2 Characters
 */
export function checkControls(source: string, report: Report): void {
  for (const { 0: found, index: start } of source.matchAll(CONTROLS))
    report({ code: "discouraged-control-character", start, end: start + found.length, found: describe(found) });
}

function describe(found: string): string {
  const digits = found.slice(2, -1);
  const isHex = /^x/i.test(digits);
  const code =
    found.length === 1 ? found.charCodeAt(0) : Number.parseInt(isHex ? digits.slice(1) : digits, isHex ? 16 : 10);
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
