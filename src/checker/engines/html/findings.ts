import { isNote, type Message } from "html-conformance/messages";
import type { CheckNotice } from "../../../domain/coverage/notices.ts";
import type { CausedBy, ElementFix, FixEdit } from "../../../domain/findings/consequence.ts";
import type { HtmlIssue } from "../../../domain/findings/findings.ts";
import type { ElementKey } from "../../../domain/identity/element-key.ts";
import type { HtmlEngineName } from "../../../schema/html-engines.ts";
import { tagsOf } from "./tags.ts";

/** Limits each message: engines quote names and values of the page. */
const MAX_MESSAGE_LENGTH = 500;

/** The unprocessed result for a page, as the API returns it. */
export type RawHtmlCheck = { url: string; language: string; messages: Message[] };

/**
 * Groups messages by type, rule and text: one issue has one entry per element. Leaves out notes that are not warnings.
 * What follows from another message says from which, and that one has the change that mends it.
 *
 * @param elements the key of each message's element
 * @param repaired whether each message is gone in a repaired copy
 */
export function issuesOf(
  engine: HtmlEngineName,
  messages: readonly Message[],
  elements: readonly (ElementKey | null)[] = [],
  repaired: readonly boolean[] = [],
): HtmlIssue[] {
  const issues = new Map<string, HtmlIssue>();
  for (const [index, message] of messages.entries()) {
    if (isNote(message)) continue;
    const issue_type = message.type === "error" ? "error" : "warning";
    const text = storable(shorten(message.message));
    const key = `${issue_type} ${message.rule} ${text}`;
    let issue = issues.get(key);
    if (!issue) {
      const { rule, section } = message;
      const tags = tagsOf(engine, rule);
      issue = { issue_type, rule: rule || null, message: text, help_url: section || null, tags, html: [] };
      issues.set(key, issue);
    }
    issue.html.push({
      ...entryOf(message),
      ...causingOf(message, messages),
      element: elements[index] ?? null,
      ...(repaired[index] && { repaired: true }),
    });
  }
  return [...issues.values()];
}

/** The conformance engine's note that it has not checked CSS. */
const CSS_NOT_CHECKED = "css/not-checked";

/** What the messages say about what was not checked. */
export function noticesIn(messages: readonly Message[]): CheckNotice[] {
  const [first, ...more] = messages.filter(({ rule }) => rule === CSS_NOT_CHECKED);
  if (!first) return [];
  const detail = `Line ${first.firstLine ?? first.lastLine}: ${first.message}`;
  return [{ code: "css_not_checked", howMany: 1 + more.length, detail }];
}

/** The messages in the shape of the Nu checker's JSON, each with its first column. */
export function rawCheck(url: string, language: string, messages: readonly Message[]): RawHtmlCheck {
  return {
    url,
    language: storable(language),
    messages: messages.map((message) => ({ ...message, firstColumn: firstColumnOf(message) })),
  };
}

function entryOf(message: Message): HtmlIssue["html"][number] {
  const { firstLine, lastLine, lastColumn, extract, hiliteStart, hiliteLength } = message;
  return {
    extract: storable(extract),
    coordinates: {
      first_line: firstLine ?? lastLine,
      last_line: lastLine,
      first_column: firstColumnOf(message),
      last_column: lastColumn,
      hilite_start: hiliteStart,
      hilite_length: hiliteLength,
    },
  };
}

function causingOf({ causedBy, fix }: Message, messages: readonly Message[]) {
  const cause = causedBy === undefined ? undefined : messages[causedBy];
  const shown = fix && shownFix(fix);
  return { ...(cause && { caused_by: placeOf(cause) }), ...(shown && { fix: shown }) };
}

function placeOf(cause: Message): CausedBy {
  return { rule: cause.rule, first_line: cause.firstLine ?? cause.lastLine, first_column: firstColumnOf(cause) };
}

type FixOfMessage = NonNullable<Message["fix"]>;

/** The longest text that a change puts into a page: what swaps long tags has parts of the page. */
const MAX_FIX_LENGTH = 1_000;

/** @returns undefined for a change that would not be the same one once stored */
function shownFix({ title, edits, removes }: FixOfMessage): ElementFix | undefined {
  const text = edits.map((edit) => edit.text).join("");
  if (text.length > MAX_FIX_LENGTH || storable(text) !== text) return undefined;
  return { title: storable(shorten(title)), removes, edits: edits.map(editOf) };
}

function editOf({ startLine, startColumn, endLine, endColumn, text }: FixOfMessage["edits"][number]): FixEdit {
  return { start_line: startLine, start_column: startColumn, end_line: endLine, end_column: endColumn, text };
}

function firstColumnOf({ firstColumn, lastColumn }: Message): number {
  return firstColumn ?? lastColumn;
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : text;
}

/** Replaces NUL and lone surrogates, which PostgreSQL cannot store. The replacements keep the length. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
