/** What the service knows of a kind of check besides its engines. A kind is added by a folder here. */
export type CheckManifest = {
  /** In sentences. */
  name: string;
  /** The settings of a report: whether it performs these checks, and whether it stores what their engine returned. */
  settings: { perform: string; storeRaw: string };
  /** What it runs on: the source as the crawler has stored it, or the page in a browser. */
  needs: "source" | "browser";
  /** Its rules are of accessibility standards: what is outside of the report's standard is not counted. */
  hasStandards: boolean;
  /** Issues of several pages that are equal in these are one common issue. */
  commonBy: readonly ("issue_type" | "rule" | "message" | "impact_order")[];
  /** How many waiting checks justify one more pod. */
  checksPerPod: number;
  /** Checks that a checker leases in advance, in multiples of those that it runs at once: below `low`, `batch` more. */
  prefetch: { low: number; batch: number };
};
