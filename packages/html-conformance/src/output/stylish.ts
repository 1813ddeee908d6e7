import { oneLine } from "../messages/format.ts";
import { visible, withoutCommands } from "../messages/log-text.ts";
import { beginOf, mistakesIn, severityOf } from "../messages/message.ts";
import { type CheckedFile, fixText } from "./checked-file.ts";
import type { Output } from "./output.ts";

const paint = { error: "\x1b[31m", warning: "\x1b[33m", info: "\x1b[36m", dim: "\x1b[2m", underline: "\x1b[4m" };
const PLAIN = "\x1b[0m";

/** A block for each file with findings, as linters print: what follows from another mistake is counted with it. */
export function stylish({ colour = false }: { colour?: boolean } = {}): Output {
  const inColour = (text: string, code: string) => (colour ? `${code}${text}${PLAIN}` : text);
  const count = { error: 0, warning: 0, info: 0, consequences: 0, failed: 0 };

  const blockOf = (checked: CheckedFile): string => {
    const head = `${inColour(visible(checked.file), paint.underline)}\n`;
    if ("failure" in checked) {
      count.failed += 1;
      return withoutCommands(`${head}  could not be checked: ${visible(checked.failure)}\n\n`);
    }
    const mistakes = mistakesIn(checked.messages);
    const places = mistakes.map(({ message }) => `${beginOf(message).line}:${beginOf(message).column}`);
    const width = Math.max(0, ...places.map(({ length }) => length));
    const rows = mistakes.map(({ message, consequences }, index) => {
      const severity = severityOf(message);
      count[severity] += 1;
      count.consequences += consequences;
      const fix = fixText(message);
      const place = (places[index] ?? "").padStart(width);
      const said = `${oneLine(message.message)}  ${inColour(oneLine(message.rule), paint.dim)}`;
      return `  ${place}  ${inColour(severity, paint[severity])}${" ".repeat(7 - severity.length)}  ${said}\n${
        fix === undefined ? "" : `  ${" ".repeat(width)}           ${inColour(visible(fix), paint.dim)}\n`
      }`;
    });
    const fixed = (checked.fixed ?? []).map(({ title }) => `  fixed: ${visible(title)}\n`);
    const refused = checked.refused === undefined ? [] : [`  not fixed: ${visible(checked.refused)}\n`];
    const lines = [...fixed, ...refused, ...rows];
    return lines.length === 0 ? "" : withoutCommands(`${head}${lines.join("")}\n`);
  };

  const summary = (): string => {
    const { error, warning, consequences, failed } = count;
    if (error + warning + failed === 0) return "";
    const follow = consequences > 0 ? `; ${plural(consequences, "finding")} more only follow from these` : "";
    const left = failed > 0 ? `; ${plural(failed, "file")} could not be checked` : "";
    return `${plural(error + warning, "problem")} (${plural(error, "error")}, ${plural(warning, "warning")})${follow}${left}\n`;
  };
  return { begin: () => "", file: blockOf, end: summary };
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
