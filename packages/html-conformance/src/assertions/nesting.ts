import { type ElementRule, elements, has, is, type OpenElement } from "./open-element.ts";
import { elementSection, INTERACTIVE } from "./sections.ts";
import { type Around, namesOf, WITHIN_LINK, within } from "./within.ts";

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6", "hgroup"];
const SECTIONING = ["article", "aside", "nav", "section"];

/** Elements, and what must not be inside of them at any depth. */
const PROHIBITED: readonly (readonly [Around, readonly string[]])[] = [
  ["form", ["form"]],
  ["progress", ["progress"]],
  ["meter", ["meter"]],
  ["dfn", ["dfn"]],
  ["noscript", ["noscript"]],
  ["label", ["label"]],
  ["caption", ["table"]],
  ["header", ["header", "footer"]],
  ["footer", ["header", "footer"]],
  ["address", ["address", "header", "footer", ...HEADINGS, ...SECTIONING]],
  ["dt", ["header", "footer", ...HEADINGS, ...SECTIONING]],
  ["th", ["header", "footer", ...HEADINGS, ...SECTIONING]],
];

const CONTROLS = within("a", "button");
const INTERACTIVE_ELEMENTS = ["button", "details", "dialog", "embed", "iframe", "label", "select", "textarea"];
const INTERACTIVE_ROLES: ReadonlySet<string> = new Set(
  (
    "button checkbox combobox grid gridcell listbox menu menubar menuitem menuitemcheckbox menuitemradio option radio " +
    "scrollbar searchbox slider spinbutton switch tab textbox treeitem"
  ).split(" "),
);

const prohibitedAround = new Map<string, number>();
for (const [ancestor, descendants] of PROHIBITED)
  for (const name of descendants) prohibitedAround.set(name, (prohibitedAround.get(name) ?? 0) | within(ancestor));

/** What makes an element interactive, in words; undefined where it is not. */
export function interactiveBy(open: OpenElement): string | undefined {
  const { name, role } = open;
  if (INTERACTIVE_ELEMENTS.includes(name)) return `<${name}>`;
  if (name === "a" && has(open, "href")) return '<a> with the attribute "href"';
  if (name === "input" && !is(open, "type", "hidden")) return "<input>";
  if ((name === "video" || name === "audio") && has(open, "controls")) return `<${name}> with the attribute "controls"`;
  if ((name === "img" || name === "object") && has(open, "usemap")) return `<${name}> with the attribute "usemap"`;
  if (has(open, "tabindex")) return `<${name}> with the attribute "tabindex"`;
  if (role && INTERACTIVE_ROLES.has(role)) return `<${name}> with the role "${role}"`;
  return undefined;
}

/** Elements that must not be inside of others, however deep. */
export const checkNesting: ElementRule = (open, report) => {
  const { name } = open;
  if (open.within === 0) return;
  const around = open.within & (prohibitedAround.get(name) ?? 0);
  if (around)
    report(open, {
      rule: `nesting/${name}`,
      message: `<${name}> is inside of ${elements(namesOf(around))}, where it is not allowed at any depth.`,
      section: elementSection(namesOf(around)[0] ?? name),
    });
  const controls = open.within & CONTROLS;
  if (!controls) return;
  const what = interactiveBy(open) ?? (name === "a" ? "<a>" : undefined);
  if (what)
    report(open, {
      rule: `nesting/interactive`,
      message: `${what} is interactive content; it is not allowed inside of ${elements(namesOf(controls))}.`,
      section: INTERACTIVE,
    });
};

export const checkArea: ElementRule = (open, report) => {
  if (open.within & within("map")) return;
  report(open, { rule: "nesting/area", message: "<area> is not inside of <map>.", section: elementSection("area") });
};

export const checkIsMap: ElementRule = (open, report) => {
  if (!has(open, "ismap") || open.within & WITHIN_LINK) return;
  report(open, {
    rule: "nesting/ismap",
    message: 'The attribute "ismap" of <img> needs an <a> with the attribute "href" around it.',
    section: elementSection("img"),
    attribute: "ismap",
  });
};
