import { parseArgs } from "node:util";
import { type OutputFormat, outputs } from "../output/formats.ts";

const FORMATS = Object.keys(outputs) as OutputFormat[];

export const HELP = `Usage: html-conformance [options] FILE|FOLDER...

Checks HTML, XHTML (.xhtml, .xht) and SVG (.svg) files against the standard; - is
standard input. In a folder, files that end in .html, .htm, .xhtml, .xht and .svg are
checked, and each result is printed when it is there.

  --format FORMAT   ${FORMATS.join(", ")} (default: text)
  --json            the same as --format json: a line for each file, {"file",
                    "messages"}, or {"file", "failure"} where it could not be read
  --base-url URL    the address of the document on standard input
  --fix             make changes that have one right answer in the files
  --dry-run         with --fix: print the changes as a diff, and write nothing
  --watch           check again what changes, until it is interrupted
  -h, --help        print this
  -v, --version     print the version

Exit codes: 0 no errors, 1 errors or files that could not be read, 2 wrong use.
`;

export type CommandOptions = {
  paths: string[];
  format: OutputFormat;
  baseUrl: string | undefined;
  fix: boolean;
  dryRun: boolean;
  watch: boolean;
};

/** @throws Error that says what was given, and what is allowed */
export function readOptions(args: string[]): CommandOptions | "help" | "version" {
  const flag = { type: "boolean" } as const;
  const { values, positionals: paths } = parseArgs({
    args,
    options: {
      ...{ json: flag, fix: flag, "dry-run": flag, watch: flag },
      ...{ format: { type: "string" }, "base-url": { type: "string" } },
      ...{ help: { ...flag, short: "h" }, version: { ...flag, short: "v" } },
    },
    allowPositionals: true,
  });
  if (values.help) return "help";
  if (values.version) return "version";
  const given = values.format ?? (values.json ? "json" : "text");
  const format = FORMATS.find((name) => name === given);
  if (!format) throw new Error(`--format ${given} is not known; ${FORMATS.join(", ")} are.`);
  const { fix = false, "dry-run": dryRun = false, watch = false, "base-url": baseUrl } = values;
  const fromInput = paths.filter((one) => one === "-").length;
  if (paths.length === 0) throw new Error("No file is named.");
  if (fromInput > 1) throw new Error("- was given more than once; standard input can be read once.");
  if (dryRun && !fix) throw new Error("--dry-run was given without --fix; it is for what --fix would change.");
  if (fix && fromInput > 0) throw new Error("--fix was given with -; it changes files, not standard input.");
  if (watch && (fix || fromInput > 0 || format === "sarif"))
    throw new Error("--watch was given with --fix, - or --format sarif; it is for files, in a format without an end.");
  if (baseUrl !== undefined && fromInput === 0)
    throw new Error("--base-url was given without -; it is the address of the document on standard input.");
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw new Error(`--base-url ${baseUrl} is not a URL; give one like https://example.com/page.`);
  return { paths, format, baseUrl, fix, dryRun, watch };
}
