import type { Message } from "../../src/domain/html-message.ts";
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

/**
 * Compares errors by the line on which they end. What is after the place where Nu gives up is left out.
 *
 * @returns undefined where Nu could not check the document
 */
export function compare(nu: readonly NuMessage[], ours: readonly Message[]): Comparison | undefined {
  if (nu.some(({ type }) => type === "non-document-error")) return undefined;
  const end = nu.find(({ subType }) => subType === "fatal")?.lastLine ?? Number.POSITIVE_INFINITY;
  const ourErrors = ours.filter(({ type, lastLine }) => type === "error" && lastLine <= end);
  const nuErrors = nu.filter(({ type }) => type === "error");
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

/** What disagreements of a kind have in common: the message without what is particular to the document. */
export function classOf({ side, message, rule }: Lone): string {
  const general = message
    .replaceAll(/“[^”]*”/g, "“…”")
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/<[^ >]*>/g, "<…>")
    .replaceAll(/\d+/g, "N");
  return side === "nu" ? `nu: ${general.slice(0, 160)}` : `ours: ${rule.split("/")[0]} ${general.slice(0, 160)}`;
}
