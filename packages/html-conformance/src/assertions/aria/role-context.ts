import { interactiveBy } from "../nesting.ts";
import {
  type DocumentRule,
  type ElementRule,
  isSvg,
  type OpenElement,
  quoted,
  type ReportProblem,
  tokens,
  value,
} from "../open-element.ts";
import { aria, ariaInHtml } from "../sections.ts";
import { WITHIN_HEADING } from "../within.ts";
import { INTERACTIVE_FREE, isInside, maskOf, PHRASING_ONLY_MASK, rolesIn } from "./role-ancestry.ts";
import { REQUIRED_CONTEXT, ROLES } from "./roles.ts";

const NOT_IN_HEADINGS =
  "alert alertdialog application dialog directory document feed listbox log marquee math note status tabpanel timer toolbar".split(
    " ",
  );
const HEADING = /^h[1-6]$/;

/** Interactive elements inside of roles whose children are presentational. */
export const checkInteractiveInRole: ElementRule = (open, report) => {
  const roles = open.ancestry.explicit & INTERACTIVE_FREE;
  if (!roles) return;
  const what = interactiveBy(open) ?? (open.name === "a" ? "<a>" : undefined);
  if (what)
    report(open, {
      severity: "warning",
      rule: "interactive-in-role",
      message: `${what} is inside of an element with the role ${quoted(rolesIn(roles))}, which should not contain interactive content.`,
      section: ariaInHtml("allowed-descendants-of-aria-roles"),
    });
};

/** Headings and roles that exclude each other. */
export const checkHeadingRoles: ElementRule = (open, report) => {
  const { name, roles } = open;
  const phrasing = open.ancestry.explicit & PHRASING_ONLY_MASK;
  if (phrasing && (HEADING.test(name) || roles.includes("heading")))
    report(open, {
      rule: "heading-in-role",
      message: `The heading <${name}> is inside of an element with the role ${quoted(rolesIn(phrasing))}, which allows phrasing content only.`,
      section: ariaInHtml("allowed-descendants-of-aria-roles"),
    });
  if (!(open.within & WITHIN_HEADING)) return;
  for (const role of roles)
    if (NOT_IN_HEADINGS.includes(role))
      report(open, {
        rule: "role-in-heading",
        message: `The role "${role}" is not allowed inside of a heading (<h1> to <h6>).`,
        section: ariaInHtml("allowed-descendants-of-aria-roles"),
        attribute: "role",
      });
};

/** An `<li>` has the role that the list around it makes it have. */
export const checkListItemRole: ElementRule = (open, report) => {
  const { roles, ancestry } = open;
  if (roles.length === 0) return;
  const wrong = (around: string, allowed: readonly string[]) =>
    report(open, {
      rule: "li-role",
      message: `The role "${open.role}" of <li> is not allowed in ${around}; allowed are ${quoted(allowed)}.`,
      section: ariaInHtml("el-li"),
      attribute: "role",
    });
  const lacks = (...allowed: string[]) => !allowed.some((role) => roles.includes(role));
  if ((!ancestry.hasRoles || isInside(ancestry, "list")) && lacks("listitem")) wrong("a list", ["listitem"]);
  if (!lacks("none", "presentation", "generic")) return;
  if (isInside(ancestry, "tablist") && lacks("tab")) wrong('the role "tablist"', ["tab"]);
  if (isInside(ancestry, "tree") && lacks("treeitem")) wrong('the role "tree"', ["treeitem"]);
  if (isInside(ancestry, "listbox", "list") && lacks("group", "option"))
    wrong('the role "listbox"', ["group", "option"]);
  const inMenu = ["group", "menuitem", "menuitemcheckbox", "menuitemradio", "separator"];
  if (isInside(ancestry, "menu", "menubar") && lacks(...inMenu)) wrong('the role "menu" or "menubar"', inMenu);
};

/** What the roles of the nearest elements around demand. */
export const checkOwnedRoles: ElementRule = (open, report) => {
  const { roles, ancestry } = open;
  if (roles.length === 0) return;
  if (roles.includes("group") && ancestry.nearestIsList)
    report(open, {
      rule: "role-context/group",
      message: `The role "group" of <${open.name}> is not allowed directly in a list, which contains "listitem".`,
      section: aria("list"),
      attribute: "role",
    });
  if (roles.some((role) => role === "none" || role === "presentation" || role === "generic")) return;
  const { nearest } = ancestry;
  if (!nearest) return;
  const wrong = (around: string, allowed: readonly string[]) =>
    report(open, {
      rule: "role-context/owned",
      message: `The role "${open.role}" is not allowed in ${around}; allowed are ${quoted(allowed)}.`,
      section: aria("mustContain"),
      attribute: "role",
    });
  if (nearest.roles.includes("rowgroup") && !roles.includes("row")) wrong('the role "rowgroup"', ["row"]);
  const outer = nearest.roles.includes("group") ? nearest.ancestry.nearest : undefined;
  if (!outer) return;
  const items = ["menuitem", "menuitemcheckbox", "menuitemradio"];
  if ((outer.roles.includes("menu") || outer.roles.includes("menubar")) && !items.some((role) => roles.includes(role)))
    wrong('the role "group" of a menu', items);
  if (outer.roles.includes("tree") && !roles.includes("treeitem")) wrong('the role "group" of a tree', ["treeitem"]);
};

const TABLE_ROLES = ["table", "grid", "treegrid"];
const ROW_PARTS = ["tbody", "thead", "tfoot"];
const contexts = new Map([...REQUIRED_CONTEXT].map(([role, owners]) => [role, { owners, mask: maskOf(owners) }]));
const OWNERS: ReadonlySet<string> = new Set([...REQUIRED_CONTEXT.values()].flat());

/** Roles that must be contained in, or owned by, others. */
export const watchRequiredContext: DocumentRule = (report) => {
  const owned = new Map<string, Set<string>>();
  const waiting: OpenElement[] = [];
  return {
    open(open) {
      const { role, id } = open;
      if (role === undefined) return;
      if (open.name && OWNERS.has(role)) own(role, value(open, "aria-owns"));
      const context = contexts.get(role);
      if (!context || open.ancestry.any & context.mask) return;
      if (open.parent?.role === "presentation" || ROW_PARTS.includes(open.name)) return;
      if (id) waiting.push(open);
      else withoutContext(report, open);
    },
    end() {
      for (const open of waiting) {
        const owners = contexts.get(open.role ?? "")?.owners ?? [];
        if (!owners.some((owner) => owned.get(owner)?.has(open.id ?? ""))) withoutContext(report, open);
      }
    },
  };

  function own(role: string, ids: string | undefined): void {
    if (!ids) return;
    const set = owned.get(role) ?? new Set();
    for (const id of tokens(ids)) set.add(id);
    owned.set(role, set);
  }
};

function withoutContext(report: ReportProblem, open: OpenElement): void {
  const owners = contexts.get(open.role ?? "")?.owners ?? [];
  report(open, {
    rule: "role-context",
    message: `The role "${open.role}" of <${open.element.tagName}> must be contained in, or owned by, an element with the role ${quoted(owners)}.`,
    section: aria("scope"),
    attribute: "role",
  });
}

/** Unknown tokens of `role` beside a known one. */
export const checkRoleTokens: ElementRule = (open, report) => {
  const { role, name } = open;
  if (role === undefined || name.includes("-") || (name === "" && !isSvg(open))) return;
  const all = tokens(role);
  if (all.length < 2 || !all.some((one) => ROLES.has(one))) return;
  const unknown = all.filter((one) => !ROLES.has(one));
  if (unknown.length > 0)
    report(open, {
      rule: "unknown-role",
      message: `The attribute "role" of <${open.element.tagName}> has ${quoted(unknown)} beside a role; this is not a role of ARIA, and browsers skip it.`,
      section: ariaInHtml(),
      attribute: "role",
    });
};

/** Cells and rows of a real table keep their roles. */
export const watchTableRoles: DocumentRule = (report) => {
  const areTables: boolean[] = [];
  return {
    names: ["table", "td", "th", "tr"],
    open(open) {
      const { name, role } = open;
      if (name === "table") areTables.push(role === undefined || TABLE_ROLES.includes(role));
      else if (role !== undefined && areTables.at(-1) && (name === "td" || name === "th" || name === "tr"))
        report(open, {
          rule: "table-role",
          message: `<${name}> has a role, but is part of a table; it may have one where the <table> has another role than ${quoted(TABLE_ROLES)}.`,
          section: ariaInHtml(`el-${name}`),
          attribute: "role",
        });
    },
    close({ name }) {
      if (name === "table") areTables.pop();
    },
  };
};

/** `<div>` groups the names and values of `<dl>`: it has no role of its own there. */
export const checkDivInDl: ElementRule = (open, report) => {
  const { role } = open;
  if (open.parent?.name !== "dl" || role === undefined || role === "none" || role === "presentation") return;
  report(open, {
    rule: "dl-div-role",
    message: `The role "${role}" is not allowed on a <div> in <dl>; allowed are "presentation" and "none".`,
    section: ariaInHtml("el-div"),
    attribute: "role",
  });
};
