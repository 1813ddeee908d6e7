type Json = Record<string, unknown>;

/** One line of a table of fields: `checks.html.status.pending`, `html[].extract`. */
export type Field = { name: string; type: string; required: boolean; description: string };

/** All fields of an object's schema, those of objects in it included. */
export function fieldsOf(schema: unknown, prefix = ""): Field[] {
  const { properties = {}, required = [] } = asObject(schema) as { properties?: Json; required?: string[] };
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const field = asObject(property);
    const inner = innerObject(field);
    const line = {
      name: path,
      type: typeOf(field),
      required: required.includes(name),
      description: [field.description ?? inner?.schema.description, constraints(field)]
        .filter((part) => typeof part === "string" && part !== "")
        .join(" "),
    };
    return [line, ...(inner ? fieldsOf(inner.schema, `${path}${inner.suffix}.`) : [])];
  });
}

/** The object that a property is, holds in a list, or is when it is not null. */
function innerObject(schema: Json): { schema: Json; suffix: string } | undefined {
  if (schema.type === "object") return { schema, suffix: "" };
  if (schema.type === "array") {
    const items = asObject(schema.items);
    return items.type === "object" ? { schema: items, suffix: "[]" } : undefined;
  }
  const other = alternatives(schema).find((one) => one.type === "object");
  return other && { schema: other, suffix: "" };
}

/** `string or null`, `list of strings`. */
export function typeOf(schema: Json): string {
  const others = alternatives(schema);
  if (others.length > 0) return [...new Set(others.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${typeOf(asObject(schema.items))}s`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return [schema.type ?? "any"].flat().join(" or ");
}

/** What a value must be, in words. */
export function constraints(schema: Json): string {
  const { enum: allowed, minimum, maximum, maxLength, format, default: fallback } = schema;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}.`
      : minimum !== undefined && minimum !== 0
        ? `At least ${minimum}.`
        : "";
  const parts = [
    Array.isArray(allowed) ? `One of ${allowed.map(String).join(", ")}.` : "",
    range,
    maxLength !== undefined ? `At most ${maxLength} characters.` : "",
    format === "uuid" ? "A UUID." : "",
    fallback !== undefined && fallback !== null ? `Default: ${formatValue(fallback)}.` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function alternatives(schema: Json): Json[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf.map(asObject) : [];
}

export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
