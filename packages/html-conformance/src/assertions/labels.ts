import { type DocumentRule, formatValue, is, type OpenElement, type ReportProblem, value } from "./open-element.ts";
import { ariaInHtml, elementSection } from "./sections.ts";
import { WITHIN_LABEL_FOR } from "./within.ts";

const LABELABLE: ReadonlySet<string> = new Set("button input meter output progress select textarea".split(" "));

function isLabelable(open: OpenElement): boolean {
  return LABELABLE.has(open.name) && !(open.name === "input" && is(open, "type", "hidden"));
}

type OpenLabel = { open: OpenElement; labelable: number };

/** A label names one form control, by its place or by `for`. */
export const watchLabels: DocumentRule = (report) => {
  const labels: OpenLabel[] = [];
  const references: OpenElement[] = [];
  const meant = new Map<string, number>();
  const controls = new Map<string, OpenElement>();
  return {
    open(open) {
      const { name, id } = open;
      if (id && (isLabelable(open) || name.includes("-"))) controls.set(id, open);
      if (isLabelable(open)) {
        countInLabels(open);
        if (open.within & WITHIN_LABEL_FOR && !isMeant(open)) notMeant(open);
      }
      if (name !== "label") return;
      labels.push({ open, labelable: 0 });
      const target = value(open, "for");
      if (target === undefined) return;
      references.push(open);
      meant.set(target, (meant.get(target) ?? 0) + 1);
    },
    close(open) {
      if (open.name !== "label") return;
      labels.pop();
      const target = value(open, "for");
      if (target !== undefined) meant.set(target, (meant.get(target) ?? 0) - 1);
    },
    end() {
      for (const label of references) {
        const control = controls.get(value(label, "for") ?? "");
        if (!control) withoutControl(report, label);
        else if (isLabelable(control)) ariaOnLabel(report, label);
      }
    },
  };

  /** Counts a control in the labels around it. Stops at a label with two: the labels around that have two as well. */
  function countInLabels(open: OpenElement): void {
    for (let i = labels.length - 1; i >= 0; i--) {
      const label = labels[i];
      if (!label) continue;
      label.labelable++;
      if (label.labelable === 1) {
        if (value(label.open, "for") === undefined) ariaOnLabel(report, label.open);
      } else {
        report(open, {
          rule: "label/several",
          message: `<${open.name}> is a further form control in the same <label>; a label is for one.`,
          section: elementSection("label"),
        });
        if (label.labelable > 2) return;
      }
    }
  }

  function isMeant({ id }: OpenElement): boolean {
    return id !== undefined && (meant.get(id) ?? 0) > 0;
  }

  function notMeant(open: OpenElement): void {
    report(open, {
      rule: "label/not-meant",
      message: `<${open.name}> is inside of a <label> with the attribute "for", whose value is not the ID of this <${open.name}>.`,
      section: elementSection("label"),
    });
  }
};

function withoutControl(report: ReportProblem, label: OpenElement): void {
  report(label, {
    rule: "label/for",
    message: `The value "${formatValue(value(label, "for") ?? "")}" of the attribute "for" of <label> is not the ID of a form control in this document.`,
    section: elementSection("label"),
    attribute: "for",
  });
}

function ariaOnLabel(report: ReportProblem, label: OpenElement): void {
  for (const { name, prefix } of label.element.attrs)
    if (!prefix && (name === "role" || name.startsWith("aria-")))
      report(label, {
        rule: `label/${name}`,
        message: `The attribute "${name}" is not allowed on a <label> that belongs to a form control.`,
        section: ariaInHtml("el-label"),
        attribute: name,
      });
}
