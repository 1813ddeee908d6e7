import type { CheckOptions } from "../engine.ts";
import { check } from "../index.ts";
import { formatMessage } from "../messages/format.ts";

/** The errors of a document as a test prints them, or "" without any. Warnings and notes are none. */
export function errorsOf(html: unknown, options?: CheckOptions): string {
  if (typeof html !== "string") throw new TypeError(`HTML is a string; this is of the type ${typeof html}.`);
  const errors = check(html, options).filter(({ type }) => type === "error");
  if (errors.length === 0) return "";
  return `the document has ${errors.length} error${errors.length > 1 ? "s" : ""}:\n${errors.map(formatMessage).join("\n")}`;
}
