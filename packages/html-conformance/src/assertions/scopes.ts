import { htmlSection } from "../finding.ts";
import { type DocumentRule, FOCUS, formatValue, has, isSvg, type OpenElement, value } from "./open-element.ts";
import { elementSection } from "./sections.ts";

/** One `autofocus` in each scope: the document, a dialog, a popover. */
export const watchAutofocus: DocumentRule = (report) => {
  const scopes: { open: OpenElement | undefined; hasFocus: boolean }[] = [{ open: undefined, hasFocus: false }];
  return {
    open(open) {
      if (!open.name || !(open.flags & FOCUS || open.name === "dialog")) return;
      if (has(open, "autofocus")) {
        const scope = scopes.at(-1);
        if (scope?.hasFocus)
          report(open, {
            rule: "autofocus-not-unique",
            message:
              'Another element has the attribute "autofocus" already; a document, dialog or popover may have one.',
            section: htmlSection("interaction.html#attr-fe-autofocus"),
            attribute: "autofocus",
          });
        if (scope) scope.hasFocus = true;
      }
      if (open.name === "dialog" || has(open, "popover")) scopes.push({ open, hasFocus: false });
    },
    close(open) {
      if (scopes.at(-1)?.open === open) scopes.pop();
    },
  };
};

/** Links of SVG do not nest. */
export const watchSvgLinks: DocumentRule = (report) => {
  let depth = 0;
  const isLink = ({ name, element }: OpenElement) => name === "" && element.tagName === "a";
  return {
    names: ["a"],
    open(open) {
      if (!isLink(open)) return;
      depth++;
      if (depth > 1)
        report(open, {
          rule: "nesting/svg-a",
          message: "<a> of SVG is inside of another <a> of SVG, which is not allowed.",
          section: "https://www.w3.org/TR/SVG2/linking.html#AElement",
        });
    },
    close(open) {
      if (isLink(open)) depth--;
    },
  };
};

/** A version of SVG that is not 1.1, once. */
export const watchSvgVersion: DocumentRule = (report) => {
  let isReported = false;
  return {
    inTemplates: true,
    names: ["svg"],
    open(open) {
      const version = value(open, "version");
      if (isReported || !isSvg(open) || (version !== "1.0" && version !== "1.2")) return;
      isReported = true;
      report(open, {
        severity: "warning",
        rule: "svg-version",
        message: `The version "${version}" of SVG is not what is checked, which is 1.1; the attribute "version" may be left out.`,
        section: "https://www.w3.org/TR/SVG11/struct.html#SVGElement",
        attribute: "version",
      });
    },
  };
};

/** Names in a `<dl>` are given once. */
export const watchDefinitionLists: DocumentRule = (report) => {
  const lists: Set<string>[] = [];
  const terms: { open: OpenElement; text: string }[] = [];
  return {
    names: ["dl", "dt"],
    inTemplates: true,
    open(open) {
      if (open.name === "dl") lists.push(new Set());
      else if (open.name === "dt" && lists.length > 0) terms.push({ open, text: "" });
    },
    text(text) {
      const term = terms.at(-1);
      if (term) term.text += text;
    },
    close(open) {
      if (open.name === "dl") lists.pop();
      const term = terms.at(-1);
      if (term?.open !== open) return;
      terms.pop();
      const name = term.text.trim();
      const names = lists.at(-1);
      if (!name || !names) return;
      if (names.has(name))
        report(open, {
          severity: "warning",
          rule: "duplicate-dt",
          message: `The name "${formatValue(name)}" is given twice in this <dl>.`,
          section: elementSection("dl"),
        });
      names.add(name);
    },
  };
};
