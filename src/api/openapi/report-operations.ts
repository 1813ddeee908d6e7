import {
  type CheckKind,
  capitalized,
  checkKinds,
  manifestOf,
  namedByKind,
  namesOf,
  nounOf,
  sourceKinds,
} from "../../checks/kinds.ts";
import { exportFormats } from "../../domain/export/formats.ts";
import { reportSpecSchema } from "../../schema/report.ts";
import type { Operation } from "./operation.ts";
import { componentMeta } from "./response-schemas/findings.ts";

const PAGE = "/reports/:report_id/web_pages/:web_page_id";
const EXPORT =
  "Streams the findings of all pages; if something fails meanwhile, the connection is closed before the end. Muted findings are left out unless filter[muted] is true or any; then their member muting says why.";
const MUTED = "Muted issues are left out unless filter[muted] is true.";

export const reportOperations: Readonly<Record<string, Operation>> = {
  "GET /reports": {
    id: "listReports",
    tag: "Reports",
    summary: "List reports",
    description:
      "The account's reports, most recently checked first. A host can list its guests' reports with created_by.",
    success: { kind: "list", type: "report" },
  },
  "POST /reports": {
    id: "createReport",
    tag: "Reports",
    summary: "Create a report",
    description: `Starts a validation. Only starting_url is required: up to ${reportSpecSchema.properties.maxPages.default} pages with HTML checks. A schedule, the forms of the pages and the command check begin with other defaults: docs/check.md has them side by side. Get the report again to see its progress.`,
    success: { kind: "created", type: "report" },
    errors: [402],
  },
  "GET /reports/:report_id": {
    id: "getReport",
    tag: "Reports",
    summary: "Get a report",
    description:
      "Includes its progress and counters. If-None-Match makes polling cheap, and Prefer: wait reduces the number of requests.",
    success: { kind: "one", type: "report" },
    headers: ["Prefer"],
  },
  "GET /reports/:report_id/events": {
    id: "streamReportEvents",
    tag: "Reports",
    summary: "Follow a report",
    description:
      "Server-sent events: a report event has the report's document whenever it has changed, and the end event has a reason (complete, failed or deleted). An event's id is the version. A client that reconnects with the last id in Last-Event-ID receives only what is new, or 204 when there are no more events.",
    success: { kind: "events" },
    headers: ["LastEventId"],
  },
  "PATCH /reports/:report_id": {
    id: "updateReport",
    tag: "Reports",
    summary: "Share a report, or cancel it",
    description:
      "A shared report and everything below it are readable without credentials. A report that is cancelled ends with its results so far; one that has ended cannot be cancelled. No other attribute can be changed.",
    success: { kind: "one", type: "report" },
  },
  "DELETE /reports/:report_id": {
    id: "deleteReport",
    tag: "Reports",
    summary: "Delete a report",
    description: "Stops the report if it is running, and removes it with everything below it.",
    success: { kind: "nothing" },
    errors: [409],
  },
  "GET /sites": {
    id: "listSites",
    tag: "Reports",
    summary: "List sites",
    description:
      "One per starting URL; by default the site with the newest report comes first. A guest sees only its own. change compares each with what it was before a period.",
    success: { kind: "list", type: "site" },
  },
  "GET /sites/:site_id": {
    id: "getSite",
    tag: "Reports",
    summary: "Get a site",
    success: { kind: "one", type: "site" },
  },
  "PATCH /sites/:site_id": {
    id: "updateSite",
    tag: "Reports",
    summary: "Name a site, its owner and tags",
    description: "What is left out stays as it is; null removes it.",
    success: { kind: "one", type: "site" },
  },
  "GET /sites/:site_id/history": {
    id: "getSiteHistory",
    tag: "Reports",
    summary: "Get what a site was, by day",
    success: { kind: "one", type: "site_series" },
  },
  "GET /site_rules": {
    id: "listSiteRules",
    tag: "Reports",
    summary: "List how often rules were found on sites",
    description:
      "Of each site the newest report of the whole site; those with the most errors come first. A guest sees only its own.",
    success: { kind: "list", type: "site_rule" },
  },
  "GET /reports/:report_id/web_pages": {
    id: "listWebPages",
    tag: "Web pages",
    summary: "List a report's web pages",
    description: "In the order in which they were found, unless sort says otherwise.",
    success: { kind: "list", type: "web_page" },
  },
  "GET /reports/:report_id/sections": {
    id: "listSections",
    tag: "Web pages",
    summary: "List the sections of a report's site",
    description:
      "A section has the pages of one first folder, such as /products/; / has those that are in no folder. filter[path] of other lists selects the pages of one.",
    success: { kind: "list", type: "section" },
  },
  "GET /reports/:report_id/criteria": {
    id: "listCriteria",
    tag: "Issues",
    summary: "List the success criteria of a report's standard",
    description:
      "What the checks say of each success criterion of WCAG that the standard asks for; of a report with the standard all, of each criterion of WCAG 2.2. Programs judge some of them, and none completely.",
    success: { kind: "list", type: "criterion" },
  },
  [`GET ${PAGE}`]: {
    id: "getWebPage",
    tag: "Web pages",
    summary: "Get a web page",
    success: { kind: "one", type: "web_page" },
  },
  [`PATCH ${PAGE}`]: {
    id: "updateWebPage",
    tag: "Web pages",
    summary: "Check a web page again",
    description: "Fetches the page again and repeats its checks; the report's counters are updated.",
    success: { kind: "one", type: "web_page" },
    errors: [402],
  },
  [`DELETE ${PAGE}`]: {
    id: "deleteWebPage",
    tag: "Web pages",
    summary: "Remove a web page from its report",
    description:
      "Removes the page with its issues; the report's counters are updated at once. 409 if the report is being compared with another one, and that takes long.",
    success: { kind: "nothing" },
    errors: [409],
  },
  "GET /reports/:report_id/excluded_urls": {
    id: "listExcludedUrls",
    tag: "Web pages",
    summary: "List the URLs that were left out",
    description: "Each with the reason, in the order in which they were found.",
    success: { kind: "list", type: "excluded_url" },
  },
  "GET /reports/:report_id/comparison": {
    id: "getComparison",
    tag: "Reports",
    summary: "Compare a report with an earlier one",
    description:
      "How many findings are new, fixed or still there. By default, the base is the newest earlier complete report of the same schedule that was not cut short; without a schedule, one with the same starting URL and settings. states is null without a base, while one of the two has not ended, and until the comparison is there. Two reports with many findings are compared in the background: the response is 202 until then, and asking again is the way to wait. The same two are compared once, however many ask.",
    success: {
      kind: "one",
      type: "comparison",
      until:
        "The comparison is being made: status and percent say how far it is. Get Location again after Retry-After.",
    },
  },
  "GET /reports/:report_id/comparison/rules": {
    id: "listComparedRules",
    tag: "Issues",
    summary: "List what changed between two reports, by rule",
    description:
      "The elements of each rule in each state, the most elements first. Without base, compared with the report before it; 409 while the named base is not compared with it.",
    success: { kind: "list", type: "compared_rule" },
    errors: [409],
  },
  "GET /reports/:report_id/progress": {
    id: "getProgress",
    tag: "Reports",
    summary: "Estimate how long a report takes",
    description:
      "How many checks end per minute, and how long the remaining ones take at that rate. It is based on the report's own checks of the last ten minutes; null until there are enough of them, and after the end.",
    success: { kind: "one", type: "progress" },
  },
  "GET /reports/:report_id/export": {
    id: "exportReport",
    tag: "Issues",
    summary: "Export all findings of a report",
    description: `${EXPORT} Accept chooses the format; NDJSON if it accepts any.`,
    success: {
      kind: "file",
      mediaType: Object.values(exportFormats).map(({ mediaType }) => mediaType),
      description: "The findings, page by page.",
    },
  },
  ...Object.fromEntries(
    Object.entries(exportFormats).map(([name, { mediaType, title, description }]): [string, Operation] => [
      `GET /reports/:report_id/export.${name}`,
      {
        id: `exportReportAs${title.replace(/\W/g, "")}`,
        tag: "Issues",
        summary: `Export all findings of a report as ${title}`,
        description: `${EXPORT} ${description}`,
        success: { kind: "file", mediaType, description: "The findings, page by page." },
      },
    ]),
  ),
  "GET /reports/:report_id/findings": {
    id: "listFindings",
    tag: "Issues",
    summary: "List a report's findings",
    description: `Over all pages: errors first, the most severe first, then by rule. Elements of a page that cannot be told apart are one finding. ${MUTED}`,
    success: { kind: "list", type: "finding", paging: "cursor" },
    errors: [409],
  },
  "GET /reports/:report_id/components": {
    id: "listComponents",
    tag: "Issues",
    summary: "List what has to be fixed once",
    description: `A component is the findings of one rule at the same element of several pages, such as a fault in a template. Those on the most pages come first. ${MUTED}`,
    success: { kind: "list", type: "component", meta: componentMeta },
  },
  ...namedByKind<Record<string, Operation>>((kind) => [
    `GET ${PAGE}/raw_${nounOf(kind)}_check`,
    {
      id: `getRaw${capitalized(kind)}Check`,
      tag: "Web pages",
      summary: manifestOf(kind).texts.getRaw,
      description: `Stored if the report was created with store_raw_${nounOf(kind)}_checks; otherwise 404 with raw_check_not_stored.`,
      success: { kind: "one", type: "raw_check" },
    } satisfies Operation,
  ]),
  "GET /reports/:report_id/sign_in_pictures/:step": {
    id: "getSignInPicture",
    tag: "Reports",
    summary: "Get a picture of a sign-in",
    description:
      "The page after a step to sign in of a report's credentials, or as it stood when that failed, for the report's owner: without fields, or with empty ones, and without what was typed. The report's sign_in_pictures lists them; otherwise 404 with sign_in_picture_not_stored.",
    success: { kind: "file", mediaType: "image/png", description: "What the browser showed." },
  },
  [`GET ${PAGE}/screenshot`]: {
    id: "getScreenshot",
    tag: "Web pages",
    summary: "Get a screenshot of a page",
    description: "Stored if the report was created with store_screenshot; otherwise 404 with screenshot_not_stored.",
    success: { kind: "file", mediaType: "image/png", description: "The page as the report's device shows it." },
  },
  [`GET ${PAGE}/pictures/:picture_id`]: {
    id: "getElementPicture",
    tag: "Web pages",
    summary: "Get a picture of an element",
    description: "The address is in element.picture of findings and components.",
    success: { kind: "file", mediaType: "image/webp", description: "The element, with what is around it." },
  },
  [`GET ${PAGE}/source`]: {
    id: "getPageSource",
    tag: "Web pages",
    summary: "Get the source of a page",
    description: `The text that the HTML engine checked. Coordinates refer to it: lines end at CRLF, LF or CR, and columns count UTF-16 code units. Stored for pages with ${namesOf(sourceKinds)} findings, unless it is too large or the service keeps no sources; otherwise 404 with source_not_stored.`,
    success: { kind: "file", mediaType: "text/plain", description: "The page as it was received, in UTF-8." },
  },
  ...Object.assign({}, ...checkKinds.map(commonIssueOperations), ...checkKinds.map(pageIssueOperations)),
  "GET /reports/:report_id/mutings": {
    id: "listReportMutings",
    tag: "Mutings",
    summary: "List the mutings that took effect on a report",
    success: { kind: "list", type: "muting" },
  },
};

function commonIssueOperations(kind: CheckKind): Record<string, Operation> {
  const { name } = manifestOf(kind);
  const type = `common_${nounOf(kind)}_issue` as const;
  return {
    [`GET /reports/:report_id/${type}s`]: {
      id: `listCommon${capitalized(kind)}Issues`,
      tag: "Issues",
      summary: `List the kinds of ${name} issues in a report`,
      description: MUTED,
      success: { kind: "list", type },
    },
    [`GET /reports/:report_id/${type}s/:${type}_id`]: {
      id: `getCommon${capitalized(kind)}Issue`,
      tag: "Issues",
      summary: `Get one kind of ${name} issue`,
      success: { kind: "one", type },
    },
  };
}

function pageIssueOperations(kind: CheckKind): Record<string, Operation> {
  const { name, texts } = manifestOf(kind);
  const type = `${nounOf(kind)}_issue` as const;
  return {
    [`GET ${PAGE}/${type}s`]: {
      id: `list${capitalized(kind)}Issues`,
      tag: "Issues",
      summary: `List a page's ${name} issues`,
      description: MUTED,
      success: { kind: "list", type },
    },
    [`GET ${PAGE}/${type}s/:${type}_id`]: {
      id: `get${capitalized(kind)}Issue`,
      tag: "Issues",
      summary: `Get ${texts.anIssue} of a page`,
      success: { kind: "one", type },
    },
  };
}
