import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(import.meta.dirname, "corpora");

/** The inputs that are kept for a target: one a line, a JSON string with a character a byte. */
export function readCorpus(name: string): Buffer[] {
  const file = fileOf(name);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => Buffer.from(JSON.parse(line) as string, "latin1"));
}

export function writeCorpus(name: string, inputs: readonly Buffer[]): void {
  const lines = inputs.map((input) =>
    JSON.stringify(input.toString("latin1")).replace(
      /[\u007f-\u00ff]/g,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    ),
  );
  writeFileSync(
    fileOf(name),
    `${[...new Set(lines)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).join("\n")}\n`,
  );
}

function fileOf(name: string): string {
  return path.join(FOLDER, `${name.replaceAll(" ", "-").toLowerCase()}.txt`);
}
