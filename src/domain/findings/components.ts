/** Findings of one rule at the same element of several pages are a component: a fault of a template. */

export const componentSortKeys = ["impact", "how_many", "pages"] as const;
export type ComponentSort = { key: (typeof componentSortKeys)[number]; direction: "asc" | "desc" };

/** The most requested order: those on the most pages first. */
export const usualSort: ComponentSort = { key: "pages", direction: "desc" };

/** How many components are stored in that order, for every report. */
export const MAX_FIRST = 100;

/** All components are stored of reports with more findings: those of fewer are grouped in a few milliseconds. */
export const MIN_FINDINGS = 5_000;

/** And with fewer components: more would need as much room as the findings. */
export const MAX_COMPONENTS = 20_000;

/** For how many of the largest components there may be a sum. */
export const MAX_LARGEST = 100;

/** The numbers of largest components for which there is a sum. */
const LARGEST = [1, 2, 3, 5, 10, 20, 50, MAX_LARGEST];

/** How many elements the largest components have together. */
export type LargestComponents = { components: number; how_many: number };

/** Adds up the largest components. @param howMany the elements of each, in descending order */
export function sumsOfLargest(howMany: readonly number[]): LargestComponents[] {
  return LARGEST.filter((components) => components <= howMany.length).map((components) => ({
    components,
    how_many: howMany.slice(0, components).reduce((sum, one) => sum + one, 0),
  }));
}
