import { htmlSection } from "../finding.ts";
import {
  ARIA,
  type DocumentRule,
  FOCUS,
  formatValue,
  has,
  is,
  type OpenElement,
  tokens,
  value,
} from "./open-element.ts";
import { aria, elementSection } from "./sections.ts";

const FORM_OWNED: ReadonlySet<string> = new Set("button fieldset input object output select textarea".split(" "));

/** An ID is given once. The message does not say where: it is the same on every page, so that its findings are one issue. */
export const watchDuplicateIds: DocumentRule = (report) => {
  const seen = new Set<string>();
  return {
    open(open) {
      const { id } = open;
      if (id === undefined) return;
      if (!seen.has(id)) seen.add(id);
      else
        report(open, {
          rule: "duplicate-id",
          message: `Another element before this one has the ID "${formatValue(id)}" already; an ID is for one element.`,
          section: htmlSection("dom.html#the-id-attribute"),
          attribute: "id",
        });
    },
  };
};

type Reference = { open: OpenElement; attribute: string; id: string; target: "any" | "form" | "datalist" | "popover" };

const TARGETS = {
  any: "an element",
  form: "a <form>",
  datalist: "a <datalist>",
  popover: 'an element with the attribute "popover"',
};

/** References that must lead to an element. */
export const watchReferences: DocumentRule = (report) => {
  const ids = {
    any: new Set<string>(),
    form: new Set<string>(),
    datalist: new Set<string>(),
    popover: new Set<string>(),
  };
  const references: Reference[] = [];
  return {
    open(open) {
      const { name } = open;
      addId(open);
      if (FORM_OWNED.has(name) && !(name === "input" && is(open, "type", "hidden"))) refer(open, "form", "form");
      if (name === "input") refer(open, "list", "datalist");
      if (name === "button") refer(open, "commandfor", "any");
      if (name === "output") referToEach(open, "for");
      if (name === "button" || name === "input") refer(open, "popovertarget", "popover");
      if (open.flags & ARIA) referToEach(open, "aria-activedescendant");
    },
    end() {
      for (const { open, attribute, id, target } of references)
        if (!ids[target].has(id))
          report(open, {
            rule: `dangling-reference/${attribute}`,
            message: `The value "${formatValue(id)}" of the attribute "${attribute}" of <${open.element.tagName}> is not the ID of ${TARGETS[target]} in this document.`,
            section: attribute.startsWith("aria-") ? aria(attribute) : elementSection(open.name),
            attribute,
          });
    },
  };

  function addId(open: OpenElement): void {
    const { id, name } = open;
    if (!id) return;
    ids.any.add(id);
    if (name === "form" || name === "datalist") ids[name].add(id);
    if (open.flags & FOCUS && has(open, "popover")) ids.popover.add(id);
  }

  function refer(open: OpenElement, attribute: string, target: Reference["target"]): void {
    const id = value(open, attribute);
    if (id !== undefined) references.push({ open, attribute, id, target });
  }

  function referToEach(open: OpenElement, attribute: string): void {
    for (const id of tokens(value(open, attribute) ?? "")) references.push({ open, attribute, id, target: "any" });
  }
};

/** `aria-activedescendant` leads to a descendant, or `aria-owns` says where it is. */
export const watchActiveDescendants: DocumentRule = (report) => {
  const waiting = new Map<string, Set<OpenElement>>();
  return {
    open(open) {
      if (open.id) waiting.delete(open.id);
      const id = open.flags & ARIA ? value(open, "aria-activedescendant") : undefined;
      if (!id || (open.name && value(open, "aria-owns"))) return;
      waiting.set(id, (waiting.get(id) ?? new Set()).add(open));
    },
    close(open) {
      const id = open.flags & ARIA ? value(open, "aria-activedescendant") : undefined;
      if (!id || !waiting.get(id)?.delete(open)) return;
      report(open, {
        severity: "warning",
        rule: "active-descendant",
        message: `The attribute "aria-activedescendant" of <${open.element.tagName}> should name a descendant, or the attribute "aria-owns" should be there.`,
        section: aria("aria-activedescendant"),
        attribute: "aria-activedescendant",
      });
    },
  };
};

/** A selected tab has its panel. */
export const watchTabs: DocumentRule = (report) => {
  const panels = new Set<string>();
  const labelled = new Set<string>();
  const tabs: OpenElement[] = [];
  return {
    open(open) {
      if (open.roles.length === 0 || !open.name) return;
      if (open.roles.includes("tabpanel")) {
        if (open.id) panels.add(open.id);
        const label = value(open, "aria-labelledby");
        if (label) labelled.add(label);
      }
      if (open.roles.includes("tab") && value(open, "aria-selected") === "true") tabs.push(open);
    },
    end() {
      for (const tab of tabs)
        if (!panels.has(value(tab, "aria-controls") ?? "") && !labelled.has(tab.id ?? ""))
          report(tab, {
            rule: "tab-without-panel",
            message: `The selected tab <${tab.name}> has no panel: no element with the role "tabpanel" is named by its "aria-controls", or names it in "aria-labelledby".`,
            section: aria("tab"),
            attribute: "role",
          });
    },
  };
};

/** Image maps that are there. */
export const watchImageMaps: DocumentRule = (report) => {
  const names = new Set<string>();
  const uses: { open: OpenElement; name: string }[] = [];
  return {
    names: ["map", "img", "object"],
    inTemplates: true,
    open(open) {
      if (open.name === "map") {
        const name = value(open, "name");
        if (name) names.add(name);
      } else if (open.name === "img" || open.name === "object") {
        const usemap = value(open, "usemap") ?? "";
        const hash = usemap.indexOf("#");
        if (hash > -1 && hash < usemap.length - 1) uses.push({ open, name: usemap.slice(hash + 1) });
      }
    },
    end() {
      for (const { open, name } of uses)
        if (!names.has(name))
          report(open, {
            rule: "dangling-reference/usemap",
            message: `The value "#${formatValue(name)}" of the attribute "usemap" of <${open.name}> is not the name of a <map> in this document.`,
            section: htmlSection("image-maps.html#attr-hyperlink-usemap"),
            attribute: "usemap",
          });
    },
  };
};
