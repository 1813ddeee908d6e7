import { type Message, TOO_MANY_FINDINGS } from "html-conformance/messages";
import { isDeclaredUtf8 } from "./media-type.ts";
import type { NuResponse } from "./post-document.ts";
import { ruleOf } from "./rule.ts";

const MAX_MESSAGE_LENGTH = 500;
const MAX_EXTRACT_LENGTH = 1_000;

/** A message from Nu: only the fields that are used, none of them validated. */
type Raw = Partial<Record<keyof Message | "subType", unknown>>;

/** The messages, or why Nu's response cannot be used. */
type Result = { messages: Message[] } | { engineError: string };

/**
 * The errors and warnings of a response. Nu's notes are neither, and are left out. Never throws.
 *
 * @param contentType of the document, which is always sent to Nu as UTF-8
 * @see https://github.com/validator/validator/wiki/Output-%C2%BB-JSON
 */
export function readResponse({ status, text, isCut }: NuResponse, contentType: string): Result {
  if (status !== 200) return { engineError: `The Nu Html Checker responded with the status ${status}.` };
  const found = parse(isCut ? completed(text) : text);
  if (!found)
    return {
      engineError: `The Nu Html Checker responded with ${isCut ? "too long a message" : "no list of messages"}.`,
    };
  const failure = found.find(({ type }) => type === "non-document-error");
  if (failure) return { engineError: `The Nu Html Checker did not check it: ${failureOf(failure)}` };
  const isUtf8 = isDeclaredUtf8(contentType);
  const messages = found
    .filter(({ type, subType }) => type === "error" || subType === "warning")
    .map(toMessage)
    .filter(({ message }) => isUtf8 || !ENCODING_CONFLICT.test(message));
  const last = messages.at(-1);
  // Nu reports this as an error, even for a valid page with as many warnings.
  if (last?.message === "Too many messages.") messages.splice(-1, 1, tooMany(messages.length - 1, messages.at(-2)));
  else if (isCut) messages.push(tooMany(messages.length, last));
  return { messages };
}

function failureOf({ subType, message }: Raw): string {
  if (subType === "internal")
    return "it failed by an error of its own, most likely because elements are nested too deep.";
  return storable(message, MAX_MESSAGE_LENGTH);
}

/** Messages about a document's own declaration, which contradicts the UTF-8 in which it is sent to Nu. */
const ENCODING_CONFLICT =
  /^(?:Internal encoding declaration .* disagrees with the actual encoding|External encoding information specified utf-8, but XML declaration)/s;

function parse(text: string): Raw[] | undefined {
  try {
    const { messages } = JSON.parse(text) as { messages?: unknown };
    if (!Array.isArray(messages)) return undefined;
    return messages.filter((message): message is Raw => typeof message === "object" && message !== null);
  } catch {
    return undefined;
  }
}

/** Completes a cut response, without its last message. The separator cannot be in a string, which escapes quotes. */
function completed(text: string): string {
  return `${text.slice(0, text.lastIndexOf('},{"type":'))}}]}`;
}

function toMessage({ type, firstLine, lastLine, firstColumn, lastColumn, ...raw }: Raw): Message {
  const message = storable(raw.message, MAX_MESSAGE_LENGTH);
  const extract = storable(raw.extract, MAX_EXTRACT_LENGTH);
  const hiliteStart = Math.min(count(raw.hiliteStart, 0), extract.length);
  return {
    ...(type === "error" ? { type } : { type: "info", subType: "warning" }),
    ...(firstLine === undefined ? {} : { firstLine: count(firstLine, 1) }),
    // A message about the whole document has no place.
    lastLine: count(lastLine, 1),
    ...(firstColumn === undefined ? {} : { firstColumn: count(firstColumn, 1) }),
    lastColumn: count(lastColumn, 1),
    message,
    extract,
    hiliteStart,
    hiliteLength: Math.min(count(raw.hiliteLength, 0), extract.length - hiliteStart),
    rule: ruleOf(String(raw.message ?? "")),
    // Nu's JSON does not name one.
    section: "",
  };
}

function tooMany(listed: number, last: Message | undefined): Message {
  const place = last ?? { lastLine: 1, lastColumn: 1, extract: "", hiliteStart: 0, hiliteLength: 0 };
  return {
    ...place,
    type: "info",
    subType: "warning",
    message: `The first ${listed} findings of this page are listed. There are more.`,
    rule: TOO_MANY_FINDINGS,
    section: "",
  };
}

function count(value: unknown, least: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? Math.max(value, least) : least;
}

/** Replaces NUL and lone surrogates, which PostgreSQL cannot store. The replacements keep the length. */
function storable(text: unknown, longest: number): string {
  const given = typeof text === "string" ? text : "";
  const cut = given.length > longest ? `${given.slice(0, longest - 1)}…` : given;
  return cut.replaceAll("\0", "\ufffd").toWellFormed();
}
