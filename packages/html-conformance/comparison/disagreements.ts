import type { Lone } from "./compare.ts";

/** A kind of disagreement that is understood. */
export type Explanation = {
  side: Lone["side"];
  /** Part of Nu's message, or of ours with the rule before it. */
  match: RegExp;
  /** What the source around the finding must have besides. */
  source?: RegExp;
  /** Who follows the standard; "open" where the standard does not say, or what we do not do yet. */
  right: "ours" | "nu" | "open";
  why: string;
  /** Where the standard says so. */
  section?: string;
};

const html = (fragment: string): string => `https://html.spec.whatwg.org/multipage/${fragment}`;
const url = (fragment: string): string => `https://url.spec.whatwg.org/#${fragment}`;
const RFC_5646 = "https://www.rfc-editor.org/rfc/rfc5646#section-2.2.9";

/** What Nu does not report. */
const ours: readonly Omit<Explanation, "side">[] = [
  {
    match: /^bad-value\/autocomplete: .*<input type=/,
    right: "ours",
    why: "Nu judges autofill fields of some types of <input> only.",
    section: html("form-control-infrastructure.html#autofill"),
  },
  {
    match: /^(?:missing-attribute\/multiple|bad-value\/value): /,
    source: /email/i,
    right: "ours",
    why: "Nu does not judge the value of <input type=email>.",
    section: html("input.html#email-state-(type=email)"),
  },
  {
    match: /^bad-value\/[^:]*: .*is greater than 255 in the IPv4 address/,
    right: "ours",
    why: "A part of an IPv4 address above 255 is a validation error.",
    section: url("ipv4-out-of-range-part"),
  },
  {
    match:
      /^bad-value\/(?:src|href|data|[^:]*): .*(?:is not allowed in the port|has no comma in front of its data|a space is not allowed in the path)/,
    right: "ours",
    why: "Nu lets some URLs pass that are not valid URL strings.",
    section: url("url-writing"),
  },
  {
    match: /^bad-value\/lang: .*(?:is not a variant subtag|nothing follows)/,
    right: "ours",
    why: "All subtags of a valid language tag are registered, and extensions and private use are not empty.",
    section: RFC_5646,
  },
  {
    match: /^bad-(?:value|text)\/[^:]*: .*the unit .* occurs twice/,
    right: "ours",
    why: "A duration has each unit once.",
    section: html("common-microsyntaxes.html#durations"),
  },
  {
    match: /^bad-value\/[^:]*: .*a fraction of a second has one to three digits/,
    right: "ours",
    why: "Nu counts the digits of dates with years of four digits only.",
    section: html("common-microsyntaxes.html#times"),
  },
  {
    match: /^parse\/incorrectly-closed-comment: /,
    right: "ours",
    why: "Nu has no error for --!>.",
    section: html("parsing.html#parse-error-incorrectly-closed-comment"),
  },
  {
    match: /^parse\/unknown-named-character-reference: /,
    right: "ours",
    why: "Nu has no error for unknown references with a semicolon.",
    section: html("parsing.html#parse-error-unknown-named-character-reference"),
  },
  {
    match: /^nesting\/[^:]*: .*<(?:aside|hgroup)/,
    right: "ours",
    why: "Nu forgets <aside> and <hgroup> among sectioning and heading content.",
    section: html("sections.html#the-address-element"),
  },
  {
    match: /^nesting\/interactive: .*with the attribute "tabindex"/,
    right: "ours",
    why: "Nu has no look at tabindex where it has other rules for the element.",
    section: html("text-level-semantics.html#the-a-element"),
  },
  {
    match: /^bad-(?:value|text)\/[^:]*: .*(?:the week|the hour|it has no digits)/,
    right: "ours",
    why: "Nu lets some numbers pass that are none, and dates that are not in the calendar.",
    section: html("common-microsyntaxes.html"),
  },
  {
    match: /^parse\/wrong-namespace: /,
    right: "ours",
    why: "Nu has no look at xmlns of a <body> that it has already opened.",
    section: html("parsing.html#create-an-element-for-the-token"),
  },
  {
    match: /^bad-value\/content: .*is not a source that is allowed/,
    right: "ours",
    why: "The source is not a host source.",
    section: "https://www.w3.org/TR/CSP3/#grammardef-host-source",
  },
  {
    match: /^element-not-allowed: .*<(?:mprescripts|annotation-xml)>/,
    right: "open",
    why: "After an error in the same parent Nu is more lenient.",
  },
];

/** What we do not report. */
const nu: readonly Omit<Explanation, "side">[] = [
  {
    match: /^Bad value .*Illegal character in .* “\ufffd” is not allowed/,
    right: "ours",
    why: "U+FFFD is a URL code point.",
    section: url("url-code-points"),
  },
  {
    match:
      /^Bad value “(?:feed|blob|view-source|[a-z+.-]+):.*(?:Expected a slash|Illegal character after|not an absolute URL)/s,
    right: "ours",
    why: "Nu judges schemes that are not special as if they were.",
    section: url("special-scheme"),
  },
  {
    match: /^Bad value “data:.*: null$/is,
    right: "ours",
    why: "Nu fails on base64 without padding, which is allowed.",
    section: "https://fetch.spec.whatwg.org/#data-url-processor",
  },
  {
    match: /^Bad value “DATA:.*Expected a double quote/s,
    right: "ours",
    why: "The scheme and base64 are compared without regard to case.",
    section: "https://fetch.spec.whatwg.org/#data-url-processor",
  },
  {
    match: /^Bad value .*: Variant “[^”]*” lacks recommended prefix/s,
    right: "ours",
    why: "A variant should follow its prefix; a tag in which it does not is valid. We warn.",
    section: RFC_5646,
  },
  {
    match: /^Bad value “--[^”]*” for attribute “datetime”/,
    right: "ours",
    why: "A yearless date may begin with two hyphens.",
    section: html("common-microsyntaxes.html#yearless-dates"),
  },
  {
    match: /^Bad value “\s*” for attribute “accept” .*the literal ended/,
    right: "ours",
    why: "A set of comma-separated tokens may be empty.",
    section: html("common-microsyntaxes.html#comma-separated-tokens"),
  },
  {
    match: /^Bad value “.*” for attribute “role”/,
    right: "ours",
    why: "Roles of ARIA 1.3, which Nu knows only where they stand alone.",
    section: "https://w3c.github.io/aria/#role_definitions",
  },
  {
    match: /^Saw “<\?”/,
    right: "ours",
    why: "HTML has processing instructions, but for the targets xml and xml-stylesheet.",
    section: html("syntax.html#syntax"),
  },
  {
    match: /^CSS: (?:“[^”]*”: Property “[^”]*” doesn't exist\.$|Unrecognized at-rule)/,
    right: "ours",
    why: "Nu's tables of CSS are older than its specifications.",
    section: "https://www.w3.org/TR/css/",
  },
  {
    match: /^Attribute “data-[^”]*” not allowed on SVG element/,
    right: "ours",
    why: "Elements of SVG may have data attributes.",
    section: "https://svgwg.org/svg2-draft/struct.html#DataAttributes",
  },
  {
    match: /not allowed (?:as child of|in) (?:XHTML )?element “template”/,
    right: "ours",
    why: "What is in a template is no child of it; Nu looks at it only after an error in the attributes.",
    section: html("scripting.html#the-template-element"),
  },
  {
    match: /^Element “head” is missing a required instance of child element “title”/,
    right: "ours",
    why: "A <title> after </head> goes into the head; its place is the error, which both report.",
    section: html("parsing.html#the-after-head-insertion-mode"),
  },
  {
    match: /^Text not allowed/,
    source: /\f/,
    right: "ours",
    why: "A form feed is inter-element white space; XML, whose rules Nu's grammar has, does not know it.",
    section: html("dom.html#inter-element-whitespace"),
  },
  {
    match: /^Bad value “\s.*: Missing scheme/s,
    right: "ours",
    why: "A URL may be surrounded by spaces.",
    section: html("urls-and-fetching.html#valid-url-potentially-surrounded-by-spaces"),
  },
  {
    match: /^Bad value “[^”]*url=” for attribute “content”.*the literal ended/i,
    right: "ours",
    why: "A valid URL string may be empty.",
    section: html("semantics.html#attr-meta-http-equiv-refresh"),
  },
  {
    match: /Private use subtag “[^”]*” is too short/,
    right: "ours",
    why: "A subtag for private use has one to eight characters.",
    section: "https://www.rfc-editor.org/rfc/rfc5646#section-2.1",
  },
  {
    match: /^Source text is not in Unicode Normalization Form C/,
    right: "ours",
    why: "XML should be in Normalization Form C, and need not be. We warn.",
    section: "https://www.w3.org/TR/xml/#sec-suggested-names",
  },
  {
    match: /The autofill field name .* is not allowed in this context/,
    right: "ours",
    why: "A <select> may have each autofill field.",
    section: html("form-control-infrastructure.html#inappropriate-for-the-control"),
  },
  {
    match: /^Bad value “[^”]*” for attribute “accept”/,
    right: "ours",
    why: "What follows the dot of a file name extension is free.",
    section: html("input.html#attr-input-accept"),
  },
  {
    match: /: Semicolon seen but there was no parameter following it/,
    right: "ours",
    why: "A parameter may be empty.",
    section: "https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6",
  },
  { match: /^CSS: /, right: "open", why: "Nu's parser of CSS has rules of its own." },
];

/** Who is right, by what is in the messages: the first that fits counts. */
export const explanations: readonly Explanation[] = [
  ...ours.map((explanation) => ({ side: "ours" as const, ...explanation })),
  ...nu.map((explanation) => ({ side: "nu" as const, ...explanation })),
];

export function explain(lone: Lone): Explanation | undefined {
  const text = lone.side === "ours" ? `${lone.rule}: ${lone.message}` : lone.message;
  return explanations.find(
    ({ side, match, source }) => side === lone.side && match.test(text) && (source?.test(lone.extract) ?? true),
  );
}
