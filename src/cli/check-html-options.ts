import { Command, CommanderError, Option } from "commander";
import { UsageError } from "../domain/errors.ts";

export const htmlFormats = ["text", "json", "gnu"] as const;
export type HtmlFormat = (typeof htmlFormats)[number];

/** What `check-html` was asked for. */
export type CheckHtmlOptions = { paths: string[]; format: HtmlFormat; htmlEngine: "conformance" };

const examples = `
Examples:
  npm run check-html -- index.html
  npm run check-html -- --format gnu public/
  npm run --silent check-html -- --format json public/ > findings.jsonl
  curl -s https://example.com/ | npm run --silent check-html -- -

In a folder, files that end in .html, .htm, .xhtml, .xht and .svg are checked. With
--format json each line is one file: {"file", "valid", "errors", "warnings", "messages"}.

Exit codes: 0 no errors, 1 errors or files that could not be checked, 2 wrong use,
130 interrupted.`;

/**
 * Reads the arguments of `check-html`.
 *
 * @returns the options, or the help text when that was asked for
 * @throws UsageError naming the argument and what is allowed
 */
export function parseCheckHtml(args: readonly string[]): { options: CheckHtmlOptions } | { help: string } {
  let output = "";
  const command = new Command("npm run check-html --")
    .description("Checks HTML, XHTML and SVG files against the standard.")
    .argument("<path...>", "a file, a folder, or - for standard input")
    .addOption(new Option("--format <format>", "how findings are printed").choices(htmlFormats).default("text"))
    .addOption(
      new Option("--html-engine <engine>", "what checks the files").choices(["conformance"]).default("conformance"),
    )
    .helpOption("--help", "show this text")
    .addHelpText("after", examples)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output += text;
      },
      writeErr: () => {},
    });
  try {
    command.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: output };
    const what = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    throw new UsageError(`${what.replace(/\.?$/, ".")} See npm run check-html -- --help.`);
  }
  const paths = command.args;
  if (paths.filter((path) => path === "-").length > 1)
    throw new UsageError("- was given more than once; standard input can be read once.");
  return { options: { ...command.opts<Omit<CheckHtmlOptions, "paths">>(), paths } };
}
