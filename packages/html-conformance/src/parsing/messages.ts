import { htmlSection } from "../finding.ts";
import { VOID } from "../tree.ts";

/** What a message may mention. */
export type Subject = {
  /** The tag, element or attribute in question. */
  name: string;
  /** The characters at the place, as they are quoted. */
  found: string;
};
type Entry = {
  severity?: "warning" | "info";
  message: (subject: Subject) => string;
  /** The fragment of its section; by default that of the standard's own code. */
  section?: string;
};

const inBody = "parsing.html#parsing-main-inbody";
const inTable = "parsing.html#parsing-main-intable";
const optionalTags = "syntax.html#optional-tags";
const doctype = "syntax.html#the-doctype";
const charset = "semantics.html#charset";

/** The message for each code, in the standard's order if it has one (13.2.2 Parse errors). */
const messages: Readonly<Record<string, Entry>> = {
  "abrupt-closing-of-empty-comment": { message: () => 'The comment ends too early: it must end with "-->".' },
  "abrupt-doctype-public-identifier": {
    message: () => 'There is a ">" in the public identifier of the doctype; its quote is not closed.',
  },
  "abrupt-doctype-system-identifier": {
    message: () => 'There is a ">" in the system identifier of the doctype; its quote is not closed.',
  },
  "absence-of-digits-in-numeric-character-reference": {
    message: ({ found }) => `The character reference ${found} has no digits.`,
  },
  "cdata-in-html-content": {
    message: () => "A CDATA section is allowed in SVG and MathML only; here it is taken as a comment.",
  },
  "character-reference-outside-unicode-range": {
    message: ({ found }) => `The character reference ${found} is beyond the last code point of Unicode, U+10FFFF.`,
  },
  "control-character-in-input-stream": { message: ({ found }) => `The control character ${found} is not allowed.` },
  "control-character-reference": {
    message: ({ found }) => `The character reference ${found} stands for a control character, which is not allowed.`,
  },
  "disallowed-processing-instruction-target": {
    message: ({ name }) =>
      `<?${name} is not allowed in HTML: "xml" and "xml-stylesheet" are for XML. It is taken as a comment.`,
  },
  "duplicate-attribute": {
    message: ({ name }) => `The attribute "${name}" is already there in this tag; the second one is ignored.`,
  },
  "end-tag-with-attributes": { message: () => "An end tag may not have attributes." },
  "end-tag-with-trailing-solidus": { message: () => 'An end tag may not end with "/>".' },
  "eof-before-tag-name": { message: ({ found }) => `The file ends after ${found}, where the name of a tag should be.` },
  "eof-in-cdata": { message: () => 'The file ends in a CDATA section: "]]>" is missing.' },
  "eof-in-comment": { message: () => 'The file ends in a comment: "-->" is missing.' },
  "eof-in-doctype": { message: () => 'The file ends in the doctype: ">" is missing.' },
  "eof-in-processing-instruction": { message: () => 'The file ends in a processing instruction: ">" is missing.' },
  "eof-in-script-html-comment-like-text": {
    message: () => 'The file ends in a script after "<!--": "-->" and the end tag are missing.',
  },
  "eof-in-tag": { message: () => 'The file ends in a tag, which is ignored: ">" is missing.' },
  "incorrectly-closed-comment": { message: () => 'A comment must end with "-->", not with "--!>".' },
  "incorrectly-opened-comment": {
    message: () => 'After "<!" there is neither "--" nor a doctype: what follows is taken as a comment.',
  },
  "invalid-character-sequence-after-doctype-name": {
    message: () => 'After the name of the doctype only ">", PUBLIC or SYSTEM may follow.',
  },
  "invalid-first-character-of-processing-instruction-target": {
    message: () => 'After "<?" there must be a letter or "_": what follows is taken as a comment.',
  },
  "invalid-first-character-of-tag-name": {
    message: ({ found }) => `After "<" there is ${found}, not the name of a tag. To show a "<", write "&lt;".`,
  },
  "invalid-processing-instruction-target": {
    message: ({ name }) =>
      `The target "${name}" of the processing instruction goes on with a character that is not allowed.`,
  },
  "missing-attribute-value": { message: () => 'After "=" the value of the attribute is missing.' },
  "missing-doctype-name": { message: () => "The doctype has no name; it must be <!DOCTYPE html>." },
  "missing-doctype-public-identifier": { message: () => "After PUBLIC the public identifier is missing." },
  "missing-doctype-system-identifier": { message: () => "After SYSTEM the system identifier is missing." },
  "missing-end-tag-name": { message: () => 'The end tag "</>" has no name. To show a "<", write "&lt;".' },
  "missing-quote-before-doctype-public-identifier": {
    message: () => "The public identifier of the doctype does not begin with a quote.",
  },
  "missing-quote-before-doctype-system-identifier": {
    message: () => "The system identifier of the doctype does not begin with a quote.",
  },
  "missing-semicolon-after-character-reference": {
    message: ({ found }) => `The character reference ${found} does not end with ";". To show a "&", write "&amp;".`,
  },
  "missing-whitespace-after-doctype-public-keyword": {
    message: () => "White space is missing between PUBLIC and the identifier.",
  },
  "missing-whitespace-after-doctype-system-keyword": {
    message: () => "White space is missing between SYSTEM and the identifier.",
  },
  "missing-whitespace-before-doctype-name": { message: () => "White space is missing before the name of the doctype." },
  "missing-whitespace-between-attributes": { message: () => "White space is missing between two attributes." },
  "missing-whitespace-between-doctype-public-and-system-identifiers": {
    message: () => "White space is missing between the two identifiers of the doctype.",
  },
  "nested-comment": { message: () => 'There is a "<!--" in a comment; comments cannot be nested.' },
  "noncharacter-character-reference": {
    message: ({ found }) => `The character reference ${found} stands for a code point that is never a character.`,
  },
  "noncharacter-in-input-stream": {
    message: ({ found }) => `The code point ${found} is never a character; it is not allowed.`,
  },
  "null-character-reference": {
    message: ({ found }) => `The character reference ${found} stands for U+0000, which is not allowed.`,
  },
  "surrogate-character-reference": {
    message: ({ found }) =>
      `The character reference ${found} stands for one half of a surrogate pair; give the code point of the whole character.`,
  },
  "surrogate-in-input-stream": {
    message: ({ found }) => `The surrogate ${found} stands alone; it is not a character.`,
  },
  "unexpected-character-after-doctype-system-identifier": {
    message: () => 'After the system identifier of the doctype only ">" may follow.',
  },
  "unexpected-character-in-attribute-name": {
    message: ({ found }) => `There is ${found} in the name of an attribute; a quote or a ">" is missing before it.`,
  },
  "unexpected-character-in-unquoted-attribute-value": {
    message: ({ found }) => `There is ${found} in a value without quotes; put the value in quotes.`,
  },
  "unexpected-equals-sign-before-attribute-name": {
    message: () => 'There is a "=" where the name of an attribute should begin.',
  },
  "unexpected-null-character": { message: () => "The character U+0000 is not allowed." },
  "unexpected-solidus-in-tag": { message: () => 'A "/" in a tag must be followed by ">" at once.' },
  "unknown-named-character-reference": {
    message: ({ found }) => `There is no character reference ${found}. To show a "&", write "&amp;".`,
  },

  "missing-doctype": {
    message: () => "The document does not begin with a doctype: <!DOCTYPE html> must come first.",
    section: doctype,
  },
  "quirks-mode-doctype": {
    message: () => "This doctype puts browsers into quirks mode; it must be <!DOCTYPE html>.",
    section: doctype,
  },
  "obsolete-doctype": { message: () => "This doctype is obsolete; it must be <!DOCTYPE html>.", section: doctype },
  "legacy-compat-doctype": {
    severity: "warning",
    message: () => '"about:legacy-compat" is for generators that cannot write <!DOCTYPE html>.',
    section: doctype,
  },
  "stray-doctype": {
    message: () => "A doctype is allowed only at the beginning, and once; this one is ignored.",
    section: "syntax.html#writing",
  },
  "stray-start-tag": {
    message: ({ name }) => `The start tag <${name}> is not allowed here; it is ignored.`,
    section: inBody,
  },
  "start-tag-already-open": {
    message: ({ name }) => `<${name}> begins, but another <${name}> is still open; they cannot be nested.`,
    section: inBody,
  },
  "start-tag-in-head": {
    message: ({ name }) =>
      `<${name}> is not allowed in <head>: the head ends here and the body begins, although </head> comes later.`,
    section: "semantics.html#the-head-element",
  },
  "text-in-head": {
    message: () =>
      "Text is not allowed in <head>: the head ends here and the body begins, although </head> comes later.",
    section: "semantics.html#the-head-element",
  },
  "start-tag-after-body": {
    message: ({ name }) => `<${name}> begins after the end of the body.`,
    section: "parsing.html#parsing-main-afterbody",
  },
  "start-tag-after-head": {
    message: ({ name }) => `<${name}> stands between the head and the body; it belongs into one of them.`,
    section: "parsing.html#the-after-head-insertion-mode",
  },
  "start-tag-in-head-noscript": {
    message: ({ name }) => `<${name}> is not allowed in a <noscript> of the head, which it ends.`,
    section: "parsing.html#parsing-main-inheadnoscript",
  },
  "start-tag-in-table": {
    message: ({ name }) => `<${name}> is not allowed directly in a table; browsers put it before the table.`,
    section: inTable,
  },
  "start-tag-in-select": {
    message: ({ name }) => `<${name}> is not allowed in <select>, which it ends.`,
    section: inBody,
  },
  "start-tag-with-open-elements": {
    message: ({ name }) => `<${name}> begins, but elements that should have ended before it are still open.`,
    section: inBody,
  },
  "start-tag-outside-ruby": { message: ({ name }) => `<${name}> is not directly in a <ruby>.`, section: inBody },
  "select-in-select": {
    message: () => "<select> begins in a <select>: the tag is taken as the end of the first one.",
    section: inBody,
  },
  "table-in-table": {
    message: () => "<table> begins directly in a table, which it ends.",
    section: inTable,
  },
  "heading-in-heading": {
    message: ({ name }) => `<${name}> begins in a heading, which it ends; headings cannot be nested.`,
    section: inBody,
  },
  "form-in-form": {
    message: () => "<form> begins in a form; forms cannot be nested, and it is ignored.",
    section: inBody,
  },
  "image-start-tag": { message: () => "There is no element <image> in HTML; it is taken as <img>.", section: inBody },
  "cell-outside-row": {
    message: ({ name }) => `<${name}> is not in a row; a <tr> is missing before it.`,
    section: "parsing.html#parsing-main-intbody",
  },
  "html-start-tag-in-foreign-content": {
    message: ({ name }) => `The HTML element <${name}> is not allowed in SVG or MathML here, which it ends.`,
    section: "parsing.html#parsing-main-inforeign",
  },
  "html-end-tag-in-foreign-content": {
    message: ({ name }) => `The HTML end tag </${name}> is not allowed in SVG or MathML, which it ends.`,
    section: "parsing.html#parsing-main-inforeign",
  },
  "self-closing-start-tag": {
    message: ({ name }) => `<${name}/> does not close the element in HTML: the "/" is ignored.`,
    section: "syntax.html#start-tags",
  },
  "trailing-slash-on-void-element": {
    severity: "info",
    message: ({ name }) =>
      `The "/" at the end of <${name}> has no effect; after a value without quotes it becomes a part of it.`,
    section: "syntax.html#void-elements",
  },
  "stray-end-tag": {
    message: ({ name }) =>
      VOID.has(name)
        ? `The end tag </${name}> closes nothing: <${name}> has no content and no end tag.`
        : `The end tag </${name}> closes nothing: no <${name}> is open that it could close.`,
    section: inBody,
  },
  "br-end-tag": { message: () => "There is no end tag </br>; it is taken as <br>.", section: inBody },
  "end-tag-after-body": {
    message: ({ name }) => `The end tag </${name}> comes after the end of the body.`,
    section: "parsing.html#parsing-main-afterbody",
  },
  "end-tag-violates-nesting": {
    message: ({ name }) => `</${name}> overlaps with elements that began in <${name}> and are still open.`,
    section: "parsing.html#misnested-tags:-b-i-/b-/i",
  },
  "end-tag-with-open-elements": {
    message: ({ name, found }) => `</${name}> comes, but ${found} in it is still open.`,
    section: optionalTags,
  },
  "implied-end-tag-with-open-elements": {
    message: ({ name, found }) => `<${name}> ends here, but ${found} in it is still open.`,
    section: optionalTags,
  },
  "end-of-file-with-open-elements": {
    message: ({ found }) => `The file ends, but ${found} is still open.`,
    section: optionalTags,
  },
  "end-of-file-in-text": {
    message: ({ name }) => `The file ends in the text of <${name}>: </${name}> is missing.`,
    section: "parsing.html#parsing-main-incdata",
  },
  "unclosed-element": {
    message: ({ name }) => `<${name}> is not closed: </${name}> is missing.`,
    section: "syntax.html#end-tags",
  },
  "text-in-table": {
    message: () => "Text is not allowed directly in a table; browsers put it before the table.",
    section: "parsing.html#parsing-main-intabletext",
  },
  "text-in-frameset": {
    message: () => "Text is not allowed in a frameset.",
    section: "parsing.html#parsing-main-inframeset",
  },
  "text-in-head-noscript": {
    message: () => "Text is not allowed in a <noscript> of the head, which it ends.",
    section: "parsing.html#parsing-main-inheadnoscript",
  },
  "text-after-body": {
    message: () => "There is text after the end of the body.",
    section: "parsing.html#parsing-main-afterbody",
  },
  "deep-tree": {
    severity: "warning",
    message: () => "More than 512 elements are nested here; browsers put deeper ones beside their parents instead.",
    section: "parsing.html#tree-construction",
  },

  "undeclared-encoding": {
    message: ({ name }) =>
      `The character encoding is not declared; ${name} was used. Put <meta charset="utf-8"> into the head.`,
    section: charset,
  },
  "encoding-not-utf-8": {
    message: ({ name }) => `The document is encoded in ${name}; documents must be in UTF-8.`,
    section: charset,
  },
  "unknown-encoding": {
    message: ({ name }) => `The encoding "${name}" that is declared is not known; it must be "utf-8".`,
    section: charset,
  },
  "encoding-conflict": {
    message: ({ name, found }) => `The encoding "${name}" is declared here, but the document was decoded as ${found}.`,
    section: charset,
  },
  "encoding-declaration-of-utf-16": {
    message: ({ name }) =>
      `The encoding "${name}" is declared here, but a document that declares it so cannot be in UTF-16; UTF-8 is taken.`,
    section: charset,
  },
  "late-encoding-declaration": {
    message: () => "The encoding is declared here, but the declaration must be within the first 1024 bytes.",
    section: "semantics.html#charset1024",
  },
  "malformed-bytes": {
    message: ({ found }) => `Bytes that are not ${found} were found here; U+FFFD stands for them.`,
    section: "parsing.html#the-input-byte-stream",
  },
  "private-use-character": {
    severity: "warning",
    message: ({ found }) => `The character ${found} is for private use; readers elsewhere do not know what it means.`,
    section: "https://www.w3.org/TR/charmod/#C073",
  },
  "hyphens-in-comment": {
    severity: "warning",
    message: () => 'There is a "--" in this comment; a document that is to become XML must not have one.',
    section: "https://www.w3.org/TR/xml/#sec-comments",
  },
  "form-feed": {
    severity: "warning",
    message: () => "The form feed U+000C is white space in HTML, but not a character of XML.",
    section: "https://www.w3.org/TR/xml/#charsets",
  },
  "discouraged-control-character": {
    severity: "warning",
    message: ({ found }) => `The control character ${found} is allowed in XML, but its use is discouraged.`,
    section: "https://www.w3.org/TR/xml/#charsets",
  },
  "text-not-normalized": {
    severity: "warning",
    message: ({ found }) => `This text is not in Unicode Normalization Form C; as such it is ${found}.`,
    section: "https://www.w3.org/TR/charmod-norm/#normalizationChoice",
  },
  "attribute-not-normalized": {
    severity: "warning",
    message: ({ name }) => `The value of the attribute "${name}" is not in Unicode Normalization Form C.`,
    section: "https://www.w3.org/TR/charmod-norm/#normalizationChoice",
  },
  "composing-character-first": {
    severity: "warning",
    message: ({ found }) => `This text begins with ${found}, which combines with a character before it.`,
    section: "https://www.w3.org/TR/charmod-norm/#normalizationChoice",
  },
  "attribute-composing-character-first": {
    severity: "warning",
    message: ({ name, found }) =>
      `The value of the attribute "${name}" begins with ${found}, which combines with a character before it.`,
    section: "https://www.w3.org/TR/charmod-norm/#normalizationChoice",
  },

  "not-well-formed": {
    message: ({ name }) => `The XML is not well-formed: ${name}. Nothing after this is checked.`,
    section: "https://www.w3.org/TR/xml/#sec-well-formed",
  },
  "entity-expansion-limit": {
    message: ({ name }) =>
      `The entity "${name}" expands beyond the limit of this checker. Nothing after this is checked.`,
    section: "https://www.w3.org/TR/xml/#entity-decl",
  },
  "undeclared-entity": {
    message: ({ name }) => `The entity "${name}" is not declared in the document, and its DTD is not read.`,
    section: "https://www.w3.org/TR/xml/#wf-entdeclared",
  },
  "xml-encoding-conflict": {
    severity: "warning",
    message: ({ name, found }) =>
      `The XML declaration gives the encoding "${name}", but the Content-Type gives "${found}", which counts.`,
    section: "https://www.w3.org/TR/xml/#sec-guessing-with-ext-info",
  },
  "xml-encoding-not-utf": {
    severity: "warning",
    message: ({ name }) => `The encoding is "${name}"; readers of XML need to know UTF-8 and UTF-16 only.`,
    section: "https://www.w3.org/TR/xml/#charencoding",
  },
  "prefix-without-namespace": {
    message: ({ name }) => `The declaration "${name}" has no namespace; a prefix must have one.`,
    section: "https://www.w3.org/TR/xml-names/#nsc-NoPrefixUndecl",
  },
  "relative-namespace": {
    severity: "warning",
    message: ({ name }) => `The namespace of the declaration "${name}" is a relative reference, which is deprecated.`,
    section: "https://www.w3.org/TR/xml-names/#iri-use",
  },
  "misplaced-xml-stylesheet": {
    message: () => "<?xml-stylesheet?> must come before the root element.",
    section: "https://www.w3.org/TR/xml-stylesheet/",
  },
  "unknown-root-element": {
    severity: "warning",
    message: ({ name }) =>
      `The root element ${name} is of no language that is known here; the document is not checked.`,
    section: "https://html.spec.whatwg.org/multipage/xhtml.html",
  },
};

/** All codes that have a message. */
export const codes: readonly string[] = Object.keys(messages);

/** The message for a problem. */
export function describe(
  code: string,
  subject: Subject,
): { severity: "error" | "warning" | "info"; message: string; section: string } {
  const entry = messages[code];
  if (!entry)
    return { severity: "error", message: `Parse error: ${code}.`, section: htmlSection("parsing.html#parse-errors") };
  const { severity = "error", message, section = `parsing.html#parse-error-${code}` } = entry;
  return {
    severity,
    message: message(subject),
    section: section.startsWith("https:") ? section : htmlSection(section),
  };
}
