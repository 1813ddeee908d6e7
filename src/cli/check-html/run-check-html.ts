import { number, plural } from "../../domain/plural.ts";
import type { Progress } from "../progress.ts";
import { addToTotals, createOutput, type FileResult, noTotals } from "./html-report.ts";
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
  /** The engine, for a format that names it. */
  tool: { name: string; version: string };
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
  options: Pick<CheckHtmlOptions, "format"> & { dryRun?: boolean },
  { check, ahead, write, warn, colour, tool, progress, now }: CheckHtmlDeps,
): Promise<boolean> {
  const output = createOutput(options, colour, tool);
  const say = async (text: string): Promise<void> => {
    if (text !== "") await write(text);
  };
  const running: Promise<FileResult>[] = [];
  let totals = noTotals;
  let next = 0;
  const started = now();
  await say(output.begin());
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
      await say(output.file(result));
      warn(output.beside(result));
      if (now() - started > SILENT_MS)
        progress.show(
          `${number(totals.files)} of ${plural(files.length, "file")} · ${plural(totals.errors, "error")}`,
          now(),
        );
    }
  } finally {
    progress.end();
  }
  await say(output.end(totals));
  return totals.invalid === 0 && totals.failed === 0;
}
