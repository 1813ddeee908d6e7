import { type CheckOptions, checkOptions, parseCheck } from "../../src/cli/check/options/options.ts";
import type { CheckedReport } from "../../src/cli/check/verdict.ts";
import type { ExportedFinding } from "../../src/domain/export/exported.ts";

/** What these arguments of `check` ask for. */
export function optionsOf(...args: string[]): CheckOptions {
  const parsed = parseCheck(args);
  if ("help" in parsed) throw new Error("Help was not asked for.");
  return checkOptions(parsed.given, parsed);
}

/** A report that has ended, with one page and its HTML checks. */
export function endedReport(
  changes: Partial<CheckedReport> = {},
  { errors, warnings, checked, failed } = { errors: 0, warnings: 0, checked: 1, failed: 0 },
): CheckedReport {
  return {
    starting_url: "https://example.com/",
    same_site: [],
    standard: "wcag22aa",
    num_pages: 1,
    phase: "Complete",
    failure: null,
    checks: {
      html: { status: { pending: 0, checked, failed }, reused: 0, issues: { errors, warnings, muted } },
      a11y: null,
      links: null,
    },
    passed: null,
    gate_results: null,
    comparison: null,
    coverage: null,
    ...changes,
  };
}

/** Nothing is muted. */
export const muted = { errors: 0, warnings: 0 };

/** Findings of no impact at all. */
export const noSeverity = {
  critical: 0,
  serious: 0,
  moderate: 0,
  minor: 0,
  total: { errors: 0, warnings: 0, total: 0 },
};

/** An HTML error, unless the changes say otherwise. */
export function exportedFinding(changes: Partial<ExportedFinding> = {}): ExportedFinding {
  return {
    fingerprint: "0123456789abcdef0123",
    component: "abcdef0123456789abcd",
    fault: "0123456789abcdef0123",
    cause: "0123456789abcdef0123",
    role: null,
    kind: "html",
    rule: "img/alt",
    issue_type: "error",
    outside_standard: false,
    impact: null,
    message: 'The attribute "alt" is missing on <img>.',
    help_url: "https://html.spec.whatwg.org/multipage/images.html#alt",
    page_url: "https://example.com/",
    target: null,
    selector: "html > body > img",
    box: null,
    contrast: null,
    line: 12,
    column: 5,
    html: '<img src="x.png">',
    how_many: 1,
    caused_by: null,
    fix: null,
    state: null,
    first_seen_at: "2026-05-05T10:00:00",
    muted: false,
    muting: null,
    tags: [],
    ...changes,
  };
}

/** What is read as it comes. */
export async function* stream<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

/** A text that comes in pieces. */
export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}
