import type { ConfigData } from "html-validate";

/**
 * The severity of each html-validate rule. An `error` is what the HTML standard (or ARIA in HTML)
 * forbids. A `warn` is what the standard allows but the Nu checker warns of. Rules about style are
 * `off`: style is the site's own choice. Rules about accessibility beyond the standard are `off`
 * too: axe-core checks it in the rendered page.
 */
export type HtmlRule = {
  severity: "error" | "warn" | "off";
  /** Why it has this severity. */
  why: string;
  /** Categories, shown as the tags of its issues. */
  tags?: readonly string[];
  options?: Record<string, unknown>;
};

const error = (tag: string, why: string, options?: Record<string, unknown>): HtmlRule => ({
  severity: "error",
  why,
  tags: tag.split(" "),
  ...(options ? { options } : {}),
});
const warn = (tag: string, why: string): HtmlRule => ({ severity: "warn", why, tags: tag.split(" ") });
const off = (why: string): HtmlRule => ({ severity: "off", why });

/** Every rule that html-validate bundles; a unit test keeps the list complete. */
export const htmlRules: Readonly<Record<string, HtmlRule>> = {
  "allowed-links": off("Which links are allowed is a site's own policy."),
  "area-alt": error("images wcag2a wcag111", "An area with a link must have alt.", { accessible: false }),
  "aria-hidden-body": off("axe-core: aria-hidden-body."),
  "aria-label-misuse": error("aria", "ARIA forbids naming elements without a role.", { allowAnyNamable: true }),
  "attr-case": off("Attribute names have no case."),
  "attr-delimiter": off("Whitespace around = is allowed."),
  "attr-pattern": off("A naming convention."),
  "attr-quotes": off("Any quotes, or none, are allowed."),
  "attr-spacing": error("syntax", "Missing whitespace between attributes is a parse error."),
  "attribute-allowed-values": error("attributes", "The standard lists the allowed values."),
  "attribute-boolean-style": off("All three styles are allowed."),
  "attribute-empty-style": off("Both styles are allowed."),
  "attribute-misuse": error("attributes", "Some attributes need or exclude others."),
  "autocomplete-password": off("Advice: the attribute is optional."),
  "class-pattern": off("A naming convention."),
  "close-attr": error("syntax", "An end tag with attributes is a parse error."),
  "close-order": error("syntax", "Stray, missing and misnested end tags are parse errors."),
  deprecated: error("deprecated", "Obsolete elements are not conforming."),
  "deprecated-class": off("Needs a site's own list."),
  "deprecated-rule": off("About the configuration, not about the page."),
  "doctype-html": error("document", "Other doctypes than html are obsolete."),
  "doctype-style": off("The doctype has no case."),
  "element-case": off("Element names have no case."),
  "element-name": error("content-model", "Only elements of the standard and valid custom names exist."),
  "element-permitted-content": error("content-model", "The content model of the parent forbids it."),
  "element-permitted-occurrences": error("content-model", "The element may occur only so often."),
  "element-permitted-order": error("content-model", "The order of the children is fixed."),
  "element-permitted-parent": error("content-model", "The element belongs into certain parents only."),
  "element-required-ancestor": error("content-model", "The element belongs below certain ancestors only."),
  "element-required-attributes": error("attributes", "The standard requires the attribute."),
  "element-required-content": error("content-model", "The standard requires the child, a title in head for example."),
  "empty-heading": warn("content-model", "Allowed, but Nu warns of an empty heading."),
  "empty-title": error("document wcag2a wcag242", "A title must not be empty."),
  "form-dup-name": off("Controls may share a name."),
  "heading-level": off("axe-core: heading-order."),
  "hidden-focusable": off("axe-core: aria-hidden-focus."),
  "id-pattern": off("A naming convention."),
  "input-attributes": error("attributes forms", "Each type of input has its own attributes."),
  "input-missing-label": off("axe-core: label."),
  "long-title": off("Advice for search engines."),
  "map-dup-name": error("references", "Map names must be unique."),
  "map-id-name": error("references", "A map's id must equal its name."),
  "meta-refresh": off("axe-core: meta-refresh."),
  "missing-doctype": error("document", "A document without doctype is a parse error."),
  "multiple-labeled-controls": error("forms", "A label has at most one control."),
  "name-pattern": off("A naming convention."),
  "no-abstract-role": error("aria", "ARIA forbids abstract roles."),
  "no-autoplay": off("axe-core: no-autoplay-audio."),
  "no-conditional-comment": off("Ordinary comments to every parser of today."),
  "no-deprecated-attr": warn("deprecated", "Obsolete attributes are not conforming, but Nu only warns of them."),
  "no-dup-attr": error("syntax", "A repeated attribute is a parse error."),
  "no-dup-class": off("Allowed: class is a set."),
  "no-dup-id": error("references", "Ids must be unique."),
  "no-implicit-button-type": off("The type is optional."),
  "no-implicit-close": off("Many end tags are optional."),
  "no-implicit-input-type": off("The type is optional."),
  "no-inline-style": off("A style convention."),
  "no-missing-references": error("references", "for, aria-labelledby, … must name an id of the document."),
  "no-multiple-main": error("content-model", "Only one main may be visible."),
  "no-raw-characters": error("syntax", "A raw < or & that could be misread is a parse error.", { relaxed: true }),
  "no-redundant-aria-label": off("Allowed."),
  "no-redundant-for": off("Allowed."),
  "no-redundant-role": warn("aria", "Allowed, but ARIA in HTML recommends against it and Nu warns."),
  "no-self-closing": error("syntax", "Self-closing syntax on a non-void element is a parse error."),
  "no-style-tag": off("A style convention."),
  "no-trailing-whitespace": off("A style convention."),
  "no-unknown-attributes": error("attributes", "Only attributes of the standard, data-* and those below exist."),
  "no-unknown-elements": off("element-name reports the same, and knows custom elements."),
  "no-unused-disable": off("Directives have no effect here."),
  "no-utf8-bom": off("Allowed."),
  "prefer-button": off("Both are allowed."),
  "prefer-native-element": off("Advice: roles are allowed."),
  "prefer-tbody": off("tbody is optional."),
  "presentation-role-style": off("Both names of the role are allowed."),
  "require-csp-nonce": off("Depends on the site's policy."),
  "require-sri": off("Depends on the site's policy."),
  "script-element": error("syntax", "A script needs its end tag."),
  "script-type": warn("attributes", "Allowed, but Nu warns of a needless type."),
  "svg-focusable": off("For browsers that are gone."),
  "tel-non-breaking": off("A typographical convention."),
  "text-content": off("axe-core: button-name and others."),
  "unique-landmark": off("axe-core: landmark-unique."),
  "unrecognized-char-ref": error("syntax", "An unknown character reference is a parse error."),
  "valid-autocomplete": error("attributes forms", "The standard lists the autofill fields."),
  "valid-for": error("references forms", "for must name a labelable control."),
  "valid-id": error("references", "An id has a character at least and no whitespace.", { relaxed: true }),
  "void-content": error("syntax", "An end tag of a void element is a parse error."),
  "void-style": off("Both styles are allowed."),
  "wcag/h30": off("axe-core: link-name."),
  "wcag/h32": off("A form needs no button of its own."),
  "wcag/h36": error("images forms wcag2a wcag111", "A submit image must have alt."),
  "wcag/h37": error("images wcag2a wcag111", "An image must have alt."),
  "wcag/h63": off("axe-core: scope-attr-valid."),
  "wcag/h67": off("Allowed; axe-core: image-alt."),
  "wcag/h71": off("Allowed; a fieldset's legend is optional."),
};

/** Tags of findings without a rule: the parser could not go on. */
export const parserErrorTags: readonly string[] = ["syntax"];

/**
 * Attributes of other standards that the Nu checker allows: RDFa, which social networks require
 * (`<meta property="og:…">`), and those of SVG and MathML.
 */
const elements = {
  "*": {
    attributes: Object.fromEntries(
      ["about", "content", "datatype", "inlist", "prefix", "property", "rel", "resource", "rev", "typeof", "vocab"].map(
        (name) => [name, {}],
      ),
    ),
  },
  svg: { attributes: { "*": {} } },
  math: { attributes: { "*": {} } },
};

/** The configuration for html-validate; `root` keeps it from looking for configuration files. */
export const htmlValidateConfig = {
  root: true,
  elements: ["html5", elements],
  rules: Object.fromEntries(
    Object.entries(htmlRules).map(([name, { severity, options }]) => [name, options ? [severity, options] : severity]),
  ),
} as unknown as ConfigData;
