import type { FromSchema } from "json-schema-to-ts";
import { crawlTargetProperties as p } from "./crawl-target.ts";
import { defaultHtmlEngine } from "./html-engines.ts";

/** `spec` of a Report resource, with the defaults of a report. */
export const reportSpecSchema = {
  type: "object",
  description: "What to crawl and which checks to perform. Immutable, except for shared and tags.",
  required: ["startingUrl"],
  additionalProperties: false,
  properties: {
    ...p,
    initialUrls: { ...p.initialUrls, default: [] },
    exclusions: { ...p.exclusions, default: [] },
    maxPages: { ...p.maxPages, default: 10 },
    rateLimit: { ...p.rateLimit, default: 1 },
    activeDeadlineSeconds: { ...p.activeDeadlineSeconds, default: 0 },
    deepCrawl: { ...p.deepCrawl, default: true },
    preferCanonicalUrls: { ...p.preferCanonicalUrls, default: true },
    dynamicCrawler: { ...p.dynamicCrawler, default: false },
    respectRobots: { ...p.respectRobots, default: false },
    performHtmlChecks: { ...p.performHtmlChecks, default: true },
    performA11yChecks: { ...p.performA11yChecks, default: false },
    htmlEngine: { ...p.htmlEngine, default: defaultHtmlEngine },
    storeRawHtmlChecks: { ...p.storeRawHtmlChecks, default: false },
    storeRawA11yChecks: { ...p.storeRawA11yChecks, default: false },
    storeIncompleteChecks: { ...p.storeIncompleteChecks, default: false },
    storeScreenshot: { ...p.storeScreenshot, default: false },
    basicAuthId: { ...p.basicAuthId, default: "" },
    basicAuthSecret: { ...p.basicAuthSecret, default: "" },
    deviceId: { ...p.deviceId, default: "" },
    deviceRotated: { ...p.deviceRotated, default: false },
    shared: { ...p.shared, default: false },
    tags: { ...p.tags, default: [] },
  },
} as const;

/** A report's definition with every default filled in. */
export type ReportSpec = FromSchema<typeof reportSpecSchema>;

/** The fields of a Report's spec that may change after creation. */
export const mutableReportFields = ["shared", "tags"] as const;
