import { isNote, type Message } from "../messages/message.ts";

/** What was found in a file, or why it could not be checked. */
export type CheckedFile =
  | {
      file: string;
      messages: readonly Message[];
      /** The changes that were made in it; the messages are what is left. */
      fixed?: readonly { kind: string; title: string }[];
      /** Why changes were not made in it. */
      refused?: string;
    }
  | { file: string; failure: string };

/** Where a message begins, from 1. */
export function beginOf({ firstLine, lastLine, firstColumn, lastColumn }: Message): { line: number; column: number } {
  return { line: firstLine ?? lastLine, column: firstColumn ?? lastColumn };
}

export function severityOf({ type, subType }: Message): "error" | "warning" | "info" {
  return type === "error" ? "error" : (subType ?? "info");
}

/** The messages that follow from no other and are no notes, and how many follow from each. */
export function mistakesIn(messages: readonly Message[]): { message: Message; consequences: number }[] {
  const consequences = new Map<number, number>();
  for (const { causedBy } of messages)
    if (causedBy !== undefined) consequences.set(causedBy, (consequences.get(causedBy) ?? 0) + 1);
  return messages.flatMap((message, index) =>
    message.causedBy !== undefined || isNote(message) ? [] : [{ message, consequences: consequences.get(index) ?? 0 }],
  );
}

/** The change that mends a message, and what goes with it; undefined without one. */
export function fixText({ fix }: Message): string | undefined {
  return fix && `${fix.title}: ${fix.removes} ${fix.removes === 1 ? "finding goes" : "findings go"}`;
}
