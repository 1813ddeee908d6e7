import type winston from "winston";
import { errorText } from "../domain/error-text.ts";

type Line = winston.Logform.TransformableInfo;

/** How long lines like one that was written are only counted, in milliseconds. */
const WINDOW_MS = 60_000;
/** Different lines that are remembered at the same time. */
const MAX_LINES = 1_000;

type Seen = { last: Line; count: number; timer: NodeJS.Timeout };

/**
 * Counts repeated lines instead of writing them: of lines that are alike, the first one is written, and a minute later
 * the number of the others. A fault that repeats a thousand times a second must not fill a disk.
 *
 * @param write writes a line that stands for several
 * @returns whether a line is to be written now
 */
export function countDuplicates(write: (line: Line) => void): (line: Line) => boolean {
  const seen = new Map<string, Seen>();

  const endWindow = (key: string): void => {
    const { last, count } = seen.get(key) ?? {};
    seen.delete(key);
    if (!last || !count) return;
    const times = count === 1 ? "once" : `${count} times`;
    write({ ...last, message: `${last.message} (repeated ${times} in the last minute)`, repeated: count });
    // Further repetitions are counted for another minute.
    open(key, last);
  };
  const open = (key: string, line: Line): void => {
    const timer = setTimeout(() => endWindow(key), WINDOW_MS).unref();
    seen.set(key, { last: line, count: 0, timer });
    const [oldest] = seen.size > MAX_LINES ? seen.keys() : [];
    if (oldest === undefined) return;
    clearTimeout(seen.get(oldest)?.timer);
    endWindow(oldest);
  };

  return (line) => {
    const key = keyOf(line);
    const earlier = seen.get(key);
    if (!earlier) {
      open(key, line);
      return true;
    }
    earlier.last = line;
    earlier.count += 1;
    return false;
  };
}

/** Lines with the same key are alike. Warnings and errors that differ only in numbers, such as of a try, are alike. */
function keyOf(line: Line): string {
  const isProblem = line.level === "warn" || line.level === "error";
  return JSON.stringify(line, (_name, value) => {
    if (value instanceof Error) return errorText(value);
    return isProblem && typeof value === "number" ? 0 : value;
  });
}
