/**
 * What a Report and a Schedule have in common: the definition of one run. Each property is
 * written once, here; its type, its validation, the CRD and the OpenAPI document derive from
 * it. The two resources differ only in their defaults, which are in report.ts and schedule.ts; those of what each kind of
 * check has are in its manifest.
 *
 * Names are camelCase; the API's snake_case names are derived (see api-names.ts).
 */

import { a11yDepths } from "./a11y-depths.ts";
import { gateSchema } from "./gate.ts";
import { htmlEngines } from "./html-engines.ts";
import { performProperties, storeRawProperties } from "./kind-settings.ts";
import { reportStandards } from "./standards.ts";
import { hideSchema, prepareSchema, statesSchema, waitForSchema } from "./steps.ts";

/** The longest URL that is accepted; longer ones are treated as crawl traps. */
export const MAX_URL_LENGTH = 2000;

/** Servers refuse requests whose headers are long; real user agents have up to 250 characters. */
export const MAX_USER_AGENT_LENGTH = 512;

const url = {
  type: "string",
  minLength: 8,
  maxLength: MAX_URL_LENGTH,
  // No userinfo: URLs are shown, so credentials belong in stored Basic HTTP Authentication.
  pattern: "^[hH][tT][tT][pP][sS]?://[^\\s/?#@]+([/?#]\\S*)?$",
} as const;

const globs = {
  type: "array",
  // Braces, which other globs have for alternatives, are refused rather than taken for text.
  items: { type: "string", minLength: 1, maxLength: 500, pattern: "^[^{}\\s]+$" },
  maxItems: 100,
} as const;
const GLOB_TEXT =
  "* is any text without a slash, ** any text. One with a scheme is compared with the whole URL, otherwise with the path, in which one without a slash at its start may begin in any folder; the query is compared only if the glob has a question mark.";

/** Maximum for all initial URLs together, because every response about a report contains them. */
export const MAX_INITIAL_CHARACTERS = 200_000;

export const crawlTargetProperties = {
  startingUrl: {
    ...url,
    description:
      "Where the crawler starts: a page, a sitemap (XML, sitemap index, gzip) or a plain text list of URLs. http or https, without user name or password.",
  },
  initialUrls: {
    type: "array",
    items: url,
    maxItems: 1_000,
    description: `Further URLs that the crawler visits besides startingUrl; each may be a sitemap or a text list. At most ${MAX_INITIAL_CHARACTERS} characters together.`,
  },
  sameSite: {
    type: "array",
    items: {
      type: "string",
      minLength: 1,
      maxLength: 253,
      pattern: "^(www|subdomains|(\\*\\.)?[a-z0-9_]([-a-z0-9_.]*[a-z0-9])?(:[0-9]{1,5})?)$",
    },
    maxItems: 50,
    description:
      "Further hosts that belong to the site: www (the host of startingUrl with or without www.), subdomains (of that host without www.), a host such as shop.example.com, or all below one, such as *.example.com; with a port unless it is that of the scheme. Credentials stay with their own host. Without any, other hosts are off_site.",
  },
  exclusions: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: MAX_URL_LENGTH },
    maxItems: 100,
    description: "URLs or parts of them; the crawler skips every URL that contains one of these strings.",
  },
  includeGlobs: {
    ...globs,
    description: `Globs of the only URLs that are pages of the report, such as /docs/**. ${GLOB_TEXT} The starting and initial URLs are visited in any case, and lead on, but are pages only if a glob matches them. Without globs every URL is included.`,
  },
  excludeGlobs: {
    ...globs,
    description: `Globs of URLs that the crawler skips, besides exclusions, such as *.pdf or /blog/*/comments. ${GLOB_TEXT}`,
  },
  maxPages: {
    type: "integer",
    minimum: 0,
    maximum: 1_000_000,
    description:
      "The maximum number of pages that the crawler includes. 0 means no limit, if the operator allows that.",
  },
  rateLimit: {
    type: "integer",
    minimum: 0,
    maximum: 10_000,
    description:
      "The maximum number of page requests per second, of crawler and checkers together. 0 means no limit, if the operator allows that.",
  },
  activeDeadlineSeconds: {
    type: "integer",
    minimum: 0,
    maximum: 2_592_000,
    description:
      "How long a report may run, in seconds from the start of its crawl. When the time is up, the crawl stops, unfinished checks fail with the code deadline_exceeded, and the report ends with its results so far. 0 means no deadline.",
  },
  pageTimeoutSeconds: {
    type: "integer",
    minimum: 1,
    maximum: 300,
    description:
      "How long one page may take, in seconds: to respond, with its redirects; in a browser to load, and to be read or checked. A page that takes longer fails with the code timeout.",
  },
  signInSeconds: {
    type: "integer",
    minimum: 10,
    maximum: 900,
    description:
      "How long one sign-in with the steps of the credentials may take, in seconds, all steps together. The pages that need it wait meanwhile.",
  },
  signInTries: {
    type: "integer",
    minimum: 1,
    maximum: 10,
    description:
      "How often signing in is tried until it succeeds: after a time-out, a fault of the server or the end of a browser, each time after a longer pause. What the site has refused, such as a password, is never tried again.",
  },
  deepCrawl: {
    type: "boolean",
    description:
      "Follow links on the pages found, until maxPages is reached. Without it only the links of the starting URL are followed, and neither those of initial URLs nor those of pages that a sitemap lists.",
  },
  preferCanonicalUrls: {
    type: "boolean",
    description: "Check the canonical URL that a page declares instead of the URL that led to it.",
  },
  followFrames: {
    type: "boolean",
    description: "Check the documents in the frames and iframes of the site as pages, too.",
  },
  followHashRoutes: {
    type: "boolean",
    description:
      "Open views behind a # that links lead to, such as #/about and #!about, as pages of their own. Requires dynamicCrawler.",
  },
  useSitemaps: {
    type: "boolean",
    description: "Visit what the sitemaps list that the site's robots.txt names.",
  },
  ignoredParameters: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 100, pattern: "^[^*&=?#/;,\\s]+[*]?$" },
    maxItems: 100,
    description:
      "Names of URL parameters that do not make another page, in any case; a * at the end stands for any rest. They are removed from URLs before these are visited, in the query and after a ; in the path.",
  },
  dynamicCrawler: {
    type: "boolean",
    description: "Render pages in a headless browser, so that links created by scripts are found.",
  },
  respectRobots: {
    type: "boolean",
    description: "Skip the URLs that the site's robots.txt disallows for the product name in userAgent.",
  },
  visitActions: {
    type: "boolean",
    description:
      "Visit even addresses that change something, such as /posts/7/delete. By default they are left out as acts while credentials go to them, and otherwise if they have a one-time token, too; and what scripts of such pages send is stopped, unless it only reads. What these addresses do cannot be undone.",
  },
  visitForms: {
    type: "boolean",
    description:
      "Visit forms that edit or make something (/posts/7/edit) while credentials go to them: last, and at most three of a family, because some systems take a lock or make a draft. Without it all are left out.",
  },
  allowPosts: {
    ...globs,
    description: `Globs of addresses to which scripts of pages may send anything, such as /graphql, although credentials go there: for those that read by POST. ${GLOB_TEXT}`,
  },
  userAgent: {
    type: "string",
    maxLength: MAX_USER_AGENT_LENGTH,
    pattern: "^([!-~]([ -~]*[!-~])?)?$",
    description:
      "The User-Agent of every request, in browsers too, where it replaces that of the device. Printable ASCII. Everyone who can read the report can see it.",
  },
  ...performProperties("report"),
  htmlEngine: {
    type: "string",
    enum: htmlEngines,
    description:
      "What checks HTML: conformance (the HTML Standard, as the Nu Html Checker checks it), html-validate, or nu (the Nu Html Checker itself, where it can run).",
  },
  standard: {
    type: "string",
    enum: reportStandards,
    description:
      "What makes an accessibility finding an error or a warning: a rule of this standard or, with all, any rule. Findings of other rules, such as best practices, are kept and counted separately, and never fail a gate.",
  },
  a11yDepth: {
    type: "string",
    enum: a11yDepths,
    description:
      "How far accessibility checks go: static reads each page, acting also uses the first three pages of each template, with a keyboard, at other sizes and as time passes, and acting_everywhere every page. Most of what only acting finds needs a review, which storeIncompleteChecks keeps. Requires performA11yChecks.",
  },
  includeLinks: {
    ...globs,
    description: `Globs of the only addresses that link checks look at, such as https://example.com/**. ${GLOB_TEXT} Without globs they look at every address.`,
  },
  excludeLinks: {
    ...globs,
    description: `Globs of addresses that link checks leave alone. ${GLOB_TEXT}`,
  },
  ...storeRawProperties,
  storeIncompleteChecks: {
    type: "boolean",
    description:
      "Keep the accessibility engine's results that need manual review, as warnings. Requires performA11yChecks.",
  },
  storeScreenshot: {
    type: "boolean",
    description:
      "Keep a screenshot of every checked page, with or without accessibility checks; and of the page after each step to sign in, without what is typed, for the owner.",
  },
  basicAuthId: {
    type: "string",
    maxLength: 63,
    description:
      "Id of stored credentials: for Basic HTTP Authentication, headers and cookies that the site needs, or how somebody signs in.",
  },
  basicAuthSecret: {
    type: "string",
    maxLength: 253,
    pattern: "^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$",
    description:
      "Name of a Secret of type kubernetes.io/basic-auth in the same namespace, for a site behind Basic HTTP Authentication. Its key headers may contain headers to send with every request, one Name: value per line; its key sign-in may contain how somebody signs in, a recording of Chrome's DevTools Recorder or its steps as YAML. With either, the username may be empty. The credentials are sent only to the host in the Secret's annotation sitevalidation.io/host, which is required.",
  },
  deviceId: {
    type: "string",
    maxLength: 63,
    description: "Id of the device to emulate; empty for the default device.",
  },
  devices: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 63 },
    maxItems: 5,
    description:
      "Ids of further devices. Each page is checked on each of them as well, in a browser, as a page of its own; each costs as much as a page.",
  },
  prepare: prepareSchema,
  states: statesSchema,
  waitFor: waitForSchema,
  hide: hideSchema,
  deviceRotated: { type: "boolean", description: "Turn the emulated viewport by 90 degrees." },
  gate: gateSchema,
  shared: {
    type: "boolean",
    description: "Make the report and everything below it readable without credentials.",
  },
  tags: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 100, pattern: "^[^,\\n]+$" },
    maxItems: 50,
    description: "Categories to find reports by.",
  },
} as const;

/**
 * Parameters by which campaigns and sessions are told apart, but never documents; in lower case. Names that some sites
 * use for content, such as session_id of a conference, are not among them.
 */
export const trackingParameters: readonly string[] = [
  ...["utm_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "ttclid"],
  ...["igshid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "_ga", "_gl", "_hsenc", "_hsmi", "srsltid", "vero_id"],
  ...["mtm_*", "piwik_*", "jsessionid", "phpsessid", "aspsessionid*", "cfid", "cftoken"],
];

/**
 * Fields that API clients cannot set when they create a resource: they may not choose among the cluster's Secrets, and
 * only an existing report can be cancelled.
 */
export const notOnCreation: readonly string[] = ["basicAuthSecret", "cancelled"];

/** Fields that API responses leave out: the device is a relationship, and Secrets are not for API clients. */
export const requestOnlyFields = ["basicAuthSecret", "deviceId"] as const;

/** Fields whose empty text is null in API responses. */
export const nullIfEmpty = ["basicAuthId", "baseId", "userAgent"] as const;
