import { AssertionError } from "node:assert";
import type { CheckOptions } from "../engine.ts";
import { errorsOf } from "./errors-of.ts";

/**
 * For node:test, or any other runner: `assertConformingHtml(html)`.
 *
 * @throws AssertionError that lists the errors of the document
 */
export function assertConformingHtml(html: string, options?: CheckOptions): void {
  const errors = errorsOf(html, options);
  if (errors !== "") throw new AssertionError({ message: errors, stackStartFn: assertConformingHtml });
}
