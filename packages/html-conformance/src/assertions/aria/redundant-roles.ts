import { type ElementRule, has, is, type OpenElement, value } from "../open-element.ts";
import { ariaInHtml } from "../sections.ts";
import { WITHIN_SECTIONING } from "../within.ts";
import { IMPLICIT_ROLES } from "./roles.ts";

/** Roles that these elements never need, although they do not always have them implicitly. */
const NEVER_NEEDED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    meter: ["progressbar"],
    option: ["option"],
    optgroup: ["group"],
    th: ["columnheader", "rowheader"],
  }),
);
const ROLE_OF_TYPE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    button: "button",
    checkbox: "checkbox",
    image: "button",
    number: "spinbutton",
    radio: "radio",
    range: "slider",
    reset: "button",
    submit: "button",
  }),
);
const TEXT_TYPES = ["email", "search", "tel", "text", "url"];

/** A role that the element has anyway. */
export const checkRedundantRole: ElementRule = (open, report) => {
  if (open.role === undefined || !isOwnRole(open, open.role)) return;
  report(open, {
    severity: "warning",
    rule: "redundant-role",
    message: `The role "${open.role}" is unnecessary: this <${open.name}> has it without the attribute.`,
    section: ariaInHtml(`el-${open.name}`),
    attribute: "role",
  });
};

function isOwnRole(open: OpenElement, role: string): boolean {
  const { name } = open;
  if (name === "header") return role === "banner" && !(open.within & WITHIN_SECTIONING);
  if (name === "footer") return role === "contentinfo" && !(open.within & WITHIN_SECTIONING);
  if (name === "img" && value(open, "alt") === "") return false;
  if (name === "input") return isOwnRoleOfInput(open, role);
  if (IMPLICIT_ROLES.get(name) === role) return true;
  if (NEVER_NEEDED.get(name)?.includes(role)) return true;
  if (name === "select") return role === ownRoleOfSelect(open);
  return role === "link" && (name === "a" || name === "area") && has(open, "href");
}

function isOwnRoleOfInput(open: OpenElement, role: string): boolean {
  const type = inputType(open);
  if (ROLE_OF_TYPE.get(type) === role) return true;
  if (!TEXT_TYPES.includes(type)) return false;
  if (has(open, "list")) return role === "combobox";
  return role === (type === "search" ? "searchbox" : "textbox");
}

export function ownRoleOfSelect(open: OpenElement): "listbox" | "combobox" {
  return has(open, "multiple") || sizeOf(open) > 1 ? "listbox" : "combobox";
}

/** The number of rows that a `<select>` shows by its `size`; 0 without one. */
export function sizeOf(open: OpenElement): number {
  const size = value(open, "size")?.trim() ?? "";
  return /^\+?\d{1,9}$/.test(size) ? Number(size) : 0;
}

export function inputType(open: OpenElement): string {
  return value(open, "type")?.toLowerCase() ?? "text";
}

/** `role` and `aria-*` on `<select>` itself. */
export const checkSelectRole: ElementRule = (open, report) => {
  const { role } = open;
  if (has(open, "aria-multiselectable"))
    report(open, {
      severity: "warning",
      rule: "aria-not-needed/aria-multiselectable",
      message: 'The attribute "aria-multiselectable" should not be used on <select>; the attribute "multiple" says it.',
      section: ariaInHtml("el-select"),
      attribute: "aria-multiselectable",
    });
  if (role === undefined) return;
  const own = ownRoleOfSelect(open);
  if (role === own || (own === "combobox" && role === "menu")) return;
  report(open, {
    rule: "select-role",
    message:
      own === "listbox"
        ? `The role "${role}" is not allowed on a <select> that shows several rows; it may have none, or "listbox".`
        : `The role "${role}" is not allowed on a <select> that shows one row; allowed are "combobox" and "menu".`,
    section: ariaInHtml("el-select"),
    attribute: "role",
  });
};

/** `<math role="math">`. */
export const checkMathRole: ElementRule = (open, report) => {
  if (open.element.tagName !== "math" || !is(open, "role", "math")) return;
  report(open, {
    severity: "warning",
    rule: "redundant-role",
    message: 'The role "math" is unnecessary: <math> has it without the attribute.',
    section: ariaInHtml("el-math"),
    attribute: "role",
  });
};
