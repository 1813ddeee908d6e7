import { logJson, logText, visible } from "html-conformance/log-text";
import { Document, visit } from "yaml";
import type { GivenOptions } from "./options-schema.ts";

const VARIABLE_ALONE = /^\$(\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)$/;

/**
 * The given options as a configuration file has them, with the file that they were read from. For headers and cookies
 * it shows the names, and of their values only the names of variables.
 */
export function printedConfig(given: GivenOptions, file: string | undefined): string {
  const { headers, cookies } = given;
  const from = file === undefined ? "no configuration file" : visible(file);
  const document = new Document({ ...given, ...hidden({ headers, cookies }) });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && isUnsafe(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  // In double quotes, YAML has the escapes of JSON. Folded, a text would begin lines.
  const yaml = logJson(document.toString({ blockQuote: false, lineWidth: 0 }));
  return `# from the command line and ${from}; all others have their defaults\n${yaml}`;
}

function isUnsafe(text: string): boolean {
  return logText(text) !== text;
}

function hidden(secrets: Pick<GivenOptions, "headers" | "cookies">): Pick<GivenOptions, "headers" | "cookies"> {
  const masked = (named: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(named).map(([name, value]) => [name, VARIABLE_ALONE.test(value) ? value : "********"]),
    );
  return Object.fromEntries(Object.entries(secrets).flatMap(([name, named]) => (named ? [[name, masked(named)]] : [])));
}
