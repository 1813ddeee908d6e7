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
    match: /^aria-not-allowed\//,
    right: "ours",
    why: "Nu lets global attributes of ARIA pass on elements that must have none.",
    section: "https://www.w3.org/TR/html-aria/#docconformance",
  },
  {
    match: /^obsolete-attribute\//,
    right: "ours",
    why: "Nu only warns of obsolete attributes that say more than how something looks, which authors must not use.",
    section: html("obsolete.html#non-conforming-features"),
  },
  {
    match: /^obsolete-element: <(?:rb|rtc)>/,
    right: "ours",
    why: "Nu allows <rb> and <rtc>, which are obsolete.",
    section: html("obsolete.html#non-conforming-features"),
  },
  {
    match: /^body-style: /,
    right: "ours",
    why: "Nu allows a <style> in the body.",
    section: html("semantics.html#the-style-element"),
  },
  {
    match: /^(?:select\/selectedcontent|nesting\/(?:option|legend|canvas|ruby|audio|video)): /,
    right: "ours",
    why: "Nu does not look at what options, canvases, rubies and media elements must not contain.",
    section: html("form-elements.html#the-option-element"),
  },
  {
    match: /^element-not-allowed: <(?:option|legend|button)> /,
    right: "ours",
    why: "Nu allows options beside other content in <datalist>, and any order in <select> and <optgroup>.",
    section: html("form-elements.html#the-datalist-element"),
  },
  {
    match: /^bad-value\/(?:rel|allow|srcdoc|sandbox): /,
    right: "ours",
    why: "Nu does not judge link types, permissions, documents in attributes, and sandbox keywords that exclude each other.",
    section: html("links.html#linkTypes"),
  },
  {
    match:
      /^bad-value\/[^:]*: .* on <(?:svg|g|a|path|rect|circle|ellipse|line|poly|text|tspan|tref|use|image|symbol|marker|mask|pattern|filter|fe|stop|linear|radial|clipPath|defs|switch|desc|title|metadata|style|script|view|foreignObject|set|animate|mpath|font|glyph|alt|missing|[hv]kern|cursor|color-profile)/,
    right: "ours",
    why: "Nu takes any text as the value of most attributes of SVG.",
    section: "https://www.w3.org/TR/SVG2/attindex.html",
  },
  {
    match: /^(?:input|textarea|details|dialog|form|map|track|table|anchor-name|microdata)\b/,
    right: "ours",
    why: "Nu has no such rule between attributes and elements.",
    section: html("form-control-infrastructure.html"),
  },
  {
    match: /^meta\/(?:name|pragma)-not-unique: |^meta\/content: /,
    right: "ours",
    why: "Nu does not count names and pragmas, nor judge their values.",
    section: html("semantics.html#standard-metadata-names"),
  },
  {
    match: /^css\//,
    right: "ours",
    why: "Nu does not look at CSS in SVG, at calculations, or at the end of blocks.",
    section: "https://www.w3.org/TR/css/",
  },
  {
    match: /^parse\/(?:start-tag|text)-in-head: /,
    right: "ours",
    why: "Nu names what comes after it: the stray </head>, and the second <body>.",
    section: html("semantics.html#the-head-element"),
  },
  {
    match: /^parse\/late-encoding-declaration: /,
    right: "ours",
    why: "Nu allows a late declaration where the encoding is known otherwise.",
    section: html("semantics.html#charset1024"),
  },
  {
    match: /^dangling-reference\/popovertarget: /,
    right: "ours",
    why: "Nu does not follow popovertarget.",
    section: html("popover.html#attr-popovertarget"),
  },
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
    match: /^missing-attribute\/src: .*type="image"/,
    right: "ours",
    why: "Nu does not require the image of an image button.",
    section: html("input.html#image-button-state-(type=image)"),
  },
  {
    match: /^microdata\/itemprop: .* twice/,
    right: "ours",
    why: "A property has each name once.",
    section: html("microdata.html#names:-the-itemprop-attribute"),
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
    match:
      /(?:Attribute “[^”]*” not allowed on|Element|Bad value “.*” for attribute “[^”]*” on|not allowed as child of) (?:SVG|MathML) element/s,
    right: "ours",
    why: "SVG 2 and MathML Core allow what Nu's grammars of SVG 1.1 and MathML 3 do not.",
    section: "https://www.w3.org/TR/SVG2/attindex.html",
  },
  {
    match:
      /(?:not allowed on|not allowed as child of|on) element “(?:annotation-xml|semantics|m[a-z]+|svg|[gaf]|path|rect|circle|ellipse|line|poly\w+|text\w*|tspan|tref|use|image|symbol|marker|mask|pattern|filter|fe\w+|stop|\w+Gradient|clipPath|defs|switch|desc|title|metadata|style|script|view|foreignObject|set|animate\w*|mpath|font\S*|glyph\w*|alt\w+|missing-glyph|[hv]kern|cursor|color-profile)”/,
    right: "ours",
    why: "SVG 2 and MathML Core allow what Nu's grammars of SVG 1.1 and MathML 3 do not.",
    section: "https://www.w3.org/TR/SVG2/attindex.html",
  },
  {
    match: /missing one or more of the following attributes: “type”/,
    right: "ours",
    why: "A <button> without a type may be a switch.",
    section: "https://www.w3.org/TR/html-aria/#el-button",
  },
  {
    match: /^Cannot recover after last error/,
    right: "ours",
    why: "A consequence: Nu does not go on after a second <body>.",
    section: html("semantics.html#the-head-element"),
  },
  {
    match: /^The selector “[^”]*” matches, or might match/,
    right: "ours",
    why: "The error is the <style> in the body.",
    section: html("semantics.html#the-style-element"),
  },
  {
    match: /^Stray end tag “head”|^Start tag “body” seen but an element of the same type was already open/,
    right: "ours",
    why: "A consequence: the error is what began the body in the head.",
    section: html("semantics.html#the-head-element"),
  },
  {
    match: /not allowed as child of (?:XHTML )?element “noscript”/,
    right: "ours",
    why: "A <noscript> in <select> has options.",
    section: html("form-elements.html#the-select-element"),
  },
  {
    match: /^Bad value “.*” for attribute “(?:value|sizes|ping)”/s,
    right: "ours",
    why: "A color may be any color of CSS; the X in a size may be a capital; a URL to ping may be relative.",
    section: html("input.html#color-state-(type=color)"),
  },
  {
    match:
      /^Attribute “(?:part|exportparts|virtualkeyboardpolicy|disableremoteplayback|controlslist|disablepictureinpicture|credentialless|csp|elementtiming|size|name)” not allowed/,
    right: "ours",
    why: "Other specifications have the attribute, or it is obsolete and still conforms.",
    section: html("infrastructure.html#extensibility-2"),
  },
  {
    match: /^Element “a” is missing required attribute “href”/,
    right: "ours",
    why: 'The attribute "name" of <a> is obsolete, and still conforms.',
    section: html("obsolete.html#obsolete-but-conforming-features"),
  },
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
