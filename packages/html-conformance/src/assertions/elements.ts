import { htmlSection } from "../finding.ts";
import { GLOBAL_ARIA } from "./aria/aria-tables.ts";
import { inputType } from "./aria/redundant-roles.ts";
import { type ElementRule, formatValue, has, type OpenElement, quoted, tokens, value } from "./open-element.ts";
import { ariaInHtml, elementSection } from "./sections.ts";

const TEXT = ["text", "search", "url", "tel", "email", "password"];
const DATES = ["date", "month", "week", "time", "datetime-local"];
/** The types of `<input>` that have an attribute. */
const INPUT_ATTRIBUTES: readonly (readonly [string, readonly string[]])[] = [
  ["autocomplete", ["hidden", ...TEXT, ...DATES, "number", "range", "color"]],
  ["list", [...TEXT.filter((type) => type !== "password"), ...DATES, "number", "range", "color"]],
  ["maxlength", [...TEXT, "number"]],
  ["minlength", TEXT],
  ["pattern", TEXT],
  ["placeholder", [...TEXT, "number"]],
  ["readonly", [...TEXT, ...DATES, "number"]],
  ["size", [...TEXT, "number"]],
  ["required", [...TEXT, ...DATES, "number", "checkbox", "radio", "file"]],
];

function problemOf(open: OpenElement, attribute: string | undefined, message: string) {
  return {
    rule: attribute ? `${open.name}/${attribute}` : open.name,
    message,
    section: elementSection(open.name),
    ...(attribute && has(open, attribute) && { attribute }),
  };
}

export const checkInput: ElementRule = (open, report) => {
  const type = inputType(open);
  for (const [attribute, types] of INPUT_ATTRIBUTES)
    if (has(open, attribute) && !types.includes(type))
      report(
        open,
        problemOf(
          open,
          attribute,
          `The attribute "${attribute}" is not allowed on <input type="${formatValue(type)}">; it is for the types ${quoted(types)}.`,
        ),
      );
  for (const attribute of ["maxlength", "size"])
    if (type === "number" && has(open, attribute))
      report(open, {
        ...problemOf(
          open,
          attribute,
          `The attribute "${attribute}" of <input type="number"> has an effect in old browsers only; use "min" and "max".`,
        ),
        severity: "warning",
        section: htmlSection("obsolete.html#obsolete-but-conforming-features"),
      });
  const autocomplete = value(open, "autocomplete");
  if (type === "hidden" && (autocomplete === "on" || autocomplete === "off"))
    report(
      open,
      problemOf(
        open,
        "autocomplete",
        `The value "${autocomplete}" of the attribute "autocomplete" is not allowed on <input type="hidden">.`,
      ),
    );
  if (type === "button" && !value(open, "value"))
    report(
      open,
      problemOf(
        open,
        "value",
        '<input type="button"> needs the attribute "value" with a text: it is the label of the button.',
      ),
    );
};

/** The name of a form control: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fe-name */
export const checkControlName: ElementRule = (open, report) => {
  if (value(open, "name") === "isindex")
    report(open, {
      ...problemOf(
        open,
        "name",
        `The value "isindex" of the attribute "name" of <${open.name}> is not allowed; give the control another name.`,
      ),
      section: htmlSection("form-control-infrastructure.html#attr-fe-name"),
    });
};

/** Attributes that are sets of tokens, each of which is there once; their other tokens are judged elsewhere. */
const SETS: ReadonlyMap<string, { attribute: string; anyCase?: true }> = new Map([
  ["form", { attribute: "rel", anyCase: true }],
  ["link", { attribute: "sizes", anyCase: true }],
  ["output", { attribute: "for" }],
  ["td", { attribute: "headers" }],
  ["th", { attribute: "headers" }],
]);

export const checkSetOfTokens: ElementRule = (open, report) => {
  const set = SETS.get(open.name);
  const text = set && value(open, set.attribute);
  if (!text) return;
  const all = tokens(set.anyCase ? text.toLowerCase() : text);
  const twice = all.find((token, i) => all.indexOf(token) < i);
  if (twice !== undefined)
    report(open, {
      rule: `bad-value/${set.attribute}`,
      message: `The value of the attribute "${set.attribute}" of <${open.name}> has "${formatValue(twice)}" twice; each is there once.`,
      section: htmlSection("common-microsyntaxes.html#unordered-set-of-unique-space-separated-tokens"),
      attribute: set.attribute,
    });
};

export const checkBdo: ElementRule = (open, report) => {
  const dir = value(open, "dir");
  if (dir === undefined) report(open, problemOf(open, "dir", '<bdo> needs the attribute "dir" with "ltr" or "rtl".'));
  else if (dir.toLowerCase() === "auto")
    report(
      open,
      problemOf(
        open,
        "dir",
        'The value "auto" of the attribute "dir" is not allowed on <bdo>; allowed are "ltr" and "rtl".',
      ),
    );
};

export const checkForm: ElementRule = (open, report) => {
  const charset = value(open, "accept-charset");
  if (charset !== undefined && charset.toLowerCase() !== "utf-8")
    report(
      open,
      problemOf(
        open,
        "accept-charset",
        `The value "${formatValue(charset)}" of the attribute "accept-charset" is not allowed; only "utf-8" is.`,
      ),
    );
};

/** The browser moves the focus into a dialog itself. */
export const checkDialog: ElementRule = (open, report) => {
  if (has(open, "tabindex"))
    report(open, problemOf(open, "tabindex", 'The attribute "tabindex" must not be specified on <dialog>.'));
};

export const checkMap: ElementRule = (open, report) => {
  const name = value(open, "name");
  if (open.id !== undefined && name !== undefined && name !== open.id)
    report(
      open,
      problemOf(
        open,
        "id",
        `The ID "${formatValue(open.id)}" of <map> is not its name, "${formatValue(name)}"; they must be the same.`,
      ),
    );
};

export const checkStyleType: ElementRule = (open, report) => {
  const type = value(open, "type");
  if (type === undefined) return;
  if (type.toLowerCase() === "text/css")
    report(open, {
      severity: "warning",
      ...problemOf(open, "type", 'The attribute "type" of <style> is unnecessary.'),
    });
  else
    report(
      open,
      problemOf(
        open,
        "type",
        `The value "${formatValue(type)}" of the attribute "type" of <style> is not allowed; only "text/css" is.`,
      ),
    );
};

export const checkTrack: ElementRule = (open, report) => {
  if (value(open, "label") === "") report(open, problemOf(open, "label", 'The attribute "label" of <track> is empty.'));
};

/** `<summary>` of a `<details>` is a button of its own kind. */
export const checkSummary: ElementRule = (open, report) => {
  const { parent } = open;
  if (parent?.name !== "details") return;
  if (parent.element.childNodes.find((child) => child.nodeName === "summary") !== open.element) return;
  for (const { name, prefix } of open.element.attrs)
    if (!prefix && (name === "role" || (name.startsWith("aria-") && !GLOBAL_ARIA.has(name))))
      report(open, {
        rule: `summary/${name}`,
        message: `The attribute "${name}" is not allowed on the <summary> of a <details>.`,
        section: ariaInHtml("el-summary"),
        attribute: name,
      });
};

export const checkEmbed: ElementRule = (open, report) => {
  for (const { name, prefix } of open.element.attrs)
    if (!prefix && !/^[\p{L}_][\p{L}\p{N}\p{M}._\-·]*$/u.test(name))
      report(open, {
        rule: "embed/attribute-name",
        message: `The attribute "${formatValue(name)}" of <embed> has a name that is not compatible with XML.`,
        section: elementSection("embed"),
        attribute: name,
      });
};

/** Attributes that every HTML element may have. */
export const checkGlobalAttributes: ElementRule = (open, report) => {
  const wrong = (attribute: string, message: string, section: string) =>
    report(open, { rule: `global/${attribute}`, message, section, attribute });
  for (const { name, value: text, prefix } of open.element.attrs) {
    if (prefix) continue;
    switch (name) {
      case "headingoffset":
        if (!/^[0-8]$/.test(text))
          wrong(
            name,
            `The value "${formatValue(text)}" of the attribute "headingoffset" is not allowed; it must be a number from 0 to 8.`,
            htmlSection("dom.html#global-attributes"),
          );
        break;
      case "is":
        if (open.name.includes("-"))
          wrong(
            name,
            `The attribute "is" is not allowed on the custom element <${open.name}>.`,
            htmlSection("custom-elements.html#attr-is"),
          );
        break;
      case "xml:lang":
        if (value(open, "lang")?.toLowerCase() !== text.toLowerCase())
          wrong(
            name,
            'The attribute "xml:lang" needs the attribute "lang" with the same value.',
            htmlSection("dom.html#the-lang-and-xml:lang-attributes"),
          );
        break;
      case "autocomplete":
        if (text.includes("webauthn") && open.name !== "input" && open.name !== "textarea")
          wrong(
            name,
            `The value "webauthn" of the attribute "autocomplete" is not allowed on <${open.name}>.`,
            htmlSection("form-control-infrastructure.html#attr-fe-autocomplete-webauthn"),
          );
    }
  }
};
