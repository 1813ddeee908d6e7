import { readdirSync, readFileSync } from "node:fs";

const ENGINE = new URL("../../src/", import.meta.url);
/** A rule as the code writes it: a string, or a template that begins with the rule's group. */
const RULE =
  /(?:\brule: (?:[^"`\n]*[?] )?|wrong\(\s*open,\s*)(?:"([^"]+)"|`([a-z][^`]*)`)(?: : (?:"([^"]+)"|`([^`]+)`))?/g;

/** The rules that are written in the conformance engine; `…` stands for what is put in. */
export function rulesInCode(): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(ENGINE, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    for (const [, ...rules] of readFileSync(new URL(file, ENGINE), "utf8").matchAll(RULE))
      for (const rule of rules) if (rule) found.add(rule.replace(/\$\{[^}]*\}/g, "…"));
  }
  return [...found].sort();
}
