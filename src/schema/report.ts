import type { FromSchema } from "json-schema-to-ts";
import { defaultA11yDepth } from "./a11y-depths.ts";
import { crawlTargetProperties as p, trackingParameters } from "./crawl-target.ts";
import { defaultHtmlEngine } from "./html-engines.ts";
import { defaultStandard } from "./standards.ts";

/** `spec` of a Report resource, with the defaults of a report. */
export const reportSpecSchema = {
  type: "object",
  description: "What to crawl and which checks to perform. Immutable, except for shared, tags and cancelled.",
  required: ["startingUrl"],
  additionalProperties: false,
  properties: {
    ...p,
    initialUrls: { ...p.initialUrls, default: [] },
    sameSite: { ...p.sameSite, default: [] },
    exclusions: { ...p.exclusions, default: [] },
    includeGlobs: { ...p.includeGlobs, default: [] },
    includeLinks: { ...p.includeLinks, default: [] },
    excludeLinks: { ...p.excludeLinks, default: [] },
    excludeGlobs: { ...p.excludeGlobs, default: [] },
    maxPages: { ...p.maxPages, default: 10 },
    rateLimit: { ...p.rateLimit, default: 1 },
    activeDeadlineSeconds: { ...p.activeDeadlineSeconds, default: 0 },
    pageTimeoutSeconds: { ...p.pageTimeoutSeconds, default: 30 },
    signInSeconds: { ...p.signInSeconds, default: 120 },
    signInTries: { ...p.signInTries, default: 3 },
    deepCrawl: { ...p.deepCrawl, default: true },
    preferCanonicalUrls: { ...p.preferCanonicalUrls, default: true },
    followFrames: { ...p.followFrames, default: true },
    followHashRoutes: { ...p.followHashRoutes, default: false },
    useSitemaps: { ...p.useSitemaps, default: false },
    ignoredParameters: { ...p.ignoredParameters, default: trackingParameters },
    dynamicCrawler: { ...p.dynamicCrawler, default: false },
    respectRobots: { ...p.respectRobots, default: false },
    visitActions: { ...p.visitActions, default: false },
    visitForms: { ...p.visitForms, default: true },
    allowPosts: { ...p.allowPosts, default: [] },
    userAgent: { ...p.userAgent, default: "" },
    htmlEngine: { ...p.htmlEngine, default: defaultHtmlEngine },
    standard: { ...p.standard, default: defaultStandard },
    a11yDepth: { ...p.a11yDepth, default: defaultA11yDepth },
    storeIncompleteChecks: { ...p.storeIncompleteChecks, default: false },
    storeScreenshot: { ...p.storeScreenshot, default: false },
    basicAuthId: { ...p.basicAuthId, default: "" },
    basicAuthSecret: { ...p.basicAuthSecret, default: "" },
    deviceId: { ...p.deviceId, default: "" },
    devices: { ...p.devices, default: [] },
    prepare: { ...p.prepare, default: [] },
    states: { ...p.states, default: [] },
    waitFor: { ...p.waitFor, default: {} },
    hide: { ...p.hide, default: [] },
    deviceRotated: { ...p.deviceRotated, default: false },
    gate: { ...p.gate, default: {} },
    baseId: {
      type: "string",
      maxLength: 36,
      pattern: "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$",
      description:
        "Id of the report to compare this one with when it ends; its gate judges new findings by this comparison. By default it is the newest earlier complete report with the same starting URL and settings or, for a schedule's report, the schedule's previous one.",
      default: "",
    },
    shared: { ...p.shared, default: false },
    tags: { ...p.tags, default: [] },
    cancelled: {
      type: "boolean",
      description:
        "End the report early and keep its results so far: the crawl stops, and unfinished checks fail with the code cancelled. This cannot be undone, and has no effect on a report that has ended.",
      default: false,
    },
  },
} as const;

/** A report's definition with every default filled in. */
export type ReportSpec = FromSchema<typeof reportSpecSchema>;

/** The fields of a Report's spec that may change after creation. */
export const mutableReportFields = ["shared", "tags", "cancelled"] as const;

/** What may change of a report. */
export type MutableReportSpec = Pick<ReportSpec, (typeof mutableReportFields)[number]>;

/** Why a spec may not replace the one before it. */
export const immutableSpec = `A Report's spec cannot be changed, except for ${mutableReportFields.join(", ")}: create a new Report.`;

/** A rule over a Report's spec and the spec that it replaces. `cel` is for the CRD, and `holds` is the same rule. */
export const staysCancelled = {
  field: "cancelled",
  message: "A Report that is cancelled stays cancelled: create a new Report.",
  cel: "self.cancelled || !oldSelf.cancelled",
  holds: (spec: Partial<ReportSpec>, before: Partial<ReportSpec>) =>
    spec.cancelled === true || before.cancelled !== true,
} as const;
