import { IMPLICIT_ROLES, REQUIRED_CONTEXT } from "./roles.ts";

/** Roles with presentational children, and controls: they must not contain anything interactive. */
const NOTHING_INTERACTIVE_IN = (
  "button checkbox img link math menuitem menuitemcheckbox menuitemradio option progressbar radio separator slider " +
  "switch tab"
).split(" ");
/** Roles that take phrasing content only. */
const PHRASING_ONLY = ["button", "img", "progressbar", "separator", "slider"];
/** Roles that decide which role an `<li>` inside of them may have. */
const DECIDING_FOR_LI = ["list", "tablist", "tree", "listbox", "menu", "menubar"];

const bits = new Map<string, number>();
for (const role of [...NOTHING_INTERACTIVE_IN, ...[...REQUIRED_CONTEXT.values()].flat()])
  if (!bits.has(role)) bits.set(role, 1 << bits.size);

export const INTERACTIVE_FREE = maskOf(NOTHING_INTERACTIVE_IN);
export const PHRASING_ONLY_MASK = maskOf(PHRASING_ONLY);

const liBits = new Map(DECIDING_FOR_LI.map((role, i) => [role, 1 << i]));

/** What the roles of the elements around an element mean for it. */
export type RoleAncestry = {
  /** Bits of the roles that stand alone in a `role` attribute around it. */
  readonly explicit: number;
  /** The same, with those that elements have without the attribute. */
  readonly any: number;
  /** Bits of the roles that decide for `<li>`; with `hasRoles` where there is any role at all. */
  readonly forLi: number;
  readonly hasRoles: boolean;
  /** The roles of the nearest element with a `role` attribute, and what is around that. */
  readonly nearest: { readonly roles: readonly string[]; readonly ancestry: RoleAncestry } | undefined;
  /** The nearest element with a role, given or its own, is a list. */
  readonly nearestIsList: boolean;
};

export const rootAncestry: RoleAncestry = {
  explicit: 0,
  any: 0,
  forLi: 0,
  hasRoles: false,
  nearest: undefined,
  nearestIsList: false,
};

/** The ancestry of the children of an element with this name and these roles. */
export function ancestryInside(
  ancestry: RoleAncestry,
  name: string,
  role: string | undefined,
  roles: readonly string[],
): RoleAncestry {
  const implicit = IMPLICIT_ROLES.get(name);
  if (implicit === undefined && role === undefined) return ancestry;
  const isGiven = name !== "" && roles.length > 0;
  return {
    explicit: ancestry.explicit | bitOf(role),
    any: ancestry.any | bitOf(role) | bitOf(implicit),
    forLi: isGiven ? roles.reduce((mask, one) => mask | (liBits.get(one) ?? 0), ancestry.forLi) : ancestry.forLi,
    hasRoles: ancestry.hasRoles || isGiven,
    nearest: isGiven ? { roles, ancestry } : ancestry.nearest,
    nearestIsList: isGiven ? roles.includes("list") : implicit ? implicit === "list" : ancestry.nearestIsList,
  };
}

function bitOf(role: string | undefined): number {
  return role === undefined ? 0 : (bits.get(role) ?? 0);
}

export function maskOf(roles: readonly string[]): number {
  return roles.reduce((mask, role) => mask | bitOf(role), 0);
}

/** The roles that a mask names. */
export function rolesIn(mask: number): string[] {
  return [...bits].filter(([, bit]) => mask & bit).map(([role]) => role);
}

/** True where one of these roles, which decide for `<li>`, is around. */
export function isInside(ancestry: RoleAncestry, ...roles: readonly string[]): boolean {
  return roles.some((role) => ancestry.forLi & (liBits.get(role) ?? 0));
}
