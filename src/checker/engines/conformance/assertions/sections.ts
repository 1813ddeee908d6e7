import { htmlSection } from "../finding.ts";

const ELEMENTS: Record<string, string> = {
  ...Object.fromEntries(
    "a abbr b bdi bdo cite code data dfn em i kbd mark q rb rp rt rtc ruby s samp small span strong sub sup time u var"
      .split(" ")
      .map((name) => [name, "text-level-semantics"]),
  ),
  ...Object.fromEntries(
    "article aside nav section h1 h2 h3 h4 h5 h6 hgroup header footer address body search"
      .split(" ")
      .map((name) => [name, "sections"]),
  ),
  ...Object.fromEntries(
    "p hr pre blockquote ol ul menu li dl dt dd figure figcaption main div"
      .split(" ")
      .map((name) => [name, "grouping-content"]),
  ),
  ...Object.fromEntries("html".split(" ").map((name) => [name, "semantics"])),
  ...Object.fromEntries("head title base link meta style".split(" ").map((name) => [name, "semantics"])),
  ...Object.fromEntries("img source picture".split(" ").map((name) => [name, "embedded-content"])),
  ...Object.fromEntries("iframe embed object param".split(" ").map((name) => [name, "iframe-embed-object"])),
  ...Object.fromEntries("audio video track".split(" ").map((name) => [name, "media"])),
  ...Object.fromEntries("map area".split(" ").map((name) => [name, "image-maps"])),
  ...Object.fromEntries(
    "table caption colgroup col tbody thead tfoot tr td th".split(" ").map((name) => [name, "tables"]),
  ),
  ...Object.fromEntries("form label".split(" ").map((name) => [name, "forms"])),
  input: "input",
  ...Object.fromEntries(
    "button select datalist optgroup option textarea output progress meter fieldset legend selectedcontent"
      .split(" ")
      .map((name) => [name, "form-elements"]),
  ),
  ...Object.fromEntries("details summary dialog".split(" ").map((name) => [name, "interactive-elements"])),
  ...Object.fromEntries("script noscript template slot".split(" ").map((name) => [name, "scripting"])),
  canvas: "canvas",
  ...Object.fromEntries("ins del".split(" ").map((name) => [name, "edits"])),
};

/** Where the standard describes an element. */
export function elementSection(name: string): string {
  const page = ELEMENTS[name];
  if (!page) return OBSOLETE;
  const fragment = /^h[1-6]$/.test(name) ? "the-h1,-h2,-h3,-h4,-h5,-and-h6-elements" : `the-${name}-element`;
  return htmlSection(`${page}.html#${fragment}`);
}

export const OBSOLETE = htmlSection("obsolete.html#non-conforming-features");
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
