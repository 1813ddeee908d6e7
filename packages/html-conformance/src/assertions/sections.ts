import { htmlSection } from "../finding.ts";

export { elementSection, OBSOLETE } from "../sections.ts";

export const INTERACTIVE = htmlSection("dom.html#interactive-content");
const ARIA_IN_HTML = "https://www.w3.org/TR/html-aria/";

/** A part of ARIA in HTML. */
export function ariaInHtml(fragment = "docconformance"): string {
  return `${ARIA_IN_HTML}#${fragment}`;
}

/** A part of WAI-ARIA. */
export function aria(fragment: string): string {
  return `https://www.w3.org/TR/wai-aria-1.2/#${fragment}`;
}
