import { type ElementRule, has, is, isSvg, type OpenElement, value } from "../open-element.ts";
import { aria, ariaInHtml } from "../sections.ts";
import { DEPRECATED_FOR_ROLE, WITHOUT_ARIA } from "./aria-tables.ts";
import { inputType } from "./redundant-roles.ts";

/** `aria-hidden` where nothing can be hidden. */
export const checkAriaHidden: ElementRule = (open, report) => {
  const { name } = open;
  const hidden = value(open, "aria-hidden");
  if (!hidden) return;
  const wrong = (where: string) =>
    report(open, {
      rule: "aria-hidden",
      message: `The attribute "aria-hidden" is not allowed on ${where}.`,
      section: ariaInHtml(`el-${name}`),
      attribute: "aria-hidden",
    });
  if (WITHOUT_ARIA.has(name) || name === "html") wrong(`<${name}>`);
  else if (name === "input" && is(open, "type", "hidden")) wrong('<input type="hidden">');
  else if (name === "body" && hidden === "true") wrong('<body> with the value "true"');
};

const NATIVE = ["colspan", "disabled", "hidden", "readonly", "required", "rowspan"];

/** `aria-disabled` beside `disabled` and the like. */
export const checkNativeStates: ElementRule = (open, report) => {
  for (const native of NATIVE) {
    const state = `aria-${native}`;
    const stated = value(open, state);
    const given = stated === undefined ? undefined : value(open, native);
    if (stated === undefined || given === undefined || (given === "" && native.endsWith("span"))) continue;
    const found = { section: ariaInHtml(`att-${native}`), attribute: state };
    if (native === "hidden" && given === "until-found" && stated === "true")
      report(open, {
        ...found,
        rule: `aria-conflict/${state}`,
        message: `The attribute "aria-hidden" with the value "true" is not allowed beside hidden="until-found": what is found would stay hidden.`,
      });
    else if (stated === "true" || stated === given)
      report(open, {
        ...found,
        severity: "warning",
        rule: `aria-not-needed/${state}`,
        message: `The attribute "${state}" of <${open.name}> is unnecessary beside "${native}".`,
      });
    else
      report(open, {
        ...found,
        rule: `aria-conflict/${state}`,
        message: `The attribute "${state}" of <${open.name}> has the value "${stated}" beside "${native}", which says something else.`,
      });
  }
};

const RANGE_TYPES = ["date", "month", "week", "time", "datetime-local", "number", "range"];

/** ARIA attributes that repeat an HTML attribute. */
export const checkValueLimits: ElementRule = (open, report) => {
  const { name } = open;
  if (name === "input" && !RANGE_TYPES.includes(inputType(open))) return;
  for (const limit of name === "progress" ? ["max"] : ["min", "max"]) {
    const attribute = `aria-value${limit}`;
    if (!value(open, attribute)) continue;
    const hasLimit = has(open, limit);
    report(open, {
      severity: hasLimit ? undefined : "warning",
      rule: hasLimit ? `aria-conflict/${attribute}` : `aria-not-needed/${attribute}`,
      message: hasLimit
        ? `The attribute "${attribute}" is not allowed on <${name}> beside "${limit}".`
        : `The attribute "${attribute}" should not be used on <${name}>; the attribute "${limit}" says it.`,
      section: ariaInHtml(`el-${name}`),
      attribute,
    } as Parameters<typeof report>[1]);
  }
};

export const checkInputAria: ElementRule = (open, report) => {
  const type = inputType(open);
  const wrong = (attribute: string, message: string, severity?: "warning") =>
    report(open, {
      ...(severity && { severity }),
      rule: severity ? `aria-not-needed/${attribute}` : `aria-conflict/${attribute}`,
      message,
      section: ariaInHtml(`el-input-${type}`),
      attribute,
    });
  if ((type === "radio" || type === "checkbox") && value(open, "aria-checked"))
    wrong(
      "aria-checked",
      `The attribute "aria-checked" is not allowed on <input type="${type}">, which has a state of its own.`,
    );
  if (type === "hidden" && open.hasAria)
    wrong(firstAria(open), 'Attributes of ARIA are not allowed on <input type="hidden">.');
  if (type === "checkbox" && open.role === "button" && !has(open, "aria-pressed"))
    report(open, {
      rule: "aria-required/aria-pressed",
      message: '<input type="checkbox" role="button"> needs the attribute "aria-pressed".',
      section: ariaInHtml("el-input-checkbox"),
      attribute: "role",
    });
  if (has(open, "list") && ["email", "search", "tel", "text", "url"].includes(type) && value(open, "aria-haspopup"))
    wrong(
      "aria-haspopup",
      `The attribute "aria-haspopup" should not be used on <input type="${type}"> with the attribute "list".`,
      "warning",
    );
};

function firstAria(open: OpenElement): string {
  return (
    open.element.attrs.find(({ name }) => name.startsWith("aria-") && name !== "aria-hidden")?.name ?? "aria-hidden"
  );
}

/** States and properties that another attribute of the element excludes. */
export const checkAriaConflicts: ElementRule = (open, report) => {
  const wrong = (attribute: string, because: string) =>
    report(open, {
      rule: `aria-conflict/${attribute}`,
      message: `The attribute "${attribute}" is not allowed on <${open.name}> ${because}.`,
      section: ariaInHtml("docconformance-attr"),
      attribute,
    });
  if (has(open, "contenteditable") && value(open, "aria-readonly") === "true")
    wrong("aria-readonly", 'with the value "true" beside "contenteditable"');
  if (has(open, "aria-placeholder") && has(open, "placeholder")) wrong("aria-placeholder", 'beside "placeholder"');
  if (!has(open, "aria-expanded")) return;
  for (const beside of ["popovertarget", "command"])
    if (has(open, beside)) wrong("aria-expanded", `beside "${beside}"`);
};

/** States and properties that should not be used. */
export const checkAriaAdvice: ElementRule = (open, report) => {
  const { name, role } = open;
  if (!open.hasAria) return;
  const warn = (attribute: string, message: string, section: string) =>
    report(open, { severity: "warning", rule: `aria-not-needed/${attribute}`, message, section, attribute });
  if (name === "a" && has(open, "href") && value(open, "aria-disabled") === "true")
    warn("aria-disabled", 'An <a> with "href" should not be "aria-disabled"; leave "href" out.', ariaInHtml("el-a"));
  if (name === "option" && value(open, "aria-selected"))
    warn("aria-selected", 'Use "selected" instead of "aria-selected" on <option>.', ariaInHtml("el-option"));
  for (const old of ["aria-dropeffect", "aria-grabbed"])
    if (has(open, old))
      warn(old, `The attribute "${old}" is deprecated: support for it is poor and will not improve.`, aria(old));
  if (role === undefined) return;
  for (const [attribute, roles] of DEPRECATED_FOR_ROLE)
    if (roles.has(role) && has(open, attribute))
      warn(attribute, `The attribute "${attribute}" should not be used with the role "${role}".`, aria(attribute));
};

/** A role that would remove the meaning of an element that keeps it. */
export const checkPresentation: ElementRule = (open, report) => {
  const { role } = open;
  if (role !== "none" && role !== "presentation") return;
  if (open.name === "" && !isSvg(open)) return;
  const isFocusable = has(open, "tabindex");
  if (!isFocusable && !open.hasAria) return;
  report(open, {
    severity: "warning",
    rule: "presentation-without-effect",
    message: `The role "${role}" has no effect on <${open.element.tagName}>: it has ${isFocusable ? 'the attribute "tabindex"' : "attributes of ARIA"}.`,
    section: aria("conflict_resolution_presentation_none"),
    attribute: "role",
  });
};
