import type { Element } from "../../tree.ts";

/** Whether a selector matches an element: no, perhaps (only a browser knows), or yes. */
export type Match = 0 | 0.5 | 1;
/** How many comparisons are left; without any, nothing matches. */
export type Budget = { left: number };
export type Test = (element: Element, budget: Budget) => Match;

export const and = (a: Match, b: Match): Match => (a < b ? a : b);
export const or = (a: Match, b: Match): Match => (a > b ? a : b);
export const not = (a: Match): Match => (1 - a) as Match;
