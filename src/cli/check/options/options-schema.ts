import type { FromSchema } from "json-schema-to-ts";
import { type CheckKind, kindsThat, manifestOf } from "../../../checks/kinds.ts";
import { MAX_HEADERS } from "../../../domain/site/site-headers.ts";
import { a11yDepths, defaultA11yDepth } from "../../../schema/a11y-depths.ts";
import { gateSchema } from "../../../schema/gate.ts";
import { defaultHtmlEngine, htmlEngines } from "../../../schema/html-engines.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import { reportStandards } from "../../../schema/standards.ts";
import { ignoreSchema } from "./ignore-schema.ts";

// Without the defaults: they would be filled in, and hide what was given.
const { default: maxPagesDefault, ...maxPages } = reportSpecSchema.properties.maxPages;
const { default: rateLimitDefault, ...rateLimit } = reportSpecSchema.properties.rateLimit;
const { default: _sameSite, ...sameSite } = reportSpecSchema.properties.sameSite;
const { default: _exclusions, ...exclusions } = reportSpecSchema.properties.exclusions;
const { default: _userAgent, ...userAgent } = reportSpecSchema.properties.userAgent;
const { default: _seconds, ...seconds } = reportSpecSchema.properties.activeDeadlineSeconds;
const { default: _include, ...includeGlobs } = reportSpecSchema.properties.includeGlobs;
const { default: _includeLinks, ...includeLinks } = reportSpecSchema.properties.includeLinks;
const { default: _excludeLinks, ...excludeLinks } = reportSpecSchema.properties.excludeLinks;
const { default: _excludeGlobs, ...excludeGlobs } = reportSpecSchema.properties.excludeGlobs;
const { default: _allowPosts, ...allowPosts } = reportSpecSchema.properties.allowPosts;
const { default: _parameters, ...ignoredParameters } = reportSpecSchema.properties.ignoredParameters;
const { default: signInTimeoutDefault, ...signInTimeout } = reportSpecSchema.properties.signInSeconds;
const { default: signInTriesDefault, ...signInTries } = reportSpecSchema.properties.signInTries;
const { default: pageTimeoutDefault, ...pageTimeout } = reportSpecSchema.properties.pageTimeoutSeconds;
const { default: _prepare, ...prepare } = reportSpecSchema.properties.prepare;
const { default: _states, ...states } = reportSpecSchema.properties.states;
const { default: _waitFor, ...waitFor } = reportSpecSchema.properties.waitFor;
const furtherDevices = reportSpecSchema.properties.devices;
const { default: _hide, ...hide } = reportSpecSchema.properties.hide;
const { maxErrors, maxWarnings, maxNewErrors, maxNewWarnings, minImpact } = gateSchema.properties;
const file = { type: "string", minLength: 1 } as const;
const flag = { type: "boolean" } as const;
/** As curl has it. The port may be left out, or *: an address is used for every port of its host. */
export const RESOLVE = "^[A-Za-z0-9._-]+:((\\d{1,5}|\\*):)?(\\[[0-9A-Fa-f:.]+\\]|[0-9A-Fa-f:.]+)$";
/** A host, perhaps with a port. */
export const TLS_HOST = "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?$";
/** A host with one or two files. */
export const CLIENT_CERT = "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?=[^,]+(,[^,]+)?$";
/** Texts by name; their values are secrets. */
const named = {
  type: "object",
  additionalProperties: { type: "string", minLength: 1 },
  maxProperties: MAX_HEADERS,
  writeOnly: true,
} as const;

/** One for each kind of check: those that are performed only if they are asked for come first. */
const kindFlags = Object.fromEntries(
  [...kindsByDefault(false), ...kindsByDefault(true)].map((kind) => [
    kind,
    { ...flag, description: manifestOf(kind).texts.check },
  ]),
) as Record<CheckKind, { readonly type: "boolean"; readonly description: string }>;

/** The kinds of checks that are performed, or not, unless an option says otherwise. */
export function kindsByDefault(performed: boolean): CheckKind[] {
  return kindsThat(({ byDefault }) => byDefault.report === performed);
}

export const failOnLevels = ["error", "warning", "never"] as const;
export type FailOn = (typeof failOnLevels)[number];

/** The command line's default is what law and contracts require, not every best practice. */
export const DEFAULT_STANDARD = "wcag22aa";

/**
 * The options of `check`, as a configuration file has them. The command line's options have the same names, with
 * hyphens: `maxPages` is `--max-pages`.
 */
export const optionsSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    targets: {
      type: "array",
      items: { type: "string", minLength: 1 },
      minItems: 1,
      description: "URLs of a site, or a folder, sitemap or list of URLs on this machine",
    },
    maxPages: {
      ...maxPages,
      description: `maximum number of pages to check; 0 means no limit (default: ${maxPagesDefault})`,
    },
    ...kindFlags,
    htmlEngine: {
      type: "string",
      enum: htmlEngines,
      description: `what checks HTML; nu needs Java (default: ${defaultHtmlEngine})`,
    },
    dynamic: { ...flag, description: "find links in a browser, for pages that scripts create" },
    deep: { ...flag, description: "check more than the start pages and the pages that they link to" },
    rateLimit: {
      ...rateLimit,
      description: `maximum page requests per second; 0 means no limit (default: ${rateLimitDefault}, and 0 for this machine)`,
    },
    sameSite: {
      ...sameSite,
      description:
        "check pages on this host, too: www, subdomains, a host, or *.example.com for all below one; may be repeated",
    },
    exclude: { ...exclusions, description: "skip URLs that contain this; may be repeated" },
    include: {
      ...includeGlobs,
      description: "check only URLs that this glob matches, such as /docs/**; may be repeated",
    },
    excludeGlob: { ...excludeGlobs, description: "skip URLs that this glob matches, such as *.pdf; may be repeated" },
    includeLinks: {
      ...includeLinks,
      description: "check only links that this glob matches, such as https://example.com/**; may be repeated",
    },
    excludeLinks: { ...excludeLinks, description: "do not check links that this glob matches; may be repeated" },
    followHashRoutes: {
      ...flag,
      description: "open what links behind a # lead to, such as #/about, as pages; implies --dynamic",
    },
    followFrames: { ...flag, description: "check the site's documents in frames as pages" },
    useSitemaps: { ...flag, description: "visit what the sitemaps list that robots.txt names" },
    respectRobots: { ...flag, description: "skip what robots.txt disallows" },
    visitActions: {
      ...flag,
      description: "visit even addresses that change something, such as /posts/7/delete: use a copy of the site",
    },
    visitForms: {
      ...flag,
      description: "visit forms that edit or make something while signed in, last and at most three of a family",
    },
    allowPosts: {
      ...allowPosts,
      description:
        "let scripts of signed-in pages send anything to what this glob matches, such as /graphql; may be repeated",
    },
    ignoredParameters: {
      ...ignoredParameters,
      description:
        "URL parameter that makes no other page, instead of those of campaigns and sessions; may be repeated",
    },
    pageTimeout: {
      ...pageTimeout,
      description: `how many seconds one page may take (default: ${pageTimeoutDefault})`,
    },
    signInTimeout: {
      ...signInTimeout,
      description: `how many seconds one sign-in may take (default: ${signInTimeoutDefault})`,
    },
    signInTries: {
      ...signInTries,
      description: `how often signing in is tried after time-outs and faults of the server (default: ${signInTriesDefault})`,
    },
    ignore: ignoreSchema,
    basePath: { type: "string", pattern: "^/", description: "the path under which a folder's pages are served" },
    timeout: {
      ...seconds,
      description: "end after this many seconds with what is checked by then; 0 means no limit",
    },
    basicAuth: {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description:
        "user name for a site behind Basic HTTP Authentication; the password is in SITE_PASSWORD, or asked for",
    },
    headers: {
      ...named,
      description:
        'header of every request to the site, "Name: value"; $NAME is read from the environment; may be repeated',
    },
    cookies: {
      ...named,
      description: "cookie of the site, name=value; $NAME is read from the environment; may be repeated",
    },
    signIn: {
      ...file,
      description:
        "sign in before pages are checked: a recording of Chrome's DevTools Recorder, or its steps as YAML or JSON; $NAME in a value is read from the environment",
    },
    signInPicture: {
      ...file,
      description: "write the page on which nobody could sign in as PNG, without what was typed",
    },
    prepare: {
      ...prepare,
      description:
        "do this on each page before it is checked: a recording of Chrome's DevTools Recorder, or its steps as YAML or JSON; may be repeated",
    },
    states: {
      ...states,
      description:
        "check pages in these states, too: a file with a list of names and steps, as YAML or JSON; may be repeated",
    },
    waitFor: { ...waitFor, description: "wait until this element is visible before a page is read in the browser" },
    hide: { ...hide, description: "leave this element out of accessibility checks; may be repeated" },
    resolve: {
      type: "array",
      items: { type: "string", pattern: RESOLVE },
      maxItems: 100,
      description: "use this address for a host instead of DNS, as curl has it: host:port:address; may be repeated",
    },
    ca: {
      ...file,
      description: "trust the certificate authorities in this file, too, for crawler and browser alike; PEM",
    },
    clientCert: {
      type: "array",
      items: { type: "string", pattern: CLIENT_CERT },
      maxItems: 100,
      description:
        "show this certificate to a host that asks for one, and to no other: host=cert.pem,key.pem; may be repeated",
    },
    insecureTls: {
      type: "array",
      items: { type: "string", pattern: TLS_HOST },
      maxItems: 100,
      description: "do not verify the certificate of this host; the report says so; may be repeated",
    },
    userAgent: {
      ...userAgent,
      minLength: 1,
      description: "User-Agent of every request; with --respect-robots, robots.txt is read for its product",
    },
    devices: {
      type: "array",
      items: { type: "string", minLength: 1 },
      minItems: 1,
      maxItems: 1 + furtherDevices.maxItems,
      description:
        'device to emulate, by name or id, such as "iPhone 15"; may be repeated: each page is checked on each device',
    },
    rotated: { ...flag, description: "turn the device by 90 degrees" },
    standard: {
      type: "string",
      enum: reportStandards,
      description: `which accessibility findings are errors (default: ${DEFAULT_STANDARD})`,
    },
    a11yDepth: {
      type: "string",
      enum: a11yDepths,
      description: `how far accessibility checks go: acting also uses three pages of each template, and keeps what needs a review (default: ${defaultA11yDepth})`,
    },
    failOn: {
      type: "string",
      enum: failOnLevels,
      description: "issues that make the exit code 1 (default: error, and never with a limit)",
    },
    maxErrors: { ...maxErrors, description: "maximum number of errors" },
    maxWarnings: { ...maxWarnings, description: "maximum number of warnings" },
    maxNewErrors: {
      ...maxNewErrors,
      description: "maximum number of new errors: those that the baseline does not have",
    },
    maxNewWarnings: {
      ...maxNewWarnings,
      description: "maximum number of new warnings: those that the baseline does not have",
    },
    minImpact: { ...minImpact, description: "limits do not count accessibility findings below this impact" },
    failOnFailedPages: { ...flag, description: "make the exit code 1 if a page could not be checked" },
    failOnIncomplete: { ...flag, description: "make the exit code 1 if something of the site was left out" },
    json: { ...flag, description: "print the report as one JSON document, and nothing else, to stdout" },
    baseline: { ...file, description: "count only findings that are not in this file, and list fixed ones" },
    report: { ...file, description: "write the report as one HTML file to read, keep and print" },
    sarif: { ...file, description: "write the findings as SARIF 2.1.0, for code scanning" },
    junit: { ...file, description: "write the findings as JUnit XML, for test reports" },
    csv: { ...file, description: "write the findings as CSV, for spreadsheets" },
    ndjson: { ...file, description: "write the findings as one JSON object per line" },
    markdown: { ...file, description: "write a summary as Markdown, for a job's summary or a comment" },
    verbose: { ...flag, description: "print all findings, not only the worst on at most 60 lines" },
    quiet: { ...flag, description: "print only the totals, and no progress" },
    color: { ...flag, description: "colour, or none with --no-color; by default on terminals, unless NO_COLOR is set" },
  },
} as const;

/** Options as they are given; none has a default. */
export type GivenOptions = FromSchema<typeof optionsSchema>;
export type OptionName = keyof GivenOptions;

/** The placeholder of an option's value in the help text. */
export const placeholders: Partial<Record<OptionName, string>> = {
  maxPages: "n",
  htmlEngine: "engine",
  rateLimit: "n",
  sameSite: "host",
  exclude: "part",
  include: "glob",
  excludeGlob: "glob",
  includeLinks: "glob",
  excludeLinks: "glob",
  allowPosts: "glob",
  ignoredParameters: "name",
  pageTimeout: "seconds",
  signInTimeout: "seconds",
  signInTries: "n",
  ignore: "rule",
  basePath: "path",
  timeout: "seconds",
  basicAuth: "user",
  headers: "line",
  cookies: "pair",
  userAgent: "text",
  devices: "name",
  standard: "name",
  a11yDepth: "depth",
  failOn: "level",
  maxErrors: "n",
  maxWarnings: "n",
  maxNewErrors: "n",
  maxNewWarnings: "n",
  minImpact: "impact",
  baseline: "file",
  signIn: "file",
  signInPicture: "file",
  prepare: "file",
  states: "file",
  waitFor: "selector",
  hide: "selector",
  resolve: "address",
  ca: "file",
  clientCert: "host=files",
  insecureTls: "host",
  report: "file",
  sarif: "file",
  junit: "file",
  csv: "file",
  ndjson: "file",
  markdown: "file",
};

/** Options that are given one by one on the command line, and together in a configuration file. */
const singular: Readonly<Record<string, string>> = { headers: "--header", cookies: "--cookie", devices: "--device" };

/** `maxPages` is `--max-pages`. */
export function flagOf(name: string): string {
  return singular[name] ?? `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
