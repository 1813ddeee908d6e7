import type { CheckManifest } from "../manifest.ts";

/** Conformance of the source to the HTML standard. */
export const html = {
  name: "HTML",
  settings: { perform: "performHtmlChecks", storeRaw: "storeRawHtmlChecks" },
  needs: "source",
  hasStandards: false,
  commonBy: ["issue_type", "rule", "message"],
  checksPerPod: 100,
  // A check takes milliseconds, and so does leasing.
  prefetch: { low: 2, batch: 4 },
} as const satisfies CheckManifest;
