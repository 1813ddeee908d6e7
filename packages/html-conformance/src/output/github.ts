import { visible } from "../messages/log-text.ts";
import { beginOf, mistakesIn, severityOf } from "../messages/message.ts";
import { type CheckedFile, fixText } from "./checked-file.ts";
import type { Output } from "./output.ts";

const COMMANDS = { error: "error", warning: "warning", info: "notice" } as const;

/**
 * Commands that annotate a pull request. What follows from another mistake is counted with it: GitHub shows ten annotations of a step.
 *
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function github(): Output {
  return { begin: () => "", file: commandsOf, end: () => "" };
}

function commandsOf(checked: CheckedFile): string {
  const { file } = checked;
  if ("failure" in checked) return command("error", { file, title: "could not be checked" }, checked.failure);
  return mistakesIn(checked.messages)
    .map(({ message, consequences }) => {
      const { line, column } = beginOf(message);
      const { lastLine, lastColumn, rule, message: text } = message;
      const place = { line, endLine: lastLine, ...(line === lastLine && { col: column, endColumn: lastColumn }) };
      const fix = consequences > 0 ? fixText(message) : undefined;
      const said = fix === undefined ? text : `${text}\n${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`;
      return command(COMMANDS[severityOf(message)], { file, ...place, title: rule }, said);
    })
    .join("");
}

function command(name: string, properties: Readonly<Record<string, string | number>>, text: string): string {
  const given = Object.entries(properties).map(([key, value]) => `${key}=${property(String(value))}`);
  return `::${name} ${given.join(",")}::${data(text)}\n`;
}

/** Pages and names of files decide what is in it: nothing may end the command, or begin another one. */
function data(text: string): string {
  return text
    .split("\n")
    .map((line) => visible(line).replaceAll("%", "%25"))
    .join("%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
