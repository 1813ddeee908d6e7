import type { Element } from "../../tree.ts";

/** Whether a selector matches an element: it does not, only a browser knows, or it does. */
export type Match = 0 | 0.5 | 1;
/** What may still be compared; nothing matches where nothing is left. */
export type Budget = { left: number };
export type Test = (element: Element, budget: Budget) => Match;

export const and = (a: Match, b: Match): Match => (a < b ? a : b);
export const or = (a: Match, b: Match): Match => (a > b ? a : b);
export const not = (a: Match): Match => (1 - a) as Match;
