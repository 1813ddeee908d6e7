import { colorProblem } from "../datatypes/color.ts";
import { htmlSection } from "../finding.ts";
import { type ElementRule, has, is, type Open, shown, value, type Watcher } from "./open.ts";
import { elementSection } from "./sections.ts";

const PRAGMAS = htmlSection("semantics.html#pragma-directives");

/** What a `<meta>` says by itself. */
export const checkMeta: ElementRule = (open, tell) => {
  const wrong = (attribute: string, message: string, section = elementSection("meta")) =>
    tell(open, { rule: `meta/${attribute}`, message, section, attribute });
  if (is(open, "http-equiv", "content-language"))
    wrong("http-equiv", 'The pragma "content-language" is obsolete; use the attribute "lang" on <html>.', PRAGMAS);
  if (is(open, "http-equiv", "x-ua-compatible") && !is(open, "content", "ie=edge"))
    wrong("http-equiv", 'The pragma "X-UA-Compatible" needs content="IE=edge".', PRAGMAS);
  const charset = value(open, "charset");
  if (charset !== undefined && charset.toLowerCase() !== "utf-8")
    wrong(
      "charset",
      `The value "${shown(charset)}" of the attribute "charset" of <meta> is not allowed; only "utf-8" is.`,
    );
  if (has(open, "media") && !is(open, "name", "theme-color"))
    wrong("media", 'The attribute "media" of <meta> needs name="theme-color".');
  const color = is(open, "name", "theme-color") ? value(open, "content") : undefined;
  const problem = color === undefined ? undefined : colorProblem(color);
  if (problem)
    wrong("content", `The value "${shown(color ?? "")}" of the attribute "content" is not a color: ${problem}.`);
  const content = value(open, "content")?.toLowerCase() ?? "";
  if (value(open, "name") === "viewport" && /user-scalable=no|maximum-scale=1\.0/.test(content))
    tell(open, {
      severity: "warning",
      rule: "meta/viewport",
      message: "This viewport keeps people from enlarging the page.",
      section: "https://www.w3.org/TR/WCAG22/#resize-text",
      attribute: "content",
    });
};

/** What a document may say once. */
export const watchMeta: Watcher = (tell) => {
  let encoding: "charset" | "content-type" | undefined;
  let hasDescription = false;
  let hasLinkOrScript = false;
  const wrong = (open: Open, rule: string, message: string) =>
    tell(open, { rule, message, section: elementSection(open.name) });
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

  function checkEncoding(open: Open): void {
    const own = has(open, "charset") ? "charset" : is(open, "http-equiv", "content-type") ? "content-type" : undefined;
    if (!own) return;
    if (encoding === own)
      wrong(open, "meta/encoding-not-unique", `This is a second <meta> that gives the encoding by "${own}".`);
    else if (encoding)
      wrong(open, "meta/encoding-not-unique", `Another <meta> gives the encoding already, by "${encoding}".`);
    encoding = own;
  }

  function checkDescription(open: Open): void {
    if (!is(open, "name", "description")) return;
    if (hasDescription) wrong(open, "meta/description-not-unique", 'This is a second <meta> with name="description".');
    hasDescription = true;
  }
};
