import type { FixedFile } from "html-conformance/fixing";
import { visible, withoutCommands } from "html-conformance/log-text";
import { beginOf, type Message, oneLine, severityOf } from "html-conformance/messages";
import { type CheckedFile, outputs } from "html-conformance/output";
import { number, plural } from "../../domain/plural.ts";
import { visibleJson } from "../visible-json.ts";
import type { HtmlFormat } from "./options.ts";

/** What was found in one file. `valid` is null, and `engine_error` says why, where it could not be checked. */
export type FileResult = {
  file: string;
  valid: boolean | null;
  errors: number;
  warnings: number;
  messages: Message[];
  engine_error?: string;
  /** With `--fix`: the changes that were made; the messages are what is left. */
  fixed?: FixedFile["made"];
  /** Why it was not changed, where there was something to change. */
  not_fixed?: string;
  /** With `--dry-run`: the changes as a unified diff. */
  diff?: string;
};

export function fileResult(
  file: string,
  result: { messages: Message[]; fixing?: Omit<FixedFile, "messages"> } | { engineError: string },
): FileResult {
  if ("engineError" in result)
    return { file, valid: null, errors: 0, warnings: 0, messages: [], engine_error: result.engineError };
  const { messages } = result;
  const errors = messages.filter(({ type }) => type === "error").length;
  const warnings = messages.filter(({ subType }) => subType === "warning").length;
  const { made, refused, diff } = result.fixing ?? {};
  return {
    ...{ file, valid: errors === 0, errors, warnings, messages },
    ...(made && { fixed: made }),
    ...(refused !== undefined && { not_fixed: refused }),
    ...(diff && { diff }),
  };
}

const EXTRACT_SHOWN = 120;
const paint = { error: "\x1b[31m", warning: "\x1b[33m", info: "\x1b[36m", dim: "\x1b[2m", bold: "\x1b[1m" };
const PLAIN = "\x1b[0m";

/**
 * How results are printed, one after the other.
 *
 * @param tool the engine, for a format that names it
 */
export function createOutput(
  { format, dryRun = false }: { format: HtmlFormat; dryRun?: boolean },
  colour: boolean,
  tool: { name: string; version: string },
): HtmlOutput {
  const empty = () => "";
  const plain = { begin: empty, end: empty, beside: empty };
  // Of a dry run the diff is the output, for a program that applies it.
  if (dryRun && format === "text") return { ...plain, file: ({ diff = "" }) => diff, beside: notDone };
  if (format === "json") return { ...plain, file: (result) => `${visibleJson(result)}\n` };
  if (format === "text") return { ...plain, file: (result) => textOf(result, colour), end: totalsLine };
  const { begin, file, end } = outputs[format]({ colour, tool });
  const beside = ({ file: name, not_fixed, diff = "" }: FileResult) =>
    (format === "stylish" ? "" : notFixed(name, not_fixed)) + (dryRun ? diff : "");
  return { begin, file: (result) => file(checkedFile(result)), end: () => end(), beside };
}

export type HtmlOutput = {
  begin: () => string;
  /** A file's result as text that ends with a newline, or is empty. */
  file: (result: FileResult) => string;
  end: (totals: Totals) => string;
  /** What the format has no place for. */
  beside: (result: FileResult) => string;
};

function checkedFile({ file, messages, fixed, not_fixed: refused, engine_error: failure }: FileResult): CheckedFile {
  if (failure !== undefined) return { file, failure };
  return { file, messages, ...(fixed && { fixed }), ...(refused !== undefined && { refused }) };
}

function textOf(result: FileResult, colour: boolean): string {
  const { file, messages } = result;
  const fixes = result.fixed?.map(({ kind, title }) => `${visible(file)}: fixed: ${visible(title)} [${kind}]\n`) ?? [];
  const lines = messages.map((message) => textLines(visible(file), message, messages, colour));
  return withoutCommands(notDone(result) + fixes.join("") + lines.join(""));
}

/** Why a file could not be checked, or is left as it is; empty for others. */
function notDone({ file, engine_error, not_fixed }: FileResult): string {
  const failed = engine_error === undefined ? "" : `${visible(file)}: could not be checked: ${visible(engine_error)}\n`;
  return withoutCommands(failed) + notFixed(file, not_fixed);
}

function notFixed(file: string, why: string | undefined): string {
  return why === undefined ? "" : withoutCommands(`${visible(file)}: not fixed: ${visible(why)}\n`);
}

function textLines(file: string, message: Message, all: readonly Message[], colour: boolean): string {
  const { line, column } = beginOf(message);
  const severity = severityOf(message);
  const inColour = (text: string, code: string): string => (colour && text !== "" ? `${code}${text}${PLAIN}` : text);
  const head = `${inColour(`${file}:${line}:${column}`, paint.bold)}: ${inColour(severity, paint[severity])}: `;
  const { extract, hiliteStart, hiliteLength } = message;
  const end = hiliteStart + Math.min(hiliteLength, EXTRACT_SHOWN);
  const before = oneLine(extract.slice(0, hiliteStart));
  const hilite = oneLine(extract.slice(hiliteStart, end)) + (end < hiliteStart + hiliteLength ? "…" : "");
  const after = oneLine(extract.slice(hiliteStart + hiliteLength));
  // Colours between its parts would hide a command from the search, but not from what removes colours from logs.
  const whole = before + hilite + after;
  const hasCommand = withoutCommands(whole) !== whole;
  const excerpt = hasCommand
    ? whole
    : `${inColour(before, paint.dim)}${inColour(hilite, paint[severity])}${inColour(after, paint.dim)}`;
  return `${head}${visible(message.message)} ${inColour(`[${visible(message.rule)}]`, paint.dim)}\n    ${excerpt}\n${causing(message, all)}`;
}

/** What a message follows from, and the change with which it goes. */
function causing({ causedBy, fix }: Message, all: readonly Message[]): string {
  const cause = causedBy === undefined ? undefined : all[causedBy];
  const place = cause && beginOf(cause);
  return [
    ...(place ? [`    = follows from ${place.line}:${place.column}\n`] : []),
    ...(fix
      ? [`    = ${visible(fix.title)}: ${plural(fix.removes, "finding")} ${fix.removes === 1 ? "goes" : "go"}\n`]
      : []),
  ].join("");
}

/** Counts over all files. */
export type Totals = { files: number; invalid: number; failed: number; errors: number; warnings: number };

export const noTotals: Totals = { files: 0, invalid: 0, failed: 0, errors: 0, warnings: 0 };

export function addToTotals(totals: Totals, { valid, errors, warnings }: FileResult): Totals {
  return {
    files: totals.files + 1,
    invalid: totals.invalid + Number(valid === false),
    failed: totals.failed + Number(valid === null),
    errors: totals.errors + errors,
    warnings: totals.warnings + warnings,
  };
}

/** The last line for people. */
function totalsLine({ files, invalid, failed, errors, warnings }: Totals): string {
  const parts = [
    `${plural(files, "file")} checked`,
    `${number(invalid)} with errors`,
    plural(errors, "error"),
    plural(warnings, "warning"),
  ];
  if (failed > 0) parts.push(`${number(failed)} could not be checked`);
  return `${parts.join(" · ")}\n`;
}
