import type { Message } from "../messages/message.ts";

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

/** The change that mends a message, and what goes with it; undefined without one. */
export function fixText({ fix }: Message): string | undefined {
  return fix && `${fix.title}: ${fix.removes} ${fix.removes === 1 ? "finding goes" : "findings go"}`;
}
