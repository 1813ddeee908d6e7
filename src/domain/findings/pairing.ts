/** Which findings of two reports are the same. The statements are in database/findings/pairs.ts. */

/** What two findings must have in common to be paired in a step. */
export type PairingStep = {
  keys: readonly ("fingerprint" | "page_key" | "kind" | "rule" | "tag" | "path")[];
  /** Only of pages that one of the reports has. */
  onlyRenamed?: true;
};

/**
 * The steps in which findings of two reports are paired, each on what the earlier ones left:
 *
 * 1. the same finding;
 * 2. of the same rule on the same page, or on one that was renamed: the same element in the same place,
 * 3. the same element in another place,
 * 4. another element in the same place;
 * 5. of the same rule on pages that only one of the reports has: the same element in the same place. These pages have
 *    been renamed, and their faults do not say which is which.
 */
export const pairingSteps: readonly PairingStep[] = [
  { keys: ["fingerprint"] },
  { keys: ["page_key", "kind", "rule", "tag", "path"] },
  { keys: ["page_key", "kind", "rule", "tag"] },
  { keys: ["page_key", "kind", "rule", "path"] },
  { keys: ["kind", "rule", "tag", "path"], onlyRenamed: true },
];

/** Before the first step that looks at one page at a time, renamed pages are found. */
export const firstStepOfPages = pairingSteps.findIndex(({ keys }) => keys.includes("page_key"));
