import { formatValue } from "../open-element.ts";
import { isObject, type JsonObject, kindOf, parseObject } from "./json.ts";

const KEYS = ["imports", "scopes", "integrity"];
const BASE = "https://example.com/";

/** What is wrong with an import map, as the end of a sentence; undefined where nothing is. */
export function importMapProblem(text: string): string | undefined {
  const parsed = parseObject(text);
  if ("problem" in parsed) return parsed.problem;
  for (const [key, map] of Object.entries(parsed.object)) {
    if (!KEYS.includes(key))
      return `it has the key "${formatValue(key)}"; allowed are "imports", "scopes" and "integrity".`;
    if (!isObject(map)) return `the value of "${key}" is ${kindOf(map)}; it must be an object.`;
    const problem =
      key === "imports"
        ? specifierProblem("imports", map)
        : key === "scopes"
          ? scopesProblem(map)
          : integrityProblem(map);
    if (problem) return problem;
  }
  return undefined;
}

function scopesProblem(scopes: JsonObject): string | undefined {
  for (const [prefix, map] of Object.entries(scopes)) {
    if (!URL.canParse(prefix, BASE)) return `the key "${formatValue(prefix)}" of "scopes" is not a URL.`;
    if (!isObject(map))
      return `the value of "${formatValue(prefix)}" in "scopes" is ${kindOf(map)}; it must be an object.`;
    const problem = specifierProblem("scopes", map);
    if (problem) return problem;
  }
  return undefined;
}

function integrityProblem(integrity: JsonObject): string | undefined {
  for (const [url, metadata] of Object.entries(integrity)) {
    if (!URL.canParse(url, BASE)) return `the key "${formatValue(url)}" of "integrity" is not a URL.`;
    if (typeof metadata !== "string")
      return `the value of "${formatValue(url)}" in "integrity" is ${kindOf(metadata)}; it must be a string.`;
  }
  return undefined;
}

function specifierProblem(where: string, map: JsonObject): string | undefined {
  for (const [specifier, address] of Object.entries(map)) {
    if (specifier === "") return `"${where}" has an empty key.`;
    const named = `the value of "${formatValue(specifier)}" in "${where}"`;
    if (typeof address !== "string") return `${named} is ${kindOf(address)}; it must be a string.`;
    const isRelative = ["/", "./", "../"].some((start) => address.startsWith(start));
    if (!(isRelative ? URL.canParse(address, BASE) : URL.canParse(address)))
      return `${named} is "${formatValue(address)}"; it must be an absolute URL, or begin with "/", "./" or "../".`;
    if (specifier.endsWith("/") && !address.endsWith("/")) return `${named} must end with "/", as its key does.`;
  }
  return undefined;
}
