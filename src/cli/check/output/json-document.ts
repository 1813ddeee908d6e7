import type { ExportedFinding } from "../../../domain/export/exported.ts";
import { visibleJson } from "../../visible-json.ts";
import { type CheckedPage, failedAmong } from "../failed-pages.ts";
import { type IgnoredBy, ignoredDocument } from "../ignored.ts";
import type { LeftOut } from "../targets/served-pages.ts";

/** What `--json` prints. */
export type JsonInput = {
  report: { id: string; type: string; attributes: unknown };
  pages: readonly CheckedPage[];
  /** Addresses that were left out, as the API has them. */
  excluded: readonly { attributes: unknown }[];
  findings: AsyncIterable<ExportedFinding>;
  /** Only of a folder. */
  leftOut?: readonly LeftOut[] | undefined;
  /** With entries of `ignore` only. */
  ignored?: readonly IgnoredBy[];
};

/**
 * A report with its pages and findings as one JSON document: `data` is the report as the API has it, without links;
 * `pages` and `failed_pages` are by URL; `excluded_urls` are left out, with reasons; `left_out` has files of a checked folder that are not of it; `ignored` counts
 * what is ignored, for each entry; `findings` are as in an NDJSON export, in the order of the pages.
 */
export async function* jsonDocument({
  report,
  pages,
  excluded,
  findings,
  leftOut,
  ignored = [],
}: JsonInput): AsyncGenerator<string> {
  const { id, type, attributes } = report;
  yield `{\n"data": ${visibleJson({ id, type, attributes }, 2)},\n`;
  yield `"pages": ${list(pages.map((page) => page.attributes))},\n`;
  const failed = failedAmong(pages).map(({ url, linkedFrom, numLinkedFrom, reasons }) => ({
    url,
    linked_from: linkedFrom[0] ?? null,
    num_linked_from: numLinkedFrom,
    linked_from_pages: linkedFrom,
    reasons,
  }));
  yield `"failed_pages": ${list(failed)},\n`;
  yield `"excluded_urls": ${list(excluded.map(({ attributes }) => attributes))},\n`;
  if (leftOut) yield `"left_out": ${list(leftOut)},\n`;
  if (ignored.length > 0) yield `"ignored": ${visibleJson(ignoredDocument(ignored), 2)},\n`;
  yield '"findings": [';
  let separator = "\n  ";
  for await (const finding of findings) {
    yield separator + visibleJson(finding);
    separator = ",\n  ";
  }
  yield "\n]\n}\n";
}

/** A JSON array with one entry per line. */
function list(entries: readonly unknown[]): string {
  return entries.length === 0 ? "[]" : `[\n  ${entries.map((entry) => visibleJson(entry)).join(",\n  ")}\n]`;
}

/** The document that `check --json` prints to stdout when it could not run. */
export function errorDocument(message: string): string {
  const errors = message.split("\n").map((detail) => ({ code: "could_not_run", title: "Could not run", detail }));
  return `${visibleJson({ errors, jsonapi: { version: "1.0" } }, 2)}\n`;
}
