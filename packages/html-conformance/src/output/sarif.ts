import path from "node:path";
import { pathToFileURL } from "node:url";
import { logJson } from "../messages/log-text.ts";
import { beginOf, isNote, type Message, severityOf } from "../messages/message.ts";
import type { CheckedFile } from "./checked-file.ts";
import type { Output, Tool } from "./output.ts";
import { SARIF_SCHEMA, sarifCause, sarifFix, sarifText } from "./sarif-parts.ts";

const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/** SARIF 2.1.0, a run with the results of one file after the other: rules are known when all are read. */
export function sarif({ tool }: { tool: Tool }): Output {
  const rules = new Map<string, { index: number; section: string }>();
  const failures: object[] = [];
  let separator = "";
  // Code scanning refuses a result without a rule: what an engine has no name for is of the engine.
  const ruleOf = ({ rule, section }: Message): { ruleId: string; ruleIndex: number } => {
    const ruleId = rule || tool.name;
    const known = rules.get(ruleId) ?? { index: rules.size, section };
    rules.set(ruleId, known);
    return { ruleId, ruleIndex: known.index };
  };
  return {
    begin: () => `{"$schema":${JSON.stringify(SARIF_SCHEMA)},"version":"2.1.0","runs":[{"results":[`,
    file: (checked) => {
      if ("failure" in checked) {
        failures.push({ level: "error", message: { text: sarifText(`${checked.file}: ${checked.failure}`) } });
        return "";
      }
      return checked.messages
        .map((message, index) => ({ message, index }))
        .filter(({ message }) => !isNote(message))
        .map(({ message }) => {
          const text = separator + logJson(JSON.stringify(resultOf(checked, message, ruleOf(message))));
          separator = ",\n";
          return text;
        })
        .join("");
    },
    end: () => {
      const rest = {
        tool: {
          driver: {
            ...tool,
            rules: [...rules].map(([id, { section }]) => ({
              id,
              ...(section && { helpUri: section }),
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: failures.length === 0, toolExecutionNotifications: failures }],
      };
      return `],${logJson(JSON.stringify(rest)).slice(1)}]}\n`;
    },
  };
}

function resultOf(
  { file, messages }: Extract<CheckedFile, { messages: unknown }>,
  message: Message,
  rule: { ruleId: string; ruleIndex: number },
): object {
  const artifactLocation = { uri: uriOf(file) };
  const location = (one: Message) => {
    const { line, column } = beginOf(one);
    const region = { startLine: line, startColumn: column, endLine: one.lastLine, endColumn: one.lastColumn + 1 };
    return { physicalLocation: { artifactLocation, region } };
  };
  const cause = message.causedBy === undefined ? undefined : messages[message.causedBy];
  return {
    ...rule,
    level: LEVELS[severityOf(message)],
    message: { text: sarifText(message.message) },
    locations: [location(message)],
    ...(cause && {
      relatedLocations: [sarifCause(cause.rule, location(cause))],
    }),
    ...(message.fix && { fixes: [sarifFix(message.fix.title, message.fix.edits, artifactLocation)] }),
  };
}

/** Relative, with slashes: code scanning takes it from the root of the checkout. */
function uriOf(file: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  const uri = file.split(path.sep).map(encodeURIComponent).join("/");
  return uri.includes(":") ? `./${uri}` : uri;
}
