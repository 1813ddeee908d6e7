#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { contentTypeOf } from "./documents/content-type.ts";
import { decodeFile } from "./documents/decode-document.ts";
import { type Checker, createChecker } from "./engine.ts";
import { formatMessage, oneLine } from "./messages/format.ts";
import { logJson, withoutCommands } from "./messages/log-text.ts";
import type { Message } from "./messages/message.ts";

const HELP = `Usage: html-conformance [--json] FILE...

Checks HTML, XHTML (.xhtml, .xht) and SVG (.svg) files against the standard; - is
standard input. With --json each line is one file: {"file", "messages"}, or
{"file", "failure"} where it could not be read.

Exit codes: 0 no errors, 1 errors or files that could not be read, 2 wrong use.
`;

type Result = { file: string; messages: Message[] } | { file: string; failure: string };

// The reader of a pipe may have read enough, as in "| head".
process.stdout.on("error", () => process.exit(1));
process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  let given: { values: { json?: boolean; help?: boolean; version?: boolean }; positionals: string[] };
  try {
    const flag = { type: "boolean" } as const;
    const options = { json: flag, help: { ...flag, short: "h" }, version: { ...flag, short: "v" } } as const;
    given = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return refuse((error as Error).message);
  }
  const { values, positionals: files } = given;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.version) {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    process.stdout.write(`${(JSON.parse(manifest) as { version: string }).version}\n`);
    return 0;
  }
  if (files.length === 0) return refuse("No file is named.");
  const checker = createChecker();
  let isClean = true;
  for (const file of files) {
    const result = checkFile(checker, file);
    if (!("messages" in result) || result.messages.some(({ type }) => type === "error")) isClean = false;
    process.stdout.write(values.json ? `${logJson(JSON.stringify(result))}\n` : textOf(result));
  }
  return isClean ? 0 : 1;
}

function refuse(why: string): number {
  process.stderr.write(`html-conformance: ${withoutCommands(oneLine(why))}\n\n${HELP}`);
  return 2;
}

function checkFile(checker: Checker, file: string): Result {
  try {
    const contentType = contentTypeOf(file);
    const { source, encoding } = decodeFile(readFileSync(file === "-" ? 0 : file), contentType);
    return { file, messages: checker.check(source, { contentType, encoding }) };
  } catch (error) {
    return { file, failure: (error as Error).message };
  }
}

function textOf(result: Result): string {
  const file = oneLine(result.file);
  if ("failure" in result) return withoutCommands(`${file}: could not be checked: ${oneLine(result.failure)}\n`);
  return withoutCommands(result.messages.map((message) => `${file}:${formatMessage(message)}\n`).join(""));
}
