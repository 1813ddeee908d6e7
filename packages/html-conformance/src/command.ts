#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { namedFiles } from "./command/named-files.ts";
import { type CommandOptions, HELP, readOptions } from "./command/options.ts";
import { watchFiles } from "./command/watch-files.ts";
import { contentTypeOf } from "./documents/content-type.ts";
import { decodeFile } from "./documents/decode-document.ts";
import { type Checker, createChecker } from "./engine.ts";
import { fixFile } from "./fixing/fix-file.ts";
import { oneLine } from "./messages/format.ts";
import { withoutCommands } from "./messages/log-text.ts";
import type { CheckedFile } from "./output/checked-file.ts";
import { type OutputFormat, outputs } from "./output/formats.ts";

const NAME = "html-conformance";

// The reader of a pipe may have read enough, as in "| head".
process.stdout.on("error", () => process.exit(1));
process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    say((error as Error).message);
    process.stderr.write(`\n${HELP}`);
    return 2;
  }
  if (options === "help" || options === "version") {
    process.stdout.write(options === "help" ? HELP : `${version()}\n`);
    return 0;
  }
  const checker = createChecker();
  const isClean = await checkAll(checker, options);
  if (options.watch) watchAll(checker, options);
  return isClean ? 0 : 1;
}

/** Checks one file after the other, and prints each result when it is there. @returns whether all are without errors */
async function checkAll(checker: Checker, options: CommandOptions): Promise<boolean> {
  const { paths, format, dryRun } = options;
  const output = outputs[format]({ colour: isColourful(), tool: { name: NAME, version: version() } });
  const isDiff = dryRun && format === "text";
  const links: string[] = [];
  let isClean = true;
  await write(output.begin());
  for await (const named of namedFiles(paths, (link) => links.push(link))) {
    const { diff = "", ...checked }: Checked =
      "failure" in named ? named : await checkFile(checker, named.file, options);
    if ("failure" in checked || checked.messages.some(({ type }) => type === "error")) isClean = false;
    await write(isDiff ? diff : output.file(checked));
    sayBeside(checked, isDiff ? "diff" : format, dryRun ? diff : "");
  }
  await write(output.end());
  const [first, ...more] = links;
  if (first !== undefined)
    say(`Left out: ${first}, a symbolic link in a folder${more.length > 0 ? `, and ${more.length} more` : ""}.`);
  return isClean;
}

/** With `--dry-run` also the changes, as a unified diff. */
type Checked = CheckedFile & { diff?: string };

/** Formats that have a place for why a file was not changed. */
const SAYS_REFUSED: ReadonlySet<string> = new Set(["text", "stylish", "json"]);

/** What the output has no place for. */
function sayBeside(checked: CheckedFile, format: OutputFormat | "diff", diff: string): void {
  if (format !== "diff") process.stderr.write(diff);
  if ("failure" in checked) {
    if (format === "diff") say(`${checked.file}: could not be checked: ${checked.failure}`);
  } else if (checked.refused !== undefined && !SAYS_REFUSED.has(format))
    say(`${checked.file}: not fixed: ${checked.refused}`);
}

function watchAll(checker: Checker, options: CommandOptions): void {
  const check = async (files: string[]): Promise<void> => {
    for (const file of files) {
      const output = outputs[options.format]({ colour: isColourful(), tool: { name: NAME, version: version() } });
      const { diff: _, ...checked } = await checkFile(checker, file, options);
      await write(output.begin() + output.file(checked) + output.end());
      if ("messages" in checked && !checked.messages.some(({ type }) => type === "error")) say(`${file}: no errors.`);
    }
  };
  watchFiles(options.paths, check, (given, why) => say(`${given} is not watched: ${why}.`));
  say("Watching; interrupt it to end.");
}

async function checkFile(
  checker: Checker,
  file: string,
  { format, baseUrl, fix, dryRun }: CommandOptions,
): Promise<Checked> {
  try {
    const contentType = contentTypeOf(file);
    const isInput = file === "-";
    if (fix && !(await stat(file)).isFile()) throw new Error("it is not a regular file");
    const bytes = isInput ? readFileSync(0) : await readFile(file);
    const url = isInput ? (baseUrl ?? "") : "";
    if (!fix) {
      const { source, encoding } = decodeFile(bytes, contentType);
      const causes = format === "sarif" ? "fixes" : true;
      return { file, messages: checker.check(source, { contentType, encoding, url, causes }) };
    }
    const { messages, made, refused, diff } = await fixFile(
      { file, bytes, contentType },
      ({ source, encoding }, causes) => checker.check(source, { contentType, encoding, url, causes }),
      { dryRun },
    );
    const { source, encoding } = decodeFile(bytes, contentType);
    return {
      ...{ file, fixed: made, diff },
      ...(refused !== undefined && { refused }),
      messages: messages ?? checker.check(source, { contentType, encoding, url, causes: true }),
    };
  } catch (error) {
    return { file, failure: (error as Error).message };
  }
}

/** Waits until the reader of a pipe has taken it: a tree of files may have any number of results. */
async function write(text: string): Promise<void> {
  if (text === "" || process.stdout.write(text)) return;
  await new Promise((resolve) => process.stdout.once("drain", resolve));
}

function say(text: string): void {
  process.stderr.write(`${NAME}: ${withoutCommands(oneLine(text))}\n`);
}

function isColourful(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
