import { policyDirectives } from "../../datatypes/content-security-policy.ts";
import { colorProblem } from "../../datatypes/css/color.ts";
import { htmlSection } from "../../finding.ts";
import {
  type DocumentRule,
  type ElementRule,
  formatValue,
  has,
  is,
  type OpenElement,
  quoted,
  tokens,
  value,
} from "../open-element.ts";
import { elementSection } from "../sections.ts";

const PRAGMAS = htmlSection("semantics.html#pragma-directives");
/** Pragmas of which a document has one each; the encoding and the obsolete ones have rules of their own. */
const SINGLE_PRAGMAS = new Set(["default-style", "refresh", "x-ua-compatible", "content-security-policy"]);
const NOT_IN_META = new Set(["report-uri", "frame-ancestors", "sandbox"]);
/** @see https://www.w3.org/TR/referrer-policy/#referrer-policies */
export const REFERRER_POLICIES: readonly string[] = (
  "no-referrer no-referrer-when-downgrade same-origin origin strict-origin origin-when-cross-origin " +
  "strict-origin-when-cross-origin unsafe-url"
).split(" ");

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
  checkNamedContent(open, wrong);
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

type Wrong = (attribute: string, message: string, section?: string) => void;

/** Values of `content` that a name or a pragma asks for, and no grammar knows. */
function checkNamedContent(open: OpenElement, wrong: Wrong): void {
  const scheme = is(open, "name", "color-scheme") ? value(open, "content") : undefined;
  if (scheme !== undefined && !isColorScheme(scheme))
    wrong(
      "content",
      `The value "${formatValue(scheme)}" of the attribute "content" is not a color scheme: it must be "normal", or names such as "light dark" with spaces between them.`,
      htmlSection("semantics.html#meta-color-scheme"),
    );
  const policy = is(open, "name", "referrer") ? value(open, "content") : undefined;
  if (policy && !REFERRER_POLICIES.includes(policy.toLowerCase()))
    wrong(
      "content",
      `The value "${formatValue(policy)}" of the attribute "content" is not a referrer policy; allowed are ${quoted(REFERRER_POLICIES)}.`,
      htmlSection("semantics.html#meta-referrer"),
    );
  if (is(open, "http-equiv", "content-security-policy"))
    for (const name of directivesNotInMeta(value(open, "content") ?? ""))
      wrong(
        "content",
        `The directive "${name}" of a Content Security Policy has no effect in <meta>, and is not allowed there; the header may have it.`,
        htmlSection("semantics.html#attr-meta-http-equiv-content-security-policy"),
      );
}

/** @see https://drafts.csswg.org/css-color-adjust/#color-scheme-prop */
function isColorScheme(text: string): boolean {
  const names = tokens(text.toLowerCase());
  if (names.length === 1 && names[0] === "normal") return true;
  const only = names.indexOf("only");
  if (only > 0 && only < names.length - 1) return false;
  const schemes = names.filter((_, index) => index !== only);
  return schemes.length > 0 && schemes.every((name) => /^-?[a-z_][a-z0-9_-]*$|^--/.test(name) && !RESERVED.has(name));
}

const RESERVED = new Set("normal only inherit initial unset revert revert-layer default".split(" "));

function directivesNotInMeta(policy: string): string[] {
  return policyDirectives(policy.replaceAll(",", ";"))
    .map(({ name }) => name)
    .filter((name) => NOT_IN_META.has(name));
}

/** Declarations that a document may have only once. */
export const watchMeta: DocumentRule = (report) => {
  let encoding: "charset" | "content-type" | undefined;
  let hasLinkOrScript = false;
  const seen = new Set<string>();
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
        checkOnce(open);
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

  /** The names and pragmas of which there is one, or one for each language or medium. */
  function checkOnce(open: OpenElement): void {
    const name = value(open, "name")?.toLowerCase();
    const pragma = value(open, "http-equiv")?.toLowerCase();
    if (name === "description") once(open, "meta/description-not-unique", 'name="description"', "");
    else if (name === "color-scheme") once(open, "meta/name-not-unique", 'name="color-scheme"', "");
    else if (name === "application-name")
      once(open, "meta/name-not-unique", 'name="application-name" for its language', languageOf(open));
    else if (name === "theme-color") {
      const media = value(open, "media");
      const which = media === undefined ? "" : ` for the media "${formatValue(media)}"`;
      once(open, "meta/name-not-unique", `name="theme-color"${which}`, media?.trim().toLowerCase() ?? "");
    } else if (pragma && SINGLE_PRAGMAS.has(pragma)) once(open, "meta/pragma-not-unique", `http-equiv="${pragma}"`, "");
  }

  function once(open: OpenElement, rule: string, what: string, key: string): void {
    const whole = `${what} ${key}`;
    if (seen.has(whole)) wrong(open, rule, `This is a second <meta> with ${what}.`);
    seen.add(whole);
  }
};

function languageOf(open: OpenElement): string {
  for (let around: OpenElement | undefined = open; around; around = around.parent) {
    const language = value(around, "lang");
    if (language !== undefined) return language.toLowerCase();
  }
  return "";
}
