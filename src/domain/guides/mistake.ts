import { UsageError } from "../errors.ts";

/** What is wrong with a guide, and on which line of its file. */
export type Mistake = { line: number; message: string };

/** The error for a mistake in a guide: `guides/html/img/alt.md:3: title is missing.` */
export function mistake(file: string, { line, message }: Mistake): UsageError {
  return new UsageError(`guides/${file}:${line}: ${message}`);
}
