import { countOf, type Issue, type IssueElement } from "./findings.ts";

/**
 * How much is stored of one page's issues of one kind. Without limits, a page would decide how much memory a list of
 * them takes, by their number and the length of their texts.
 */
export const findingLimits = {
  /** Bytes of each text: an element's markup, a message. */
  text: 2_000,
  /** Elements listed in one issue; `how_many` counts all of them. */
  elements: 500,
  /** Issues; those beyond are counted in one that says so. */
  issues: 1_000,
  /** Bytes of all elements, as JSON. */
  page: 1_000_000,
};

/** Bytes of what may be stored of a page besides its findings, as stored. What is larger is not stored. */
export const MAX_STORED_BYTES = { raw: 5_000_000, screenshot: 5_000_000, source: 250_000 };

/** The longest source that is kept, in UTF-16 units: it is read as a whole to show a few of its lines. */
export const MAX_SOURCE_LENGTH = 2_000_000;

export type FindingLimits = typeof findingLimits;

/** Counts issues beyond the limit in one more issue for each type. */
export function boundIssues(issues: readonly Issue[], max: number = findingLimits.issues): Issue[] {
  if (issues.length <= max) return [...issues];
  const kept = issues.slice(0, max);
  for (const type of ["error", "warning"] as const) {
    const beyond = issues.slice(max).filter((issue) => issue.issue_type === type);
    const count = beyond.reduce((sum, issue) => sum + countOf(issue), 0);
    if (count === 0) continue;
    const message = `More kinds of ${type}s are not listed; at most ${max} of a page are.`;
    kept.push({
      issue_type: type,
      rule: "not-listed",
      message,
      help_url: null,
      tags: [],
      html: [],
      how_many: count,
    });
  }
  return kept;
}

/**
 * The issues, in the same order, with the elements that are within the limits. Counts do not change: where fewer
 * elements are listed, `how_many` says how many there are. The bytes of a page are shared between its issues: each
 * issue gets its first element, then each its second, and so on.
 */
export function boundElements(issues: readonly Issue[], limits: FindingLimits = findingLimits): Issue[] {
  const kept = issues.map((issue) => withinElements(issue, limits));
  const mostBytes = kept.flatMap(({ html }) => html.map(mostBytesOf)).reduce((sum, bytes) => sum + bytes, 0);
  if (mostBytes <= limits.page) return kept;
  const listed = kept.map(() => 0);
  let left = limits.page;
  for (let index = 0, open = kept.length; open > 0; index += 1) {
    open = 0;
    for (const [number, { html }] of kept.entries()) {
      const element = html[index];
      if (element === undefined || listed[number] !== index) continue;
      left -= bytesOf(JSON.stringify(element)) + 1;
      if (left < 0) return kept.map((issue, at) => firstElements(issue, listed[at] ?? 0));
      listed[number] = index + 1;
      open += 1;
    }
  }
  return kept;
}

/** Upper bound of the size as JSON, without serializing, which suffices for pages of usual size. */
function mostBytesOf(value: unknown): number {
  // "\u0000" is the longest escape.
  if (typeof value === "string") return 6 * value.length + 3;
  if (typeof value !== "object" || value === null) return 25;
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + 5 + mostBytesOf(part), 3);
}

function withinElements<One extends Issue>(issue: One, limits: FindingLimits): One {
  const shared = Object.entries(issue).map(([name, value]) => [
    name,
    typeof value === "string" ? cutText(value, limits.text) : value,
  ]);
  const html = issue.html.slice(0, limits.elements).map((element) => cutTexts(element, limits.text));
  return counted({ ...(Object.fromEntries(shared) as One), html }, countOf(issue));
}

function firstElements<One extends Issue>(issue: One, count: number): One {
  return counted({ ...issue, html: issue.html.slice(0, count) }, countOf(issue));
}

function counted<One extends Issue>(issue: One, count: number): One {
  return issue.html.length < count ? { ...issue, how_many: count } : issue;
}

function cutTexts(element: IssueElement, max: number): IssueElement {
  const { target, failure_summary, coordinates } = element;
  const extract = cutText(element.extract, max);
  const cut = {
    ...element,
    extract,
    ...(target !== undefined && { target: cutText(target, max) }),
    ...(failure_summary !== undefined && { failure_summary: cutText(failure_summary, max) }),
  };
  if (!coordinates || extract === element.extract) return cut;
  const hilite_start = Math.min(coordinates.hilite_start, extract.length);
  const hilite_length = Math.min(coordinates.hilite_length, extract.length - hilite_start);
  return { ...cut, coordinates: { ...coordinates, hilite_start, hilite_length } };
}

/** The text, or its beginning with "…" if it has more bytes in UTF-8. */
export function cutText(text: string, maxBytes: number): string {
  // No character has more than three bytes per UTF-16 unit.
  if (text.length * 3 <= maxBytes || bytesOf(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes - 3)));
  return `${text.slice(0, read)}…`;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
