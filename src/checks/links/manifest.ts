import type { CheckManifest } from "../manifest.ts";
import { issues } from "./issues.ts";
import { raw } from "./raw.ts";
import { texts } from "./texts.ts";

/** Whether what pages link to and load is there. */
export const links = {
  name: "link",
  noun: "link",
  settings: { perform: "performLinkChecks", storeRaw: "storeRawLinkChecks" },
  byDefault: { report: false, schedule: false },
  engines: ["link-checker"],
  needs: "crawl",
  hasStandards: false,
  hasImpact: false,
  commonBy: ["issue_type", "rule", "message"],
  // One pod, so that each address is requested once.
  checksPerPod: 10_000_000,
  prefetch: { low: 2, batch: 10 },
  issues,
  raw,
  texts,
} as const satisfies CheckManifest;
