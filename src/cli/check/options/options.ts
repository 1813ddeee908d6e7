import { statSync } from "node:fs";
import path from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { type CheckKind, checkKinds, kindsThat, manifestOf, namesOf } from "../../../checks/kinds.ts";
import type { CheckManifest } from "../../../checks/manifest.ts";
import { UsageError } from "../../../domain/errors.ts";
import type { ExportFormatName } from "../../../domain/export/formats.ts";
import { defaultA11yDepth, isActing } from "../../../schema/a11y-depths.ts";
import { type Gate, hasConditions } from "../../../schema/gate.ts";
import type { OptionSchema } from "../../../settings/setting.ts";
import { commandName } from "../../command-name.ts";
import { parseCommand } from "../../parse-command.ts";
import { type ForgeName, forgeNames } from "../announce/forge.ts";
import { expected } from "./expected.ts";
import {
  type CheckOption,
  type FailOn,
  flagOf,
  type GivenOptions,
  kindsByDefault,
  type OptionName,
  options,
  plain,
  type WithDefault,
} from "./options-schema.ts";
import { cookiesOfPairs, headersOfLines } from "./site-headers.ts";

/** How much is printed: `all` findings, as many as fit on a few screens, or no more than the `totals`. */
export type Detail = "all" | "some" | "totals";

/** The options of `check`, with those that always have a value, and what several of them decide together. */
export type CheckOptions = Required<Pick<GivenOptions, WithDefault>> &
  Omit<GivenOptions, WithDefault | "failOn" | "targets"> & {
    /** URLs, or paths on this machine. */
    targets: readonly string[];
    /** Limits that make the exit code 1, besides `failOn`; empty for none. */
    gate: Gate;
    failOn: FailOn;
    /** Writes what is found to the baseline. */
    updateBaseline: boolean;
    /** The files to write, by their format. */
    files: Partial<Record<ExportFormatName, string>>;
    detail: Detail;
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
  /** Where the result is shown beside the commit. */
  announce: ForgeName | undefined;
  /** Whether strangers may have written what is in this folder. */
  untrusted: boolean;
  /** With `untrusted`: the variables of the environment that may be sent to the site. */
  variable: string[];
};

const formats = ["sarif", "junit", "csv", "sheet", "ndjson"] as const satisfies readonly ExportFormatName[];

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

/** The command with its options, which its help and docs/check.md list. */
export function checkCommand(version: string): Command {
  const command = new Command(commandName("check"))
    .description("Validates a site: crawls it, checks its pages, and prints what is wrong with them.")
    .argument("[targets...]", `${options[0]?.text}, where to start`)
    .version(version, "-v, --version", "print the version");
  for (const option of options.flatMap(commandOptions)) command.addOption(option);
  command
    .option("--update-baseline", "write the findings to the baseline, and pass")
    .addOption(
      new Option(
        "--announce <forge>",
        "in a pipeline: set the commit's status, and write one comment on its pull request, with the token in GITHUB_TOKEN or GITLAB_TOKEN",
      ).choices(forgeNames),
    )
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
  return command;
}

/**
 * Reads the arguments of `check`.
 *
 * @returns the options that are given, or the text for `--help` and `--version`
 * @throws UsageError that names the argument and the allowed values
 */
export function parseCheck(args: readonly string[], version = "unknown"): Parsed {
  const command = checkCommand(version);
  const help = parseCommand(command, args, commandName("check"));
  if (help !== undefined) return { help };
  const {
    config,
    printConfig = false,
    updateBaseline = false,
    announce,
    untrusted = false,
    variable = [],
    ...rest
  } = givenOf(command);
  if (config === "") throw new UsageError("--config is empty; it must name a file. Remove it, or say --no-config.");
  if (variable.length > 0 && !untrusted)
    throw new UsageError("--variable only applies with --untrusted: otherwise every variable may be used. Remove it.");
  const { header, cookie, device, ignore: ignored = [], prepare = [], states = [], waitFor, ...others } = rest;
  const given = {
    ...others,
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
    announce,
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

/** What the command line has for an option; a switch may need two. */
function commandOptions(option: CheckOption): Option[] {
  const { name, schema, value = "value", text: description } = option;
  if (name === "targets") return [];
  if (schema.type === "boolean") return switches(option);
  const made = new Option(`${flagOf(name)} <${value}>`, plain(description));
  if (schema.enum) return [made.choices(schema.enum)];
  if (schema.type === "array" || schema.type === "object") {
    const read = schema.items?.type === "string" ? text(schema.items) : (part: string) => part;
    return [made.argParser((part: string, before: string[] = []) => [...before, read(part)])];
  }
  return [made.argParser<number | string>(schema.type === "integer" ? whole(schema) : text(schema))];
}

/** A switch, in the help without the counterpart, which only a configuration makes necessary. */
function switches({ name, text: description, default: byDefault, off }: CheckOption): Option[] {
  const flag = flagOf(name);
  const no = flag.replace("--", "--no-");
  if (byDefault === true) return [new Option(no, plain(off ?? `do not ${description}`)), new Option(flag).hideHelp()];
  return [new Option(flag, plain(description)), new Option(no).hideHelp()];
}

/** The values that options have when neither the command line nor the configuration gives them. */
const defaults = Object.fromEntries(
  // The rate limit depends on the target.
  options.flatMap(({ name, default: value }) => (value === undefined || name === "rateLimit" ? [] : [[name, value]])),
) as Required<Pick<GivenOptions, WithDefault>>;

/**
 * The options of `check`: those that are given, and defaults for the others.
 *
 * @throws UsageError for options that contradict each other
 */
export function checkOptions(given: GivenOptions, { updateBaseline = false } = {}): CheckOptions {
  const { verbose, quiet, failOn, ...all } = { ...defaults, ...given };
  const gate = Object.fromEntries(
    options.flatMap(({ name, path }) => {
      const [setting, member] = path ?? [];
      return setting === "gate" && given[name] !== undefined ? [[member, given[name]]] : [];
    }),
  ) as Gate;
  requireSense(given, gate);
  requireDifferentFiles(given);
  if (updateBaseline && given.baseline === undefined)
    throw new UsageError("--update-baseline needs a file to write: add --baseline <file>.");
  const targets = all.targets ?? [];
  return {
    ...all,
    targets,
    dynamic: all.dynamic || all.followHashRoutes,
    gate,
    // All named targets are checked, however many there are.
    maxPages: given.maxPages ?? Math.max(all.maxPages, targets.length),
    failOn: failOn ?? (hasConditions(gate) ? "never" : "error"),
    files: Object.fromEntries(formats.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]))),
    detail: quiet ? "totals" : verbose ? "all" : "some",
    updateBaseline,
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

function whole(schema: Pick<OptionSchema, "minimum" | "maximum">): (value: string) => number {
  return (value) => {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
    if (/^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum) return Number(value);
    throw new InvalidArgumentError(`It must be ${expected({ type: "integer", ...schema })}.`);
  };
}

function text(schema: Pick<OptionSchema, "minLength" | "pattern">): (value: string) => string {
  return (value) => {
    const { pattern = "", minLength = 1 } = schema;
    if (value.length >= minLength && new RegExp(pattern).test(value)) return value;
    throw new InvalidArgumentError(`It must be ${expected({ type: "string", ...schema })}.`);
  };
}
