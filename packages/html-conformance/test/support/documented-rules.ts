import { readFileSync } from "node:fs";

const TABLES = readFileSync(new URL("../../docs/checks.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"));

/** What the tables of docs/checks.md have as code. */
export const documented: ReadonlySet<string> = new Set(
  TABLES.flatMap((line) => Array.from(line.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)),
);

/** What stands before the … of those that stand for several, such as `label/aria-`. */
const groups = [...documented].flatMap((rule) => /^([a-z-]+\/[a-z-]*)…$/.exec(rule)?.[1] ?? []);

/**
 * True where docs/checks.md has a rule of the conformance engine: as it is, or as one of `label/aria-…`.
 *
 * @param rule may itself have `…` for what is not known before
 */
export function isDocumented(rule: string): boolean {
  if (documented.has(rule) || documented.has(rule.replace(/^parse\//, ""))) return true;
  if (groups.some((group) => rule.startsWith(group))) return true;
  const [start = "", rest] = rule.split("…");
  return rest !== undefined && [...documented].some((known) => known.startsWith(start));
}
