import { oneLine } from "../messages/format.ts";
import { visible, withoutCommands } from "../messages/log-text.ts";
import { beginOf, severityOf } from "../messages/message.ts";
import type { CheckedFile } from "./checked-file.ts";
import type { Output } from "./output.ts";

/** As compilers print, for editors to jump to. @see GNU Coding Standards, 4.4 Formatting Error Messages */
export function gnu(): Output {
  return { begin: () => "", file: linesOf, end: () => "" };
}

function linesOf(checked: CheckedFile): string {
  const file = visible(checked.file);
  if ("failure" in checked) return withoutCommands(`${file}: could not be checked: ${visible(checked.failure)}\n`);
  const lines = checked.messages.map((message) => {
    const { line, column } = beginOf(message);
    const [from, to] = [`${line}.${column}`, `${message.lastLine}.${message.lastColumn}`];
    const place = from === to ? `${line}:${column}` : `${from}-${to}`;
    return `${file}:${place}: ${severityOf(message)}: ${oneLine(message.message)} [${oneLine(message.rule)}]\n`;
  });
  return withoutCommands(lines.join(""));
}
