import type { CheckManifest } from "../manifest.ts";

/** Conformance of the source to the HTML standard. */
export const html = {
  kind: "html",
  needs: "source",
  hasStandards: false,
  commonBy: ["issue_type", "rule", "message"],
} as const satisfies CheckManifest;
