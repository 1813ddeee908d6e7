import type { Message } from "./message.ts";

/** Controls, and characters that change a text's direction or cannot be seen: a document must not steer a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/gu;
/** Commands to build servers may begin so anywhere in a line, and otherwise at its start, where we never quote. */
const COMMAND = /##(?=[a-z]*\[)/gi;
const MAX_EXTRACT = 160;

/** A message as people read it: its place, what is wrong, its rule, and the source around it in a second line. */
export function formatMessage(message: Message): string {
  const { lastLine, firstLine = lastLine, lastColumn, firstColumn = lastColumn, rule, extract } = message;
  const place = `${firstLine}:${firstColumn}`;
  return `${place}: ${severityOf(message)}: ${visible(message.message)} [${visible(rule)}]\n  | ${visible(extract.slice(0, MAX_EXTRACT))}`;
}

/** Text of a document, or a file's name, on one line and without anything that terminals and build servers obey. */
export function visible(text: string): string {
  return text
    .replace(/[\t\n]/g, " ")
    .replace(UNSEEN, "\uFFFD")
    .replace(COMMAND, "# #");
}

/** JSON with the same meaning, on one line and without anything that terminals and build servers obey. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, escaped).replace(COMMAND, escaped);
}

/** A character beyond U+FFFF has two units. */
function escaped(text: string): string {
  return text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function severityOf({ type, subType }: Message): "error" | "warning" | "info" {
  return type === "error" ? "error" : (subType ?? "info");
}
