import { visible, withoutCommands } from "./log-text.ts";
import { beginOf, type Message, severityOf } from "./message.ts";

const MAX_EXTRACT = 160;

/** A message as people read it: its place, what is wrong, its rule, and the source around it in a second line. */
export function formatMessage(message: Message): string {
  const { rule, extract } = message;
  const { line, column } = beginOf(message);
  const problem = `${line}:${column}: ${severityOf(message)}: ${oneLine(message.message)} [${oneLine(rule)}]`;
  return withoutCommands(`${problem}\n  | ${oneLine(extract.slice(0, MAX_EXTRACT))}`);
}

/** Text of a document, or a file's name, on one line and without anything that terminals obey. */
export function oneLine(text: string): string {
  return visible(text.replace(/[\t\n]/g, " "));
}
