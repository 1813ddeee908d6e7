import { colorProblem } from "../../datatypes/css/color.ts";
import { htmlSection } from "../../finding.ts";
import { type DocumentRule, type ElementRule, formatValue, has, is, type OpenElement, value } from "../open-element.ts";
import { elementSection } from "../sections.ts";

const PRAGMAS = htmlSection("semantics.html#pragma-directives");

/** Rules for a single `<meta>`. */
export const checkMeta: ElementRule = (open, report) => {
  const wrong = (attribute: string, message: string, section = elementSection("meta")) =>
    report(open, { rule: `meta/${attribute}`, message, section, attribute });
  if (is(open, "http-equiv", "content-language"))
    wrong("http-equiv", 'The pragma "content-language" is obsolete; use the attribute "lang" on <html>.', PRAGMAS);
  if (is(open, "http-equiv", "x-ua-compatible") && !is(open, "content", "ie=edge"))
    wrong("http-equiv", 'The pragma "X-UA-Compatible" needs content="IE=edge".', PRAGMAS);
  const charset = value(open, "charset");
  if (charset !== undefined && charset.toLowerCase() !== "utf-8")
    wrong(
      "charset",
      `The value "${formatValue(charset)}" of the attribute "charset" of <meta> is not allowed; only "utf-8" is.`,
    );
  if (has(open, "media") && !is(open, "name", "theme-color"))
    wrong("media", 'The attribute "media" of <meta> needs name="theme-color".');
  const color = is(open, "name", "theme-color") ? value(open, "content") : undefined;
  const problem = color === undefined ? undefined : colorProblem(color);
  if (problem)
    wrong("content", `The value "${formatValue(color ?? "")}" of the attribute "content" is not a color: ${problem}.`);
  const content = value(open, "content")?.toLowerCase() ?? "";
  if (value(open, "name") === "viewport" && /user-scalable=no|maximum-scale=1\.0/.test(content))
    report(open, {
      severity: "warning",
      rule: "meta/viewport",
      message: "This viewport keeps people from enlarging the page.",
      section: "https://www.w3.org/TR/WCAG22/#resize-text",
      attribute: "content",
    });
};

/** Declarations that a document may have only once. */
export const watchMeta: DocumentRule = (report) => {
  let encoding: "charset" | "content-type" | undefined;
  let hasDescription = false;
  let hasLinkOrScript = false;
  const wrong = (open: OpenElement, rule: string, message: string) =>
    report(open, { rule, message, section: elementSection(open.name) });
  return {
    names: ["link", "script", "base", "meta"],
    open(open) {
      const { name } = open;
      if (name === "link" || name === "script") hasLinkOrScript = true;
      else if (name === "base" && has(open, "href") && hasLinkOrScript)
        wrong(
          open,
          "base-after-link",
          "<base> comes after a <link> or <script>, whose URLs it should decide; it must be first.",
        );
      else if (name === "meta") {
        checkEncoding(open);
        checkDescription(open);
      }
    },
  };

  function checkEncoding(open: OpenElement): void {
    const own = has(open, "charset") ? "charset" : is(open, "http-equiv", "content-type") ? "content-type" : undefined;
    if (!own) return;
    if (encoding === own)
      wrong(open, "meta/encoding-not-unique", `This is a second <meta> that gives the encoding by "${own}".`);
    else if (encoding)
      wrong(open, "meta/encoding-not-unique", `Another <meta> gives the encoding already, by "${encoding}".`);
    encoding = own;
  }

  function checkDescription(open: OpenElement): void {
    if (!is(open, "name", "description")) return;
    if (hasDescription) wrong(open, "meta/description-not-unique", 'This is a second <meta> with name="description".');
    hasDescription = true;
  }
};
