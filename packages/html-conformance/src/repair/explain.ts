import { htmlSection } from "../finding.ts";
import { type FoundMessage, LIKELY_MISTAKE, type Message } from "../messages/message.ts";
import { createSourceLines } from "../messages/source-lines.ts";
import type { Candidate } from "./candidates.ts";
import type { Edit } from "./edits.ts";
import type { Mistake } from "./search-mistakes.ts";

/** A message within so many characters of the change says what the change mends. */
const NEAR = 200;

/** By what a mistake is about: the messages that say it, and where the standard does. */
const about: Readonly<Record<Candidate["kind"], { said: RegExp; section: string }>> = {
  quote: {
    said: /^parse\/unexpected-character-in-unquoted/,
    section: "syntax.html#attributes-2",
  },
  tag: {
    said: /^parse\/(?:unexpected-character-in-attribute-name|end-tag-with-attributes)/,
    section: "syntax.html#start-tags",
  },
  "end tag": {
    said: /^parse\/(?:unclosed-element|stray-end-tag|self-closing|end-tag-violates|start-tag-already-open)/,
    section: "syntax.html#end-tags",
  },
  "start tag": {
    said: /^(?:unknown-element|parse\/stray-end-tag|parse\/start-tag-already-open|element-not-allowed)/,
    section: "syntax.html#start-tags",
  },
  attribute: {
    said: /^(?:attribute-not-allowed|bad-value|parse\/duplicate-attribute|parse\/unexpected)/,
    section: "syntax.html#attributes-2",
  },
  reference: { said: /character-reference$/, section: "syntax.html#character-references" },
  doctype: { said: /doctype/, section: "syntax.html#the-doctype" },
  comment: { said: /comment$/, section: "syntax.html#comments" },
};

/**
 * The messages with what they are consequences of: `causedBy` leads to the one that says the mistake, which has the `fix`.
 * Where none says it, one more message does, at its place.
 */
export function explained(source: string, messages: readonly FoundMessage[], mistakes: readonly Mistake[]): Message[] {
  if (mistakes.length === 0 && messages.every(({ follows }) => follows === undefined)) return [...messages];
  const lines = createSourceLines(source);
  const all = messages.map((message): Explained => ({ message, start: lines.startOf(message) }));
  const found = [...all];
  for (const { fix, gone } of mistakes) {
    const { kind } = fix;
    const place = fix.edits[0]?.start ?? 0;
    const consequences = gone.flatMap((index) => all[index] ?? []);
    const distance = ({ start, message }: Explained): number =>
      about[kind].said.test(message.rule) ? Math.abs(start - place) : Number.POSITIVE_INFINITY;
    const [nearest] = consequences.toSorted((a, b) => distance(a) - distance(b));
    const cause: Explained =
      nearest && (distance(nearest) <= NEAR || (consequences.length === 1 && Math.abs(nearest.start - place) <= NEAR))
        ? nearest
        : {
            start: place,
            message: {
              ...likely(source, fix.edits, consequences.length),
              section: htmlSection(about[kind].section),
              ...lines.placeOf(place, placeEnd(source, fix.edits[0])),
            },
          };
    if (cause !== nearest) found.push(cause);
    cause.fix = fix;
    for (const one of consequences) if (one !== cause) one.cause = cause;
  }
  addToldCauses(all);
  // A message that only follows from one that follows from another has the cause of that.
  const rootOf = (one: Explained): Explained => (one.cause ? rootOf(one.cause) : one);
  found.sort((a, b) => a.start - b.start);
  const order = new Map(found.map((one, index) => [one, index]));
  return found.map((one) => ({
    ...withoutFollows(one.message),
    ...(one.cause && { causedBy: order.get(rootOf(one)) as number }),
    ...(one.fix && { fix: one.fix }),
  }));
}

type Explained = { message: FoundMessage; start: number; cause?: Explained; fix?: Mistake["fix"] };

/** What the parser knows to follow from an element that is not closed, where no change has told the cause. */
function addToldCauses(all: readonly Explained[]): void {
  const unclosed = new Map(
    all.filter(({ message }) => message.rule === "parse/unclosed-element").map((one) => [one.start, one]),
  );
  for (const one of all) {
    if (one.message.follows === undefined || one.cause || one.fix) continue;
    const cause = unclosed.get(one.message.follows);
    if (cause) one.cause = cause;
  }
}

function placeEnd(source: string, edit: Edit | undefined): number {
  if (!edit) return 1;
  return Math.min(source.length, Math.max(edit.end, edit.start + 1));
}

function likely(source: string, edits: readonly Edit[], number: number): Pick<Message, "type" | "rule" | "message"> {
  const [first] = edits;
  const old = first ? source.slice(first.start, first.end).trim() : "";
  const text = first?.text.trim() ?? "";
  const others = `${number} other ${number === 1 ? "finding goes" : "findings go"}`;
  const message =
    old === ""
      ? `${named(text)} is probably missing here: with it, ${others}.`
      : text === ""
        ? `${named(old)} is probably superfluous here: without it, ${others}.`
        : `${named(old)} was probably meant to be ${named(text)}: then ${others}.`;
  return { type: "error", rule: LIKELY_MISTAKE, message: message.charAt(0).toUpperCase() + message.slice(1) };
}

function named(text: string): string {
  if (text === "") return "white space";
  if (text === '"' || text === "'") return `a quote (${text})`;
  if (text.startsWith("</")) return `the end tag ${text}`;
  if (/^<[a-z]/i.test(text)) return `the start tag ${text}`;
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

/** As it is given out: what it follows from is said by `causedBy`. */
export function withoutFollows(message: FoundMessage): Message {
  if (message.follows === undefined) return message;
  const { follows: _, ...rest } = message;
  return rest;
}
