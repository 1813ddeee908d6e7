import { type ElementRule, formatValue, has, is, type OpenElement, quoted, tokens, value } from "../open-element.ts";
import { elementSection } from "../sections.ts";
import { within } from "../within.ts";

/** Attributes that need one of these in `rel`. */
const NEEDS_REL: readonly (readonly [string, readonly string[]])[] = [
  ["as", ["preload", "modulepreload"]],
  ["integrity", ["stylesheet", "preload", "modulepreload"]],
  ["disabled", ["stylesheet"]],
  ["blocking", ["stylesheet", "expect"]],
  ["sizes", ["icon", "apple-touch-icon", "apple-touch-icon-precomposed"]],
  ["color", ["mask-icon"]],
  ["scope", ["serviceworker"]],
  ["updateviacache", ["serviceworker"]],
  ["workertype", ["serviceworker"]],
];
const PRELOAD = ["fetch", "font", "image", "script", "style", "track"];
const MODULE_PRELOAD = "audioworklet json paintworklet script serviceworker sharedworker style worker".split(" ");
/** Links that fetch something. */
const EXTERNAL =
  "dns-prefetch icon manifest modulepreload pingback preconnect prefetch preload prerender stylesheet".split(" ");
const BODY_OK = "dns-prefetch modulepreload pingback preconnect prefetch preload prerender stylesheet".split(" ");

/** Which attributes of `<link>` go together, and where it may be. */
export const checkLink: ElementRule = (open, report) => {
  const rel = tokens(value(open, "rel")?.toLowerCase() ?? "");
  const includes = (names: readonly string[]) => names.some((name) => rel.includes(name));
  const wrong = (rule: string, message: string, attribute?: string) =>
    report(open, { rule: `link/${rule}`, message, section: elementSection("link"), ...(attribute && { attribute }) });
  if (!has(open, "href") && !has(open, "imagesrcset") && !has(open, "resource"))
    wrong("href", '<link> has neither the attribute "href" nor "imagesrcset"; it needs one of them.');
  for (const [attribute, needed] of NEEDS_REL)
    if (has(open, attribute) && !includes(needed))
      wrong(
        attribute,
        `The attribute "${attribute}" of <link> needs ${quoted(needed)} in the attribute "rel".`,
        attribute,
      );
  checkPreload(open, rel, wrong);
  if (rel.includes("alternate") && rel.includes("stylesheet") && !value(open, "title"))
    wrong("title", 'A <link> to an alternate style sheet needs the attribute "title" with a value.');
  if (open.within & within("body") && !includes(BODY_OK) && !has(open, "itemprop") && !has(open, "property"))
    wrong(
      "in-body",
      `A <link> in <body> needs the attribute "itemprop" or "property", or ${quoted(BODY_OK)} in the attribute "rel".`,
    );
  if (has(open, "fetchpriority") && !includes(EXTERNAL))
    report(open, {
      severity: "warning",
      rule: "link/fetchpriority",
      message: `The attribute "fetchpriority" of <link> has no effect without ${quoted(EXTERNAL)} in the attribute "rel".`,
      section: elementSection("link"),
      attribute: "fetchpriority",
    });
};

function checkPreload(
  open: OpenElement,
  rel: readonly string[],
  wrong: (rule: string, message: string, attribute?: string) => void,
): void {
  const as = value(open, "as");
  if (rel.includes("preload") && as === undefined) wrong("as", 'A <link> with rel="preload" needs the attribute "as".');
  const destination = as?.toLowerCase() ?? "";
  if (as !== undefined && rel.includes("preload") && !PRELOAD.includes(destination))
    wrong(
      "as",
      `The value "${formatValue(as)}" of the attribute "as" is not allowed with rel="preload"; allowed are ${quoted(PRELOAD)}.`,
      "as",
    );
  if (as !== undefined && rel.includes("modulepreload") && !MODULE_PRELOAD.includes(destination))
    wrong(
      "as",
      `The value "${formatValue(as)}" of the attribute "as" is not allowed with rel="modulepreload"; allowed are ${quoted(MODULE_PRELOAD)}.`,
      "as",
    );
  for (const attribute of ["imagesrcset", "imagesizes"]) {
    if (!has(open, attribute)) continue;
    if (rel.length > 0 && !rel.includes("preload"))
      wrong(attribute, `The attribute "${attribute}" of <link> needs "preload" in the attribute "rel".`, attribute);
    if (!is(open, "as", "image"))
      wrong(
        attribute,
        `The attribute "${attribute}" of <link> needs the attribute "as" with the value "image".`,
        attribute,
      );
  }
}
