import type { CheckManifest } from "../manifest.ts";
import { issues } from "./issues.ts";
import { raw } from "./raw.ts";
import { texts } from "./texts.ts";

/** Conformance of the source to the HTML standard. */
export const html = {
  name: "HTML",
  noun: "html",
  settings: { perform: "performHtmlChecks", storeRaw: "storeRawHtmlChecks", engine: "htmlEngine" },
  byDefault: { report: true, schedule: true },
  engines: ["conformance", "html-validate", "nu"],
  needs: "source",
  hasStandards: false,
  hasImpact: false,
  commonBy: ["issue_type", "rule", "message"],
  checksPerPod: 100,
  // A check takes milliseconds, and so does leasing.
  prefetch: { low: 2, batch: 4 },
  issues,
  raw,
  texts,
} as const satisfies CheckManifest;
