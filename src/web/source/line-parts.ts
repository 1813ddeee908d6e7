/** A piece of a line. `gap` marks the place of text that is left out. */
export type Part = { kind: "plain" | "marked" | "gap"; text: string };

/** Offsets in a line, from 0; `end` is after the last one. */
export type Span = { start: number; end: number };

/** Longer lines are cut: a page without line breaks has its whole source in one line. */
const MAX_WIDTH = 240;
/** How much of a long line is shown before and after each finding. */
const AROUND = 60;
/** How much of a long finding is shown. */
const MAX_MARKED = 160;
/** The most findings that are shown of a long line. */
const MAX_WINDOWS = 40;

/** A line in pieces: what is marked, what is not, and what is left out. Spans may overlap. */
export function partsOf(text: string, spans: readonly Span[]): Part[] {
  const marks = union(spans);
  const windows = windowsOf(text, marks);
  const parts: Part[] = [];
  let at = 0;
  for (const { start, end } of windows) {
    if (start > at) parts.push(gap);
    let from = start;
    for (const mark of marks) {
      const [first, last] = [Math.max(mark.start, start), Math.min(mark.end, end)];
      if (first >= last) continue;
      if (first > from) parts.push({ kind: "plain", text: visible(text.slice(from, first)) });
      parts.push({ kind: "marked", text: visible(text.slice(first, last)) });
      from = last;
    }
    if (end > from) parts.push({ kind: "plain", text: visible(text.slice(from, end)) });
    at = end;
  }
  if (at < text.length) parts.push(gap);
  return parts;
}

const gap: Part = { kind: "gap", text: "…" };

function windowsOf(text: string, marks: readonly Span[]): Span[] {
  if (text.length <= MAX_WIDTH) return [{ start: 0, end: text.length }];
  if (marks.length === 0) return [{ start: 0, end: notInPair(text, MAX_WIDTH) }];
  return union(
    marks.slice(0, MAX_WINDOWS).map(({ start, end }) => ({
      start: notInPair(text, Math.max(0, start - AROUND)),
      end: notInPair(text, Math.min(text.length, Math.min(end, start + MAX_MARKED) + AROUND)),
    })),
  );
}

/** Sorts spans, and joins those that overlap or touch. */
function union(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const before = joined.at(-1);
    if (before && start <= before.end) before.end = Math.max(before.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** A cut must not halve a surrogate pair. */
function notInPair(text: string, cut: number): number {
  const halves = /[\ud800-\udbff]/.test(text.charAt(cut - 1)) && /[\udc00-\udfff]/.test(text.charAt(cut));
  return halves ? cut - 1 : cut;
}

/**
 * Makes text safe to show in a page. Control characters are not allowed there, and become the symbols for them. Those
 * that change the direction of text could make it look different, and become their code points.
 */
function visible(text: string): string {
  return text.toWellFormed().replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Controls except tabs, marks and overrides of direction, byte order marks, code points that are not characters. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufdd0-\ufdef\ufffe\uffff]/g;
