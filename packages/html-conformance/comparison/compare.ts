import type { Message } from "../src/messages/message.ts";
import type { NuMessage } from "./nu-server.ts";

/** An error that one of both reports on a line on which the other reports none. */
export type Lone = { side: "nu" | "ours"; line: number; message: string; rule: string; extract: string };

export type Comparison = {
  nuInvalid: boolean;
  oursInvalid: boolean;
  /** Lines with errors of Nu's, and how many of them are lines with errors of ours. */
  nuLines: number;
  nuLinesFound: number;
  ourLines: number;
  ourLinesOfNu: number;
  lone: Lone[];
};

const TOO_MANY = "Too many messages.";

/**
 * Compares errors by the line on which they end. What is after the place where Nu gives up is left out.
 *
 * @returns undefined where Nu could not check the document
 */
export function compare(nu: readonly NuMessage[], ours: readonly Message[]): Comparison | undefined {
  if (nu.some(({ type }) => type === "non-document-error")) return undefined;
  const end = endOf(nu);
  const ourErrors = ours.filter(({ type, lastLine }) => type === "error" && lastLine <= end);
  const nuErrors = nu.filter(({ type, message }) => type === "error" && message !== TOO_MANY);
  const nuLines = new Set(nuErrors.map(({ lastLine }) => lastLine ?? 0));
  const ourLines = new Set(ourErrors.map(({ lastLine }) => lastLine));
  const lone: Lone[] = [
    ...nuErrors.flatMap(({ lastLine = 0, message, extract = "" }) =>
      ourLines.has(lastLine) ? [] : [{ side: "nu" as const, line: lastLine, message, rule: "", extract }],
    ),
    ...ourErrors.flatMap(({ lastLine, message, rule, extract }) =>
      nuLines.has(lastLine) ? [] : [{ side: "ours" as const, line: lastLine, message, rule, extract }],
    ),
  ];
  return {
    nuInvalid: nuErrors.length > 0,
    oursInvalid: ours.some(({ type }) => type === "error"),
    nuLines: nuLines.size,
    nuLinesFound: [...nuLines].filter((line) => ourLines.has(line)).length,
    ourLines: ourLines.size,
    ourLinesOfNu: [...ourLines].filter((line) => nuLines.has(line)).length,
    lone,
  };
}

/** The last line of which Nu says something: it ends at what it cannot recover from, and after a thousand messages. */
function endOf(nu: readonly NuMessage[]): number {
  const fatal = nu.find(({ subType }) => subType === "fatal")?.lastLine;
  if (!nu.some(({ message }) => message === TOO_MANY)) return fatal ?? Number.POSITIVE_INFINITY;
  return Math.max(...nu.map(({ lastLine = 0 }) => lastLine));
}

/** What disagreements of a kind have in common: the message without what is particular to the document. */
export function classOf({ side, message, rule }: Lone): string {
  const general = message
    .replaceAll(/“[^”]*”/g, "“…”")
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/<[^ >]*>/g, "<…>")
    .replaceAll(/\d+/g, "N");
  return side === "nu" ? `nu: ${general.slice(0, 160)}` : `ours: ${rule.split("/")[0]} ${general.slice(0, 160)}`;
}
