import { describe } from "./messages.ts";
import type { ParseProblem } from "./problem.ts";

/** Something wrong with the text of a document, at a place in its source. */
export type ParseFinding = {
  severity: "error" | "warning" | "info";
  /** Stable: `parse/` and the code, which is the standard's if it has one. */
  rule: string;
  message: string;
  /** The URL of the part of the standard that requires it. */
  section: string;
  /** Offsets in the source: of the first character, and after the last. Both are 0 for the whole document. */
  start: number;
  end: number;
  /** Where the element begins that it says to be open, of which another finding says that it is not closed. */
  follows?: number;
};

/** How far back a character reference is searched for. */
const MAX_REFERENCE_LENGTH = 60;
const MAX_NAME_LENGTH = 200;
const MAX_QUOTE_LENGTH = 40;

const references = new Set([
  "absence-of-digits-in-numeric-character-reference",
  "character-reference-outside-unicode-range",
  "control-character-reference",
  "missing-semicolon-after-character-reference",
  "noncharacter-character-reference",
  "null-character-reference",
  "surrogate-character-reference",
  "unknown-named-character-reference",
]);

/** The finding for a problem of the parser, with its displayed place and its message. */
export function toFinding(problem: ParseProblem, source: string): ParseFinding {
  const { code, follows } = problem;
  const { start, end, name } = locate(problem, source);
  const found = problem.found ?? quote(source, start, end, references.has(code));
  const said = describe(code, { name: name ?? "", found });
  return { rule: `parse/${code}`, start, end, ...said, ...(follows !== undefined && { follows }) };
}

type Place = { start: number; end: number; name?: string | undefined };

function locate({ code, start, end, name }: ParseProblem, source: string): Place {
  if (end > start || (start === 0 && end === 0 && name !== undefined)) return { start, end, name };
  if (source.length === 0) return { start: 0, end: 0, name };
  if (references.has(code)) return referenceBefore(start, source);
  if (code === "duplicate-attribute") return nameBefore(start, source);
  // The end of the file is where its last character is.
  const at = Math.min(start, source.length - 1);
  const isPair = (source.codePointAt(at) ?? 0) > 0xffff;
  return { start: at, end: at + (isPair ? 2 : 1), name };
}

function referenceBefore(offset: number, source: string): Place {
  const from = Math.max(0, offset - MAX_REFERENCE_LENGTH);
  const ampersand = source.slice(from, offset).lastIndexOf("&");
  const end = source[offset] === ";" ? offset + 1 : offset;
  return ampersand < 0 ? { start: Math.max(0, offset - 1), end: offset } : { start: from + ampersand, end };
}

function nameBefore(offset: number, source: string): Place {
  const text = source.slice(Math.max(0, offset - MAX_NAME_LENGTH), offset);
  let length = 0;
  while (length < text.length && !/[\s"'<>/=]/.test(text.charAt(text.length - 1 - length))) length++;
  const name = text.slice(text.length - length);
  return { start: offset - length, end: offset, name: name.toLowerCase() };
}

/** Characters as a message shows them: in quotes, or as U+… if they are invisible. */
function quote(source: string, start: number, end: number, isReference: boolean): string {
  if (isReference) return `"${source.slice(start, end)}"`;
  const text = source.slice(start, Math.min(end, start + MAX_QUOTE_LENGTH));
  if (/^[\u0021-\u007e]+$/.test(text) || /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text)) return inQuotes(text);
  return codePoint(text);
}

function inQuotes(text: string): string {
  if (text === '"') return "a double quote";
  return text === "'" ? "a single quote" : `"${text}"`;
}

/** The first character as U+…. */
export function codePoint(text: string): string {
  return `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
