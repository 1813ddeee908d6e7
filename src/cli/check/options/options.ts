import { statSync } from "node:fs";
import path from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { type CheckKind, checkKinds, kindsThat, manifestOf, namesOf } from "../../../checks/kinds.ts";
import type { CheckManifest } from "../../../checks/manifest.ts";
import { UsageError } from "../../../domain/errors.ts";
import type { ExportFormatName } from "../../../domain/export/formats.ts";
import { byKind } from "../../../domain/findings/check-counts.ts";
import { type A11yDepth, defaultA11yDepth, isActing } from "../../../schema/a11y-depths.ts";
import { type Gate, gateSchema, hasConditions } from "../../../schema/gate.ts";
import { defaultHtmlEngine, type HtmlEngineName } from "../../../schema/html-engines.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import type { ReportStandard } from "../../../schema/standards.ts";
import { commandName } from "../../command-name.ts";
import { parseCommand } from "../../parse-command.ts";
import { expected } from "./expected.ts";
import type { IgnoreEntry } from "./ignore-schema.ts";
import {
  DEFAULT_STANDARD,
  type FailOn,
  flagOf,
  type GivenOptions,
  kindsByDefault,
  type OptionName,
  optionsSchema,
  placeholders,
} from "./options-schema.ts";

import { cookiesOfPairs, headersOfLines, type Named } from "./site-headers.ts";

/** How much is printed: `all` findings, as many as fit on a few screens, or no more than the `totals`. */
export type Detail = "all" | "some" | "totals";

type Steps = Required<Pick<GivenOptions, "prepare" | "states" | "waitFor">>;

/** The options of `check`, with the kinds of checks to perform. */
export type CheckOptions = Record<CheckKind, boolean> & {
  /** URLs, or paths on this machine. */
  targets: readonly string[];
  basePath: string;
  maxPages: number;
  /** Page requests per second. undefined: 1, and no limit for a site on this machine. */
  rateLimit: number | undefined;
  /** Seconds; 0 means no limit. */
  timeout: number;
  htmlEngine: HtmlEngineName;
  dynamic: boolean;
  deep: boolean;
  sameSite: readonly string[];
  exclude: readonly string[];
  include: readonly string[];
  excludeGlob: readonly string[];
  includeLinks: readonly string[];
  excludeLinks: readonly string[];
  followFrames: boolean;
  followHashRoutes: boolean;
  useSitemaps: boolean;
  respectRobots: boolean;
  visitActions: boolean;
  visitForms: boolean;
  allowPosts: readonly string[];
  /** undefined for the default list. */
  ignoredParameters: readonly string[] | undefined;
  /** Seconds. */
  pageTimeout: number;
  /** Seconds. */
  signInTimeout: number;
  signInTries: number;
  ignore: readonly IgnoreEntry[];
  /** The user name for a site behind Basic HTTP Authentication. */
  basicAuth: string | undefined;
  /** Headers and cookies of the site, as they are given: with the names of variables of the environment. */
  headers: Named;
  cookies: Named;
  /** The file with the steps to sign in. */
  signIn: string | undefined;
  /** The file for the page on which nobody could sign in. */
  signInPicture: string | undefined;
  /** As in a report's definition. */
  prepare: Steps["prepare"];
  states: Steps["states"];
  waitFor: Steps["waitFor"];
  hide: readonly string[];
  /** Each as `host:port:address`. */
  resolve: readonly string[];
  /** The file with further certificate authorities. */
  ca: string | undefined;
  /** Each as `host=cert.pem,key.pem`. */
  clientCert: readonly string[];
  insecureTls: readonly string[];
  userAgent: string | undefined;
  /** Names or ids; none for the default device. */
  devices: readonly string[];
  rotated: boolean;
  /** Which accessibility findings are errors and warnings. */
  standard: ReportStandard;
  a11yDepth: A11yDepth;
  /** Limits that make the exit code 1, besides `failOn`; empty for none. */
  gate: Gate;
  failOn: FailOn;
  json: boolean;
  /** The file of what is known already. */
  baseline: string | undefined;
  /** Writes what is found to the baseline. */
  updateBaseline: boolean;
  /** The file for a summary. */
  markdown: string | undefined;
  /** The HTML file to write. */
  report: string | undefined;
  /** The files to write, by their format. */
  files: Partial<Record<ExportFormatName, string>>;
  detail: Detail;
  /** undefined: on terminals, unless the environment says otherwise. */
  color: boolean | undefined;
};

/** What the command line asks for: a check or a text. */
export type Parsed = Given | { help: string };
export type Given = OwnFlags & {
  given: GivenOptions;
  /** The values of --ignore, which are not read yet. */
  ignored: readonly string[];
  /** The files with steps, which are not read yet. */
  stepFiles: Readonly<Record<"prepare" | "states", readonly string[]>>;
  /** The configuration file that is named; false for none. */
  config: string | false | undefined;
};
/** Flags that a configuration file cannot have. */
type OwnFlags = {
  printConfig: boolean;
  updateBaseline: boolean;
  /** Whether strangers may have written what is in this folder. */
  untrusted: boolean;
  /** With `untrusted`: the variables of the environment that may be sent to the site. */
  variable: string[];
};

const { maxPages, followFrames, useSitemaps, respectRobots, visitActions, visitForms, pageTimeoutSeconds } =
  reportSpecSchema.properties;
const { signInSeconds, signInTries } = reportSpecSchema.properties;
const conditions = Object.keys(gateSchema.properties) as (keyof Gate)[];
const formats = ["sarif", "junit", "csv", "ndjson"] as const satisfies readonly ExportFormatName[];
/** Switches that are on unless they are turned off. */
const onByDefault: readonly OptionName[] = [...kindsByDefault(true), "deep", "followFrames", "visitForms"];

const examples = `
Examples:
  ${commandName("check")} https://example.com
  ${commandName("check")} https://example.com --a11y --max-pages 100 --rate-limit 5
  ${commandName("check")} http://localhost:8080 --max-pages 0 --fail-on warning
  ${commandName("check")} ./dist --a11y --sarif findings.sarif
  ${commandName("check")} http://localhost:8080 --a11y --max-errors 10 --min-impact serious
  ${commandName("check", { silent: true })} https://example.com --json > report.json

Options can also be set in site-validator.config.yaml, .yml, .json or .js, in this folder
or one above it, with their names in camel case (maxPages: 100); the command line overrides them.

Exit codes: 0 no issues, or no limit exceeded; 1 issues at or above --fail-on, pages that
could not be checked, or a limit that is exceeded; 2 wrong use or nothing could be checked;
130 interrupted. With a limit (--max-errors and the like, --fail-on-failed-pages,
--fail-on-incomplete) only limits make it 1, unless --fail-on is given, too.`;

/**
 * Reads the arguments of `check`.
 *
 * @returns the options that are given, or the text for `--help` and `--version`
 * @throws UsageError that names the argument and the allowed values
 */
export function parseCheck(args: readonly string[], version = "unknown"): Parsed {
  const command = new Command(commandName("check"))
    .description("Validates a site: crawls it, checks its pages, and prints what is wrong with them.")
    .argument("[targets...]", `${optionsSchema.properties.targets.description}, where to start`)
    .version(version, "-v, --version", "print the version");
  for (const name of Object.keys(optionsSchema.properties) as OptionName[])
    for (const option of optionsOf(name)) command.addOption(option);
  command
    .option("--update-baseline", "write the findings to the baseline, and pass")
    .option("--config <file>", "read options from this file")
    .option("--no-config", "read no configuration file")
    .option(
      "--untrusted",
      "for a folder of strangers, as of a pull request: no configuration that is a script, no variables of the environment but those that are named, nothing outside of this folder",
    )
    .option(
      "--variable <name>",
      "with --untrusted: a variable that headers, cookies or the password may come from; may be repeated",
      (name: string, before: string[] = []) => [...before, name],
    )
    .option("--print-config", "print the resulting options, from all sources, and check nothing")
    .addHelpText("after", examples);
  const help = parseCommand(command, args, commandName("check"));
  if (help !== undefined) return { help };
  const {
    config,
    printConfig = false,
    updateBaseline = false,
    untrusted = false,
    variable = [],
    ...rest
  } = givenOf(command);
  if (config === "") throw new UsageError("--config is empty; it must name a file. Remove it, or say --no-config.");
  if (variable.length > 0 && !untrusted)
    throw new UsageError("--variable only applies with --untrusted: otherwise every variable may be used. Remove it.");
  const { header, cookie, device, ignore: ignored = [], prepare = [], states = [], waitFor, ...options } = rest;
  const given = {
    ...options,
    ...(waitFor && { waitFor: { selector: waitFor.at(-1) ?? "" } }),
    ...(header && { headers: headersOfLines(header) }),
    ...(cookie && { cookies: cookiesOfPairs(cookie) }),
    ...(device && { devices: device }),
    ...(command.args.length > 0 && { targets: command.args }),
  };
  return {
    given,
    ignored,
    stepFiles: { prepare, states },
    config: config === true ? undefined : config,
    printConfig,
    updateBaseline,
    untrusted,
    variable,
  };
}

type Texts = Partial<Record<"header" | "cookie" | "device" | "ignore" | "prepare" | "states" | "waitFor", string[]>>;
type Own = Omit<GivenOptions, keyof Texts> & Texts & { config?: string | boolean } & Partial<OwnFlags>;

/** Only what is given: commander adds `true` for an option that can only be turned off, which a configuration may do. */
function givenOf(command: Command): Own {
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== "default");
  return Object.fromEntries(given);
}

/** The command line's options for one of the schema; a switch may need two. */
function optionsOf(name: OptionName): Option[] {
  if (name === "targets") return [];
  const schema = optionsSchema.properties[name];
  const flag = flagOf(name);
  if (schema.type === "boolean") return switches(name, flag, schema.description);
  const option = new Option(`${flag} <${placeholders[name]}>`, schema.description);
  if ("enum" in schema) return [option.choices(schema.enum)];
  if (schema.type === "array" || schema.type === "object") {
    const read = "items" in schema && schema.items.type === "string" ? text(schema.items) : (part: string) => part;
    return [option.argParser((part: string, before: string[] = []) => [...before, read(part)])];
  }
  if (schema.type === "integer") return [option.argParser(whole(schema))];
  return [option.argParser(text(schema))];
}

/** A switch, in the help without the counterpart, which only a configuration makes necessary. */
function switches(name: OptionName, flag: string, description: string): Option[] {
  const no = flag.replace("--", "--no-");
  if (name === "deep")
    return [new Option(no, "check only the start pages and the pages that they link to"), new Option(flag).hideHelp()];
  if (onByDefault.includes(name)) return [new Option(no, `do not ${description}`), new Option(flag).hideHelp()];
  return [new Option(flag, description), new Option(no).hideHelp()];
}

/** The values that options have when neither the command line nor the configuration gives them. */
const defaults = {
  maxPages: maxPages.default,
  timeout: 0,
  dynamic: false,
  followHashRoutes: false,
  deep: true,
  followFrames: followFrames.default,
  useSitemaps: useSitemaps.default,
  respectRobots: respectRobots.default,
  visitActions: visitActions.default,
  visitForms: visitForms.default,
  pageTimeout: pageTimeoutSeconds.default,
  signInTimeout: signInSeconds.default,
  signInTries: signInTries.default,
  rotated: false,
  ...{
    sameSite: [],
    exclude: [],
    include: [],
    excludeGlob: [],
    includeLinks: [],
    excludeLinks: [],
    allowPosts: [],
    ignore: [],
    prepare: [],
    states: [],
    waitFor: {},
    hide: [],
    resolve: [],
    devices: [],
    clientCert: [],
    insecureTls: [],
    headers: {},
    cookies: {},
    json: false,
    verbose: false,
    quiet: false,
    basePath: "/",
    htmlEngine: defaultHtmlEngine,
  },
  standard: DEFAULT_STANDARD,
  a11yDepth: defaultA11yDepth,
} as const satisfies GivenOptions;

/**
 * The options of `check`: those that are given, and defaults for the others.
 *
 * @throws UsageError for options that contradict each other
 */
export function checkOptions(given: GivenOptions, { updateBaseline = false } = {}): CheckOptions {
  const { verbose, quiet, failOn, ...all } = { ...defaults, ...given };
  const gate = Object.fromEntries(
    conditions.flatMap((name) => {
      const value = given[name === "requireComplete" ? "failOnIncomplete" : name];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Gate;
  requireSense(given, gate);
  requireDifferentFiles(given);
  if (updateBaseline && given.baseline === undefined)
    throw new UsageError("--update-baseline needs a file to write: add --baseline <file>.");
  const targets = all.targets ?? [];
  return {
    targets,
    basePath: all.basePath,
    sameSite: all.sameSite,
    exclude: all.exclude,
    include: all.include,
    excludeGlob: all.excludeGlob,
    includeLinks: all.includeLinks,
    excludeLinks: all.excludeLinks,
    followFrames: all.followFrames,
    followHashRoutes: all.followHashRoutes,
    useSitemaps: all.useSitemaps,
    respectRobots: all.respectRobots,
    visitActions: all.visitActions,
    visitForms: all.visitForms,
    allowPosts: all.allowPosts,
    ignoredParameters: all.ignoredParameters,
    pageTimeout: all.pageTimeout,
    signInTimeout: all.signInTimeout,
    signInTries: all.signInTries,
    ignore: all.ignore,
    timeout: all.timeout,
    json: all.json,
    ...byKind((kind) => isPerformed(given, kind)),
    dynamic: all.dynamic || all.followHashRoutes,
    deep: all.deep,
    rotated: all.rotated,
    gate,
    // All named targets are checked, however many there are.
    maxPages: given.maxPages ?? Math.max(all.maxPages, targets.length),
    rateLimit: all.rateLimit,
    htmlEngine: all.htmlEngine,
    devices: all.devices,
    standard: all.standard,
    a11yDepth: all.a11yDepth,
    failOn: failOn ?? (hasConditions(gate) ? "never" : "error"),
    files: Object.fromEntries(formats.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]))),
    detail: quiet ? "totals" : verbose ? "all" : "some",
    color: all.color,
    baseline: all.baseline,
    markdown: all.markdown,
    report: all.report,
    updateBaseline,
    basicAuth: all.basicAuth,
    headers: all.headers,
    cookies: all.cookies,
    signIn: all.signIn,
    signInPicture: all.signInPicture,
    prepare: all.prepare,
    states: all.states,
    waitFor: all.waitFor,
    hide: all.hide,
    resolve: all.resolve,
    ca: all.ca,
    clientCert: all.clientCert,
    insecureTls: all.insecureTls,
    userAgent: all.userAgent,
  };
}

function isPerformed(given: GivenOptions, kind: CheckKind): boolean {
  return given[kind] ?? manifestOf(kind).byDefault.report;
}

function flagsOf(kinds: readonly CheckKind[]): string {
  return kinds.map(flagOf).join(" or ");
}

/** @throws UsageError for options that have no effect together, or contradict each other */
function requireSense(
  given: GivenOptions,
  { minImpact, failOnFailedPages: _, requireComplete: __, ...counted }: Gate,
): void {
  const { dynamic = false, targets = [] } = given;
  const manifests = checkKinds.filter((kind) => isPerformed(given, kind)).map(manifestOf);
  if (targets.length === 0)
    throw new UsageError(`No target given: name a URL, a folder or a sitemap. See ${commandName("check")} --help.`);
  if (manifests.length === 0) {
    const off = kindsByDefault(true)
      .map((kind) => `--no-${kind}`)
      .join(" and ");
    const on = flagsOf(kindsByDefault(false));
    throw new UsageError(`${off} without ${on} leaves nothing to check. Add ${on} or remove ${off}.`);
  }
  const inBrowser = ({ needs }: CheckManifest) => needs === "browser";
  if ((given.devices !== undefined || given.rotated) && !manifests.some(inBrowser) && !dynamic)
    throw new UsageError(
      `--device and --rotated only apply to pages in a browser. Add ${flagsOf(kindsThat(inBrowser))} or --dynamic.`,
    );
  const withSteps = (["prepare", "states", "waitFor", "hide"] as const).filter((name) => given[name] !== undefined);
  const unused = withSteps.filter((name) => !dynamic || name === "states" || name === "hide");
  if (unused.length > 0 && !manifests.some(inBrowser))
    throw new UsageError(
      `${unused.map(flagOf).join(" and ")} only apply to pages in a browser. Add ${flagsOf(kindsThat(inBrowser))}.`,
    );
  const hasDepth = ({ settings }: CheckManifest) => settings.depth !== undefined;
  if (isActing(given.a11yDepth ?? defaultA11yDepth) && !manifests.some(hasDepth))
    throw new UsageError(
      `--a11y-depth ${given.a11yDepth} only applies to ${namesOf(kindsThat(hasDepth))} checks. Add ${flagsOf(kindsThat(hasDepth))}.`,
    );
  const isRated = ({ hasStandards, hasImpact }: CheckManifest) => hasStandards || hasImpact;
  if ((given.standard !== undefined || minImpact !== undefined) && !manifests.some(isRated)) {
    const names = namesOf(kindsThat(isRated));
    throw new UsageError(
      `--standard and --min-impact only apply to ${names} findings. Add ${flagsOf(kindsThat(isRated))}.`,
    );
  }
  if (minImpact !== undefined && Object.keys(counted).length === 0)
    throw new UsageError("--min-impact needs a limit to apply to. Add --max-errors or --max-warnings.");
  if (given.verbose && given.quiet) throw new UsageError("--verbose and --quiet contradict each other. Remove one.");
}

/** @throws UsageError for a file that would be written twice, and for a baseline that would be overwritten */
function requireDifferentFiles(given: GivenOptions): void {
  const named: OptionName[] = [...formats, "report", "markdown", "baseline", "signInPicture"];
  const before = new Map<string, OptionName>();
  for (const name of named) {
    const file = given[name] as string | undefined;
    // A device or a pipe, such as /dev/null, keeps nothing that could be overwritten.
    if (file === undefined || isDevice(file)) continue;
    const other = before.get(path.resolve(file));
    if (other !== undefined)
      throw new UsageError(
        `${JSON.stringify(file)} is named for ${flagOf(other)} and ${flagOf(name)}. Name a file for each.`,
      );
    before.set(path.resolve(file), name);
  }
}

function isDevice(file: string): boolean {
  try {
    return !statSync(file).isFile();
  } catch {
    return false;
  }
}

function whole(schema: { minimum: number; maximum: number }): (value: string) => number {
  return (value) => {
    if (/^\d+$/.test(value) && Number(value) >= schema.minimum && Number(value) <= schema.maximum) return Number(value);
    throw new InvalidArgumentError(`It must be ${expected({ type: "integer", ...schema })}.`);
  };
}

function text(schema: { pattern?: string; minLength?: number }): (value: string) => string {
  return (value) => {
    const { pattern = "", minLength = 1 } = schema;
    if (value.length >= minLength && new RegExp(pattern).test(value)) return value;
    throw new InvalidArgumentError(`It must be ${expected({ type: "string", ...schema })}.`);
  };
}
