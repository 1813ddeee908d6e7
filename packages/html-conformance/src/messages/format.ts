import { visible, withoutCommands } from "./log-text.ts";
import type { Message } from "./message.ts";

const MAX_EXTRACT = 160;

/** A message as people read it: its place, what is wrong, its rule, and the source around it in a second line. */
export function formatMessage(message: Message): string {
  const { lastLine, firstLine = lastLine, lastColumn, firstColumn = lastColumn, rule, extract } = message;
  const place = `${firstLine}:${firstColumn}`;
  const problem = `${place}: ${severityOf(message)}: ${oneLine(message.message)} [${oneLine(rule)}]`;
  return withoutCommands(`${problem}\n  | ${oneLine(extract.slice(0, MAX_EXTRACT))}`);
}

/** Text of a document, or a file's name, on one line and without anything that terminals obey. */
export function oneLine(text: string): string {
  return visible(text.replace(/[\t\n]/g, " "));
}

function severityOf({ type, subType }: Message): "error" | "warning" | "info" {
  return type === "error" ? "error" : (subType ?? "info");
}
