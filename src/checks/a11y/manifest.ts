import type { CheckManifest } from "../manifest.ts";
import { issues } from "./issues.ts";
import { texts } from "./texts.ts";

const results = (description: string) => ({ type: "array", items: { type: "object" }, description }) as const;

/** Accessibility of the page in a browser. Its messages are those of its rules. */
export const a11y = {
  name: "accessibility",
  noun: "a11y",
  settings: {
    perform: "performA11yChecks",
    storeRaw: "storeRawA11yChecks",
    incomplete: "storeIncompleteChecks",
    depth: "a11yDepth",
  },
  // A schedule watches a site, so it covers more of it.
  byDefault: { report: false, schedule: true },
  engines: ["axe-core", "acting"],
  needs: "browser",
  hasStandards: true,
  hasImpact: true,
  commonBy: ["issue_type", "rule", "impact_order"],
  // A check takes seconds.
  checksPerPod: 15,
  prefetch: { low: 0.5, batch: 1 },
  issues,
  raw: {
    description: "axe-core's results object.",
    properties: {
      violations: results("a11y: what is wrong."),
      incomplete: results("a11y: what a person must review."),
      passes: results("a11y: what is right."),
    },
  },
  texts,
} as const satisfies CheckManifest;
