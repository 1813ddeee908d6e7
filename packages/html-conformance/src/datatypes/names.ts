import { asciiLowerCase, type Check, characterAt, isSpace, quote, spaceSeparated } from "./text.ts";

function spaceProblem(value: string): string | undefined {
  for (let index = 0; index < value.length; index++) {
    if (isSpace(value.charCodeAt(index))) return `${characterAt(value, index)} is not allowed`;
  }
  return undefined;
}

/** https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute */
export const idProblem: Check = (value) => (value === "" ? "it is empty" : spaceProblem(value));

export const idsProblem: Check = (value) => {
  for (let index = 0; index < value.length; index++) if (!isSpace(value.charCodeAt(index))) return undefined;
  return "it names no id";
};

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-hash-name-reference */
export const hashNameProblem: Check = (value) => {
  if (!value.startsWith("#"))
    return value === "" ? "it is empty" : `it must begin with "#", not with ${characterAt(value, 0)}`;
  return value === "#" ? 'nothing follows "#"' : undefined;
};

/** https://html.spec.whatwg.org/multipage/document-sequences.html#valid-navigable-target-name */
export const targetNameProblem: Check = (value) => {
  if (value === "") return "it is empty";
  if (value.startsWith("_")) return 'names that begin with "_" are reserved';
  return value.includes("<") && /[\t\n\r]/.test(value)
    ? 'a tab or line break and "<" are not allowed together'
    : undefined;
};

const TARGETS = new Set(["_blank", "_self", "_parent", "_top"]);

/** https://html.spec.whatwg.org/multipage/document-sequences.html#valid-navigable-target-name-or-keyword */
export const targetProblem: Check = (value) => {
  if (!value.startsWith("_")) return targetNameProblem(value);
  if (TARGETS.has(asciiLowerCase(value))) return undefined;
  return `${quote(value)} is not one of _blank, _self, _parent and _top, and other names may not begin with "_"`;
};

const RESERVED_ELEMENTS = new Set(
  "annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name missing-glyph".split(
    " ",
  ),
);

/** https://html.spec.whatwg.org/multipage/custom-elements.html#valid-custom-element-name */
export const customElementNameProblem: Check = (value) => {
  if (value === "") return "it is empty";
  if (!/^[a-z]/.test(value)) return `it must begin with one of the letters a to z, not with ${characterAt(value, 0)}`;
  const forbidden = /[A-Z\0\t\n\f\r />]/.exec(value);
  if (forbidden) return `${characterAt(value, forbidden.index)} is not allowed`;
  if (!value.includes("-")) return "it has no hyphen";
  return RESERVED_ELEMENTS.has(value) ? `${quote(value)} is reserved` : undefined;
};

/** https://html.spec.whatwg.org/multipage/interaction.html#the-accesskey-attribute */
export const keyLabelsProblem: Check = (value) => {
  const seen = new Set<string>();
  for (const key of spaceSeparated(value)) {
    if ([...key.slice(0, 3)].length !== 1) return `${quote(key)} is more than one character`;
    if (seen.has(key)) return `${quote(key)} occurs twice`;
    seen.add(key);
  }
  return undefined;
};

const NAME_START =
  ":A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF" +
  "\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
const NAME = `${NAME_START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040`;

/** Character classes for the first and the further characters of a name (XML 1.0, fifth edition, 2.3). */
export const NAME_CLASSES = { start: NAME_START, rest: NAME };

const NOT_NAME_START = new RegExp(`^[^${NAME_START}]`, "u");
const NOT_NAME = new RegExp(`[^${NAME}]`, "u");

/** https://www.w3.org/TR/xml/#NT-Name */
export const xmlNameProblem: Check = (value) => {
  if (value === "") return "it is empty";
  if (NOT_NAME_START.test(value)) return `${characterAt(value, 0)} is not allowed at its start`;
  return nmtokenProblem(value);
};

/** https://www.w3.org/TR/xml/#NT-Nmtoken */
export const nmtokenProblem: Check = (value) => {
  if (value === "") return "it is empty";
  const wrong = NOT_NAME.exec(value);
  return wrong ? `${characterAt(value, wrong.index)} is not allowed` : undefined;
};

/** https://html.spec.whatwg.org/multipage/form-elements.html#attr-button-command: names of an author's own begin with `--`. */
export const customCommandProblem: Check = (value) =>
  value.startsWith("--") ? undefined : 'the name of a command of one\'s own begins with "--"';

/** https://html.spec.whatwg.org/multipage/semantics.html#attr-link-sizes */
export const iconSizeProblem: Check = (value) =>
  /^[1-9][0-9]*[xX][1-9][0-9]*$/.test(value)
    ? undefined
    : `${quote(value)} is not a width and a height, such as "16x16"`;
