import type { Fix } from "../repair/edits.ts";

/**
 * A finding as the API returns it: the Nu checker's JSON, with the rule and the standard's section. Lines and
 * columns count from 1; the last ones are those of the last character.
 */
export type Message = {
  type: "error" | "info";
  /** Of "info": not an error, but most likely not intended. */
  subType?: "warning";
  /** Left out where it is the last line. */
  firstLine?: number;
  lastLine: number;
  /** Left out where it is the last column, on the same line. */
  firstColumn?: number;
  lastColumn: number;
  message: string;
  /** The source around it, with LF line ends; the part in question begins at `hiliteStart`. */
  extract: string;
  hiliteStart: number;
  hiliteLength: number;
  /** Stable and in kebab case; the subject, such as an attribute, may follow a slash. */
  rule: string;
  /** URL of the part of the standard. */
  section: string;
  /** The name or value that was probably meant. */
  meant?: string;
  /** It only follows from another mistake, which the message at this place of the list says. */
  causedBy?: number;
  /** A change that was tried in a copy of the source: then this message and its consequences are gone. */
  fix?: Fix;
};

/** The same, with what the parser knows besides: the offset of an open element, of which another message says that it is not closed. */
export type FoundMessage = Message & { follows?: number };

/** True for a remark that is not a finding. */
export function isNote({ type, subType }: Pick<Message, "type" | "subType">): boolean {
  return type === "info" && subType !== "warning";
}

export function severityOf({ type, subType }: Pick<Message, "type" | "subType">): "error" | "warning" | "info" {
  return type === "error" ? "error" : (subType ?? "info");
}

/** Where a message begins, from 1. */
export function beginOf({ firstLine, lastLine, firstColumn, lastColumn }: Message): { line: number; column: number } {
  return { line: firstLine ?? lastLine, column: firstColumn ?? lastColumn };
}

/** The rule of a mistake that no other message says: it sums up those that follow from it. */
export const LIKELY_MISTAKE = "likely-mistake";

/** The messages that follow from no other and are no notes, and how many follow from each. */
export function mistakesIn(messages: readonly Message[]): { message: Message; consequences: number }[] {
  const consequences = new Map<number, number>();
  for (const { causedBy } of messages)
    if (causedBy !== undefined) consequences.set(causedBy, (consequences.get(causedBy) ?? 0) + 1);
  return messages.flatMap((message, index) =>
    message.causedBy !== undefined || isNote(message) ? [] : [{ message, consequences: consequences.get(index) ?? 0 }],
  );
}

export type Place = Pick<
  Message,
  "firstLine" | "lastLine" | "firstColumn" | "lastColumn" | "extract" | "hiliteStart" | "hiliteLength"
>;
