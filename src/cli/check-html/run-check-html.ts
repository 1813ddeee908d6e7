import { number, plural } from "../../domain/plural.ts";
import type { Progress } from "../progress.ts";
import { addToTotals, type FileResult, formatResult, noTotals, notDone, totalsLine } from "./html-report.ts";
import type { CheckHtmlOptions } from "./options.ts";

export type CheckHtmlDeps = {
  /** Checks one file; its content never makes this reject. */
  check: (file: string) => Promise<FileResult>;
  /** How many files may be in work at once: being checked, or waiting to be printed. */
  ahead: number;
  write: (text: string) => Promise<void>;
  /** What is no part of the output. */
  warn: (text: string) => void;
  colour: boolean;
  progress: Progress;
  now: () => number;
};

/** Short work needs no progress. */
const SILENT_MS = 2_000;

/**
 * Checks files, several at once, and prints the results in the order of the files.
 *
 * @returns false when there are errors, or files that could not be checked
 */
export async function runCheckHtml(
  files: readonly string[],
  { format, dryRun = false }: Pick<CheckHtmlOptions, "format"> & { dryRun?: boolean },
  { check, ahead, write, warn, colour, progress, now }: CheckHtmlDeps,
): Promise<boolean> {
  // Of a dry run the diff is the output, for a program that applies it.
  const isDiff = dryRun && format === "text";
  const textOf = (result: FileResult) => (isDiff ? (result.diff ?? "") : formatResult(result, format, colour));
  const running: Promise<FileResult>[] = [];
  let totals = noTotals;
  let next = 0;
  const started = now();
  try {
    while (next < files.length || running.length > 0) {
      while (next < files.length && running.length < ahead) {
        const result = check(files[next++] ?? "");
        // It is awaited later, and must not count as an unhandled rejection until then.
        result.catch(() => {});
        running.push(result);
      }
      const result = await running.shift();
      if (!result) break;
      totals = addToTotals(totals, result);
      const text = textOf(result);
      if (text !== "") await write(text);
      if (isDiff) warn(notDone(result));
      if (now() - started > SILENT_MS)
        progress.show(
          `${number(totals.files)} of ${plural(files.length, "file")} · ${plural(totals.errors, "error")}`,
          now(),
        );
    }
  } finally {
    progress.end();
  }
  if (format === "text" && !isDiff) await write(totalsLine(totals));
  return totals.invalid === 0 && totals.failed === 0;
}
