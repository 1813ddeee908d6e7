import type { CheckManifest } from "../manifest.ts";

/** Accessibility of the page in a browser. Its texts are those of its rules. */
export const a11y = {
  name: "accessibility",
  settings: { perform: "performA11yChecks", storeRaw: "storeRawA11yChecks" },
  needs: "browser",
  hasStandards: true,
  commonBy: ["issue_type", "rule", "impact_order"],
  // A check takes seconds.
  checksPerPod: 15,
  prefetch: { low: 0.5, batch: 1 },
} as const satisfies CheckManifest;
