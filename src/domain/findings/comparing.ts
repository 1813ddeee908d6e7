import { checkKinds, manifestOf } from "../../checks/kinds.ts";

/** How the findings of two reports are compared: which are the same, and with which report one is compared. */

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

/** Settings that decide what is found: reports that differ in one are not compared automatically. */
export const settingsOfFindings = [
  ...checkKinds.flatMap((kind) => {
    const { perform, engine, incomplete } = manifestOf(kind).settings;
    return [perform, engine, incomplete].filter((name) => name !== undefined);
  }),
  ...(["dynamicCrawler", "deviceId", "deviceRotated", "userAgent"] as const),
];

/** Comparisons of a report that are kept beside its own: each has a row for every finding, which no limit counts. */
export const MAX_ON_REQUEST = 3;

/** How many findings, or pages, two reports may have together to be compared while a client waits: a second or two. */
export const COMPARED_AT_ONCE = 50_000;

/** How many comparisons of one account may wait or be made, and how many of these its guests may have asked for. */
export const MAX_REQUESTS = 10;
export const MAX_OF_GUESTS = 5;

/** Whether an account, or a guest of it, may ask for one more comparison. */
export function mayRequest(waiting: { total: number; ofGuests: number }, byGuest: boolean): boolean {
  return waiting.total < MAX_REQUESTS && (!byGuest || waiting.ofGuests < MAX_OF_GUESTS);
}
