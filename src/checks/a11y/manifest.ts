import type { CheckManifest } from "../manifest.ts";

/** Accessibility of the page in a browser. Its texts are those of its rules. */
export const a11y = {
  kind: "a11y",
  needs: "browser",
  hasStandards: true,
  commonBy: ["issue_type", "rule", "impact_order"],
} as const satisfies CheckManifest;
