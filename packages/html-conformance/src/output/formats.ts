import { formatMessage, oneLine } from "../messages/format.ts";
import { logJson, visible, withoutCommands } from "../messages/log-text.ts";
import { beginOf } from "../messages/message.ts";
import { type CheckedFile, fixText } from "./checked-file.ts";
import { github } from "./github.ts";
import { gnu } from "./gnu.ts";
import type { Output, Tool } from "./output.ts";
import { sarif } from "./sarif.ts";
import { stylish } from "./stylish.ts";

type Options = { colour?: boolean; tool: Tool };

/** How results are printed, by name. */
export const outputs = {
  text: () => ({ begin: () => "", file: textOf, end: () => "" }),
  stylish,
  gnu,
  github,
  json: () => ({ begin: () => "", file: (checked) => `${logJson(JSON.stringify(checked))}\n`, end: () => "" }),
  sarif,
} as const satisfies Record<string, (options: Options) => Output>;

export type OutputFormat = keyof typeof outputs;

/** Each message, with what it follows from and with which change it goes. */
function textOf(checked: CheckedFile): string {
  const file = oneLine(checked.file);
  if ("failure" in checked) return withoutCommands(`${file}: could not be checked: ${oneLine(checked.failure)}\n`);
  const { messages, fixed = [], refused } = checked;
  const lines = messages.map((message) => {
    const cause = message.causedBy === undefined ? undefined : messages[message.causedBy];
    const from = cause && `  = follows from ${beginOf(cause).line}:${beginOf(cause).column}\n`;
    const fix = fixText(message);
    return `${file}:${formatMessage(message)}\n${from ?? ""}${fix === undefined ? "" : `  = ${oneLine(fix)}\n`}`;
  });
  const made = fixed.map(({ kind, title }) => `${file}: fixed: ${visible(title)} [${kind}]\n`);
  const left = refused === undefined ? "" : `${file}: not fixed: ${visible(refused)}\n`;
  return withoutCommands(made.join("") + left + lines.join(""));
}
