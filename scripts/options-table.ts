import { checkCommand } from "../src/cli/check/options/options.ts";
import { flagOf, options } from "../src/cli/check/options/options-schema.ts";

const BEGIN = "| option | meaning | default |\n|---|---|---|\n";

/** Writes the table of all options into docs/check.md: those of the help, with links. @throws if the page has no such table */
export function withOptionsTable(page: string): string {
  const [before, after] = page.split(BEGIN);
  if (after === undefined) throw new Error("docs/check.md has no table with the columns option, meaning and default.");
  const rows = checkCommand("")
    .options.filter(({ hidden }) => !hidden)
    .map(({ flags, description }) => rowOf(flags, description));
  const end = after.indexOf("\n\n");
  return [before, BEGIN, ...rows, "| `-h`, `--help` | print the options | |", after.slice(end)].join("");
}

function rowOf(flags: string, description: string): string {
  const option = options.find(({ name }) =>
    [flagOf(name), flagOf(name).replace("--", "--no-")].includes(flags.split(" ")[0] ?? ""),
  );
  const { text = description, off, schema, default: byDefault } = option ?? {};
  const isOn = schema?.type === "boolean" && byDefault === true;
  const [, meaning = "", said] = /^(.*?)(?: \(default: (.*)\))?$/.exec(isOn ? (off ?? `do not ${text}`) : text) ?? [];
  const named = flags
    .split(", ")
    .map((flag) => `\`${schema?.enum ? flag.replace(/<.*>/, schema.enum.join("\\|")) : flag}\``);
  return `| ${named.join(", ")} | ${meaning} | ${said ?? defaultOf(schema?.type, byDefault)} |\n`;
}

function defaultOf(type: string | undefined, value: unknown): string {
  if (type === "boolean") return value === undefined ? "" : value ? "on" : "off";
  if (Array.isArray(value) && value.length > 0) return `\`${value[0]}\`, \`${value[1]}\` …`;
  return ["string", "number"].includes(typeof value) ? String(value) : "";
}
