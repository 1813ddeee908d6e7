import path from "node:path";
import { pathToFileURL } from "node:url";
import { logJson } from "../messages/log-text.ts";
import { isNote, type Message } from "../messages/message.ts";
import { beginOf, type CheckedFile, severityOf } from "./checked-file.ts";
import type { Output, Tool } from "./output.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/** SARIF 2.1.0, a run with the results of one file after the other: rules are known when all are read. */
export function sarif({ tool }: { tool: Tool }): Output {
  const rules = new Map<string, { index: number; section: string }>();
  const failures: object[] = [];
  let separator = "";
  const indexOf = ({ rule, section }: Message): number => {
    const known = rules.get(rule) ?? { index: rules.size, section };
    rules.set(rule, known);
    return known.index;
  };
  return {
    begin: () => `{"$schema":${JSON.stringify(SCHEMA)},"version":"2.1.0","runs":[{"results":[`,
    file: (checked) => {
      if ("failure" in checked) {
        failures.push({ level: "error", message: { text: plain(`${checked.file}: ${checked.failure}`) } });
        return "";
      }
      return checked.messages
        .map((message, index) => ({ message, index }))
        .filter(({ message }) => !isNote(message))
        .map(({ message }) => {
          const text = separator + logJson(JSON.stringify(resultOf(checked, message, indexOf(message))));
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
              id: id || tool.name,
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
  ruleIndex: number,
): object {
  const artifactLocation = { uri: uriOf(file) };
  const location = (one: Message) => {
    const { line, column } = beginOf(one);
    const region = { startLine: line, startColumn: column, endLine: one.lastLine, endColumn: one.lastColumn + 1 };
    return { physicalLocation: { artifactLocation, region } };
  };
  const cause = message.causedBy === undefined ? undefined : messages[message.causedBy];
  return {
    ruleId: message.rule,
    ruleIndex,
    level: LEVELS[severityOf(message)],
    message: { text: plain(message.message) },
    locations: [location(message)],
    ...(cause && {
      relatedLocations: [{ ...location(cause), message: { text: plain(`It only follows from ${cause.rule} here.`) } }],
    }),
    ...(message.fix && { fixes: [fixOf(message.fix, artifactLocation)] }),
  };
}

/** A region of which the end is not part: where something is inserted it has no characters. */
function fixOf({ title, edits }: NonNullable<Message["fix"]>, artifactLocation: { uri: string }): object {
  const replacements = edits.map(({ startLine, startColumn, endLine, endColumn, text }) => ({
    deletedRegion: { startLine, startColumn, endLine, endColumn },
    insertedContent: { text },
  }));
  return { description: { text: plain(title) }, artifactChanges: [{ artifactLocation, replacements }] };
}

/** Relative, with slashes: code scanning takes it from the root of the checkout. */
function uriOf(file: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  const uri = file.split(path.sep).map(encodeURIComponent).join("/");
  return uri.includes(":") ? `./${uri}` : uri;
}

/** Parts of a page that are neither placeholders nor links (SARIF 2.1.0, sections 3.11.5 and 3.11.6). */
function plain(text: string): string {
  const braces = text.replace(/[{}]/g, "$&$&");
  return braces.includes("](") ? braces.replace(/[[\]\\]/g, "\\$&") : braces;
}
