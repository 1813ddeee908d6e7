import { Command, Option } from "commander";
import { UsageError } from "../domain/errors.ts";
import { defaultHtmlEngine, type HtmlEngineName, htmlEngines } from "../schema/html-engines.ts";
import { reportSpecSchema } from "../schema/report.ts";
import { parseCommand } from "./parse-command.ts";

const spec = reportSpecSchema.properties;

/** The arguments of `check`. */
export type CheckOptions = {
  url: string;
  maxPages: number;
  /** Page requests per second. undefined: 1, and no limit for a site on this machine. */
  rateLimit: number | undefined;
  html: boolean;
  htmlEngine: HtmlEngineName;
  a11y: boolean;
  dynamic: boolean;
  deep: boolean;
  exclude: string[];
  /** Name or id; undefined for the default device. */
  device: string | undefined;
  rotated: boolean;
  failOn: FailOn;
  json: boolean;
};

export const failOnLevels = ["error", "warning", "never"] as const;
export type FailOn = (typeof failOnLevels)[number];

const examples = `
Examples:
  npm run check -- https://example.com
  npm run check -- https://example.com --a11y --max-pages 100 --rate-limit 5
  npm run check -- http://localhost:8080 --max-pages 0 --fail-on warning
  npm run --silent check -- https://example.com --json > report.json

Exit codes: 0 no issues, 1 issues at or above --fail-on or pages that could not be
checked, 2 wrong use or nothing could be checked, 130 interrupted.`;

/** Defaults that the help text does not need to show. */
const impliedDefaults = { a11y: false, dynamic: false, rotated: false, json: false, exclude: [] as string[] };
type Given = Omit<CheckOptions, "url" | keyof typeof impliedDefaults> & Partial<typeof impliedDefaults>;

/**
 * Reads the arguments of `check`.
 *
 * @returns the options, or the help text for `--help`
 * @throws UsageError that names the argument and the allowed values
 */
export function parseCheck(args: readonly string[]): { options: CheckOptions } | { help: string } {
  const command = new Command("npm run check --")
    .description("Validates a site: crawls it, checks its pages, and prints what is wrong with them.")
    .argument("<url>", "where to start: a page, a sitemap or a text list of URLs")
    .option(
      "--max-pages <n>",
      "maximum number of pages to check; 0 is no limit",
      whole("--max-pages", spec.maxPages),
      spec.maxPages.default,
    )
    .option("--a11y", "check accessibility too (axe-core in Chromium)")
    .option("--no-html", "do not check HTML")
    .addOption(
      new Option("--html-engine <engine>", "what checks HTML; nu needs Java")
        .choices(htmlEngines)
        .default(defaultHtmlEngine),
    )
    .option("--dynamic", "find links in a browser, for pages that scripts create")
    .option("--no-deep", "check only the start page and the pages that it links to")
    .option(
      "--rate-limit <n>",
      `maximum page requests per second; 0 is no limit (default: ${spec.rateLimit.default}, and 0 for this machine)`,
      whole("--rate-limit", spec.rateLimit),
    )
    .option(
      "--exclude <part>",
      "skip URLs that contain this; may be repeated",
      (part: string, before: string[] = []) => [...before, part],
    )
    .option("--device <name>", 'device to emulate, by name or id, such as "iPhone 15"')
    .option("--rotated", "turn the device by 90 degrees")
    .addOption(
      new Option("--fail-on <level>", "issues that make the exit code 1").choices(failOnLevels).default("error"),
    )
    .option("--json", "print the report as one JSON document, and nothing else, to stdout")
    .addHelpText("after", examples);
  const help = parseCommand(command, args, "npm run check");
  if (help !== undefined) return { help };
  const options = { ...impliedDefaults, ...command.opts<Given>(), url: checkUrl(command.args[0] ?? "") };
  if (!options.html && !options.a11y)
    throw new UsageError("--no-html without --a11y leaves nothing to check. Add --a11y or remove --no-html.");
  if ((options.device !== undefined || options.rotated) && !options.a11y && !options.dynamic)
    throw new UsageError("--device and --rotated only apply to pages in a browser. Add --a11y or --dynamic.");
  return { options };
}

/** @throws UsageError when this URL is not valid for a report */
function checkUrl(url: string): string {
  const received = JSON.stringify(url);
  if (new RegExp(spec.startingUrl.pattern).test(url) && URL.canParse(url)) {
    if (url.length <= spec.startingUrl.maxLength) return url;
    throw new UsageError(`<url> has ${url.length} characters; at most ${spec.startingUrl.maxLength} are allowed.`);
  }
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && (address.username || address.password))
    throw new UsageError("<url> contains a user name or password; URLs with credentials are not accepted.");
  const guess = `https://${url}`;
  const hint = /^[^\s/:]+\.[^\s/:]+(:\d+)?(\/\S*)?$/.test(url) && URL.canParse(guess) ? ` Did you mean ${guess}?` : "";
  throw new UsageError(`<url> is ${received}; it must be a URL that starts with http:// or https://.${hint}`);
}

function whole(name: string, range: { minimum: number; maximum: number }): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= range.minimum && value <= range.maximum) return value;
    throw new UsageError(
      `${name} is ${JSON.stringify(text)}; it must be a whole number from ${range.minimum} to ${range.maximum}.`,
    );
  };
}
