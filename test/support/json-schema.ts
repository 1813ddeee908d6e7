type Json = Record<string, unknown>;

export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** The names of an object's fields, those of objects in it included: `checks.html.status`, `html[].extract`. */
export function fieldNames(schema: unknown, prefix = ""): string[] {
  return Object.entries(asObject(asObject(schema).properties)).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const inner = innerObject(asObject(property));
    return inner ? [path, ...fieldNames(inner.schema, `${path}${inner.suffix}.`)] : [path];
  });
}

/** The object schema of a property: its own, that of its items, or that of its values other than null. */
function innerObject(schema: Json): { schema: Json; suffix: string } | undefined {
  if (schema.type === "object") return { schema, suffix: "" };
  if (schema.type === "array") {
    const items = asObject(schema.items);
    return items.type === "object" ? { schema: items, suffix: "[]" } : undefined;
  }
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf.map(asObject) : [];
  const other = alternatives.find(({ type }) => type === "object");
  return other && { schema: other, suffix: "" };
}
