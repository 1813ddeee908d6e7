export type JsonObject = { readonly [key: string]: unknown };

export function isObject(json: unknown): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** A JSON value's kind, in words. */
export function kindOf(json: unknown): string {
  if (json === null) return "null";
  if (Array.isArray(json)) return "an array";
  return typeof json === "object" ? "an object" : `a ${typeof json}`;
}

/** The JSON object in a text, or why there is none. */
export function parseObject(text: string): { object: JsonObject } | { problem: string } {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? { object: json } : { problem: `it is ${kindOf(json)}; it must be an object.` };
  } catch {
    return { problem: "it is not valid JSON." };
  }
}
