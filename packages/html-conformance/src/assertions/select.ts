import { sizeOf } from "./aria/redundant-roles.ts";
import { type DocumentRule, type ElementRule, has, hasWords, type OpenElement, value } from "./open-element.ts";
import { ariaInHtml, elementSection } from "./sections.ts";

type Select = {
  open: OpenElement;
  /** It needs a first option that stands for nothing: the placeholder. */
  needsPlaceholder: boolean;
  first: OpenElement | undefined;
  firstInGroup: boolean;
  firstHasText: boolean;
  selected: boolean;
};

function needsPlaceholder(select: OpenElement): boolean {
  if (!has(select, "required") || has(select, "multiple")) return false;
  return !has(select, "size") || sizeOf(select) === 1;
}

/** Options of `<select>`: the placeholder of a required one, and what is selected. */
export const watchSelects: DocumentRule = (report) => {
  const selects: Select[] = [];
  let groups = 0;
  return {
    names: ["select", "optgroup", "option"],
    open(open) {
      const { name } = open;
      if (name === "select")
        selects.push({
          open,
          needsPlaceholder: needsPlaceholder(open),
          first: undefined,
          firstInGroup: false,
          firstHasText: false,
          selected: false,
        });
      else if (name === "optgroup") groups++;
      else if (name === "option") {
        const select = selects.at(-1);
        if (!select) return;
        if (!select.first) {
          select.first = open;
          select.firstInGroup = groups > 0;
        }
        if (!has(open, "selected") || has(select.open, "multiple")) return;
        if (select.selected)
          report(open, {
            rule: "select/several-selected",
            message:
              'This is a second <option> with the attribute "selected"; the <select> needs the attribute "multiple" for that.',
            section: elementSection("option"),
            attribute: "selected",
          });
        select.selected = true;
      }
    },
    text(text, parent) {
      const select = selects.at(-1);
      if (select && parent === select.first && hasWords(text)) select.firstHasText = true;
    },
    close({ name }) {
      if (name === "optgroup") groups--;
      if (name !== "select") return;
      const select = selects.pop();
      if (select?.needsPlaceholder) checkPlaceholder(select);
    },
  };

  function checkPlaceholder({ open, first, firstInGroup, firstHasText }: Select): void {
    const required = 'A <select> with the attribute "required" that shows one row';
    const section = elementSection("select");
    if (!first)
      report(open, { rule: "select/option", message: `${required} needs an <option>.`, section, atEnd: true });
    else if (firstInGroup)
      report(first, {
        rule: "select/placeholder",
        message: `${required} needs a first <option> that is a placeholder: with value="", and not in an <optgroup>.`,
        section,
      });
    else if (value(first, "value") !== "" && (value(first, "value") !== undefined || firstHasText))
      report(first, {
        rule: "select/placeholder",
        message: `${required} needs a first <option> that is a placeholder: with value="", or without value and text.`,
        section,
      });
  }
};

/** `<optgroup>` without a `<legend>` needs a label. */
export const checkOptgroup: ElementRule = (open, report) => {
  if (has(open, "label")) return;
  // A parser that does not know the customizable select drops the tags of <legend> and keeps its text.
  const hasLegend = open.element.childNodes.some(
    (child) => child.nodeName === "legend" || (child.nodeName === "#text" && "value" in child && hasWords(child.value)),
  );
  if (hasLegend) return;
  report(open, {
    rule: "optgroup/label",
    message: 'An <optgroup> without a <legend> needs the attribute "label".',
    section: elementSection("optgroup"),
    atEnd: true,
  });
};

/** The button of a customizable `<select>`, and what it shows. */
export const checkSelectButton: ElementRule = (open, report) => {
  const { parent } = open;
  if (parent?.name !== "select") return;
  const isDropDown = has(parent, "size") ? sizeOf(parent) <= 1 : !has(parent, "multiple");
  if (!isDropDown)
    report(open, {
      rule: "select/button",
      message: "<button> is allowed in a <select> that shows one row only.",
      section: elementSection("select"),
    });
  else withoutAria(open, report, "<button> in <select>");
};

export const checkSelectedContent: ElementRule = (open, report) => {
  let around = open.parent;
  for (let up = 0; around && around.name !== "button" && up < 100; up++) around = around.parent;
  if (around?.name === "button" && around.parent?.name === "select")
    withoutAria(open, report, "<selectedcontent> in the <button> of a <select>");
  else
    report(open, {
      rule: "select/selectedcontent",
      message: "<selectedcontent> is allowed only in a <button> that is a child of <select>.",
      section: elementSection("selectedcontent"),
    });
};

function withoutAria(open: OpenElement, report: Parameters<ElementRule>[1], where: string): void {
  for (const { name, prefix } of open.element.attrs)
    if (!prefix && (name === "role" || name.startsWith("aria-")))
      report(open, {
        rule: `select/${name}`,
        message: `The attribute "${name}" is not allowed on ${where}.`,
        section: ariaInHtml(`el-${open.name}`),
        attribute: name,
      });
}
