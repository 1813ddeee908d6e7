import { parseCompactSyntax } from "./compact-syntax.ts";
import type { Definition, PatternSyntax } from "./syntax.ts";

/**
 * Reads a schema with all that it includes, and combines the definitions of one name.
 *
 * @param url of the schema; includes are relative to it
 * @param read the text of the schema at a URL
 * @param overlays schemas of our own, whose definitions replace those of their names (`=`) or add to them.
 *   New names have `.own.` in them: others are in a schema of the Nu checker
 * @returns the patterns by name; "start" is where a document begins
 * @throws Error that names the schema and the line, or the definitions that cannot be combined
 * @see RELAX NG, sections 4.7 (include) and 4.17 (combine)
 */
export function resolveGrammar(
  url: string,
  read: (url: string) => string,
  overlays: readonly string[] = [],
): Map<string, PatternSyntax> {
  const byName = new Map<string, Definition[]>();
  for (const definition of collect(url, "", read)) add(byName, definition);
  for (const overlay of overlays) lay(overlay, byName);
  return new Map([...byName].map(([name, definitions]) => [name, combine(name, definitions)]));
}

function add(byName: Map<string, Definition[]>, definition: Definition): void {
  const same = byName.get(definition.name);
  if (same) same.push(definition);
  else byName.set(definition.name, [definition]);
}

function lay(overlay: string, byName: Map<string, Definition[]>): void {
  for (const definition of parseCompactSyntax(overlay, "")) {
    if (definition.type !== "define") throw new Error(`An overlay includes ${definition.href}; it may only define.`);
    const { name, combine } = definition;
    if (combine === "=") byName.set(name, [definition]);
    else add(byName, definition);
  }
}

function collect(url: string, namespace: string, read: (url: string) => string): Definition[] {
  const found: Definition[] = [];
  for (const item of parseAt(url, namespace, read)) {
    if (item.type === "define") {
      found.push(item);
      continue;
    }
    const replaced = new Set(item.overrides.map(({ name }) => name));
    const included = collect(new URL(item.href, url).href, item.namespace, read);
    found.push(...included.filter(({ name }) => !replaced.has(name)), ...item.overrides);
  }
  return found;
}

function parseAt(url: string, namespace: string, read: (url: string) => string) {
  try {
    return parseCompactSyntax(read(url), namespace);
  } catch (error) {
    throw new Error(`${url}: ${(error as Error).message}`);
  }
}

function combine(name: string, definitions: readonly Definition[]): PatternSyntax {
  const [only] = definitions;
  if (only && definitions.length === 1) return only.pattern;
  const operators = new Set(definitions.map(({ combine }) => combine).filter((operator) => operator !== "="));
  const plain = definitions.filter(({ combine }) => combine === "=").length;
  if (operators.size !== 1 || plain > 1)
    throw new Error(`The definitions of ${name} cannot be combined: ${definitions.map((d) => d.combine).join(", ")}.`);
  return {
    type: operators.has("|=") ? "choice" : "interleave",
    children: definitions.map(({ pattern }) => pattern),
  };
}
