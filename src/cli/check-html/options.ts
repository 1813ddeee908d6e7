import { Command, Option } from "commander";
import { safeKinds } from "html-conformance/fixing";
import { UsageError } from "../../domain/errors.ts";
import { defaultHtmlEngine, type HtmlEngineName, htmlEngines } from "../../schema/html-engines.ts";
import { commandName } from "../command-name.ts";
import { parseCommand } from "../parse-command.ts";

export const htmlFormats = ["text", "json", "stylish", "gnu", "github", "sarif"] as const;
export type HtmlFormat = (typeof htmlFormats)[number];

/** What `check-html` was asked for. */
export type CheckHtmlOptions = {
  paths: string[];
  format: HtmlFormat;
  htmlEngine: HtmlEngineName;
  /** Changes of safe kinds are made in the files. */
  fix: boolean;
  /** They are only shown. */
  dryRun: boolean;
};

const examples = `
Examples:
  ${commandName("check-html")} index.html
  ${commandName("check-html")} --format gnu public/
  ${commandName("check-html")} --fix --dry-run public/
  ${commandName("check-html", { silent: true })} --format json public/ > findings.jsonl
  curl -s https://example.com/ | ${commandName("check-html", { silent: true })} -

In a folder, files that end in .html, .htm, .xhtml, .xht and .svg are checked. With
--format json each line is one file: {"file", "valid", "errors", "warnings", "messages"}.

--fix makes changes with one right answer: ${Object.keys(safeKinds).join(", ")}.
Each is checked before it is made, and all other bytes of a file stay as they are.
With --dry-run nothing is written, and the changes are printed as a unified diff.

Exit codes: 0 no errors, 1 errors or files that could not be checked, 2 wrong use,
130 interrupted.`;

/**
 * Reads the arguments of `check-html`.
 *
 * @returns the options, or the help text when that was asked for
 * @throws UsageError naming the argument and what is allowed
 */
export function parseCheckHtml(args: readonly string[]): { options: CheckHtmlOptions } | { help: string } {
  const command = new Command(commandName("check-html"))
    .description("Checks HTML, XHTML and SVG files against the standard.")
    .argument("<path...>", "a file, a folder, or - for standard input")
    .addOption(new Option("--format <format>", "how findings are printed").choices(htmlFormats).default("text"))
    .addOption(
      new Option("--html-engine <engine>", "what checks the files; nu needs Java")
        .choices(htmlEngines)
        .default(defaultHtmlEngine),
    )
    .addOption(new Option("--fix", "make changes with one right answer in the files").default(false))
    .addOption(new Option("--dry-run", "with --fix: print the changes as a diff, and write nothing").default(false))
    .addHelpText("after", examples);
  const help = parseCommand(command, args, commandName("check-html"));
  if (help !== undefined) return { help };
  const paths = command.args;
  if (paths.filter((path) => path === "-").length > 1)
    throw new UsageError("- was given more than once; standard input can be read once.");
  const { fix, dryRun, htmlEngine } = command.opts<CheckHtmlOptions>();
  if (dryRun && !fix) throw new UsageError("--dry-run was given without --fix; it is for what --fix would change.");
  if (fix && paths.includes("-")) throw new UsageError("--fix was given with -; it changes files, not standard input.");
  if (fix && htmlEngine !== defaultHtmlEngine)
    throw new UsageError(`--fix was given with --html-engine ${htmlEngine}; only ${defaultHtmlEngine} finds changes.`);
  return { options: { ...command.opts<Omit<CheckHtmlOptions, "paths">>(), paths } };
}
