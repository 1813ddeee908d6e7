import { formatValue } from "../../../schema/validate.ts";
import { malformed, refuse } from "../response/errors.ts";

/** Deeper than any valid request; deeper nesting is an attack or a mistake. */
const MAX_DEPTH = 20;
const MAX_KEYS = 1_000;
/** Names that no member of a body may have. */
export const pollutingNames: readonly string[] = ["__proto__", "constructor", "prototype"];
const members = new Set(["type", "id", "attributes"]);

/**
 * Reads a body's text as a JSON:API document and returns its attributes.
 *
 * @param expected the resource type, and the id of the resource that a PATCH changes
 * @throws RequestError 400 malformed, 403 for a client-generated id, 409 wrong type or id, 422 unknown members
 */
export function readAttributes(
  text: string,
  expected: { type: string; id?: string | undefined },
): Readonly<Record<string, unknown>> {
  if (text.trim() === "") throw malformed("missing_body", 'A body is required: {"data":{"attributes":{…}}}.');
  const document = parse(text);
  requireHarmless(document);
  const data = isObject(document) ? document.data : undefined;
  if (!isObject(data))
    throw malformed(
      "malformed_document",
      `The body must be {"data":{"attributes":{…}}}; data is ${data === undefined ? "missing" : formatValue(data)}.`,
      {
        pointer: "/data",
      },
    );
  requireIdentity(data, expected);
  const unknown = Object.keys(data).find((member) => !members.has(member));
  if (unknown !== undefined)
    throw refuse(422, "unknown_member", "Unknown member", `data.${unknown} cannot be set.`, {
      pointer: `/data/${unknown}`,
    });
  const { attributes = {} } = data;
  if (isObject(attributes)) return attributes;
  throw malformed("malformed_document", `data.attributes must be an object; it is ${formatValue(attributes)}.`, {
    pointer: "/data/attributes",
  });
}

/**
 * What a body of any kind says: the attributes of a JSON:API document, the members of any other JSON object, or the fields of a
 * form. Nothing of what cannot be read. Lists and objects are emptied: they may be nested too deeply for whoever writes
 * them down.
 */
export function readAnyBody(text: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(membersIn(text).map(([name, value]) => [name, emptied(value)]));
}

function membersIn(text: string): [string, unknown][] {
  try {
    const document: unknown = JSON.parse(text);
    const data = isObject(document) && isObject(document.data) ? document.data : undefined;
    const members = isObject(data?.attributes) ? data.attributes : document;
    return isObject(members) ? Object.entries(members) : [];
  } catch {
    return [...new URLSearchParams(text)];
  }
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the mistake. It is the client's own, so it may be shown.
    throw malformed("malformed_json", `The body is not a JSON document: ${(error as Error).message}.`);
  }
}

function requireIdentity(data: Record<string, unknown>, expected: { type: string; id?: string | undefined }): void {
  if (data.type !== undefined && data.type !== expected.type)
    throw refuse(
      409,
      "wrong_type",
      "Conflict",
      `data.type is ${formatValue(data.type)}; here it must be "${expected.type}".`,
      {
        pointer: "/data/type",
      },
    );
  if (data.id === undefined || data.id === expected.id) return;
  if (expected.id === undefined)
    throw refuse(403, "client_generated_id", "Forbidden", "The service assigns ids; leave data.id out.", {
      pointer: "/data/id",
    });
  throw refuse(409, "wrong_id", "Conflict", `data.id is ${formatValue(data.id)}, which is not the id in the address.`, {
    pointer: "/data/id",
  });
}

/**
 * Refuses what could do harm later: prototype keys, NUL and lone surrogates
 * (PostgreSQL stores neither), and nesting that overflows a stack.
 *
 * @throws RequestError 400
 */
export function requireHarmless(value: unknown, depth = 1): void {
  if (depth > MAX_DEPTH) throw malformed("too_deep", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (typeof value === "string") requireStorable(value);
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) {
    const keys = Object.keys(value);
    if (keys.length > MAX_KEYS) throw malformed("too_many_members", `An object has more than ${MAX_KEYS} members.`);
    for (const key of keys) {
      requireStorable(key);
      if (pollutingNames.includes(key)) throw malformed("forbidden_key", `The body has a member named "${key}".`);
    }
  }
  for (const entry of Object.values(value)) requireHarmless(entry, depth + 1);
}

function requireStorable(text: string): void {
  if (text.includes("\0") || !text.isWellFormed())
    throw malformed("invalid_character", "A string in the body contains a NUL character or a lone surrogate.");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
