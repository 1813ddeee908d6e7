import { snakeCase } from "../../schema/api-names.ts";
import { requestAttributes, withDefault } from "./attributes.ts";
import type { Operation } from "./operation.ts";
import type { Schema } from "./response-schemas/parts.ts";

/** The body of a request, as an operation has it; its schemas derive from those that validate the requests. */
type RequestBody = NonNullable<Operation["body"]>;

type SpecSchema = { required: readonly string[]; properties: Readonly<Record<string, Schema>> };

/** The body that creates a resource with a spec: a report or a schedule. */
export function newSpec(type: string, { required, properties }: SpecSchema): RequestBody {
  return {
    type,
    attributes: (limits) => ({
      type: "object",
      required: required.map(snakeCase),
      additionalProperties: false,
      properties: requestAttributes(properties, limits, { defaults: true }),
    }),
  };
}

/** The body that changes some members of a spec. */
export function specChange(type: string, { properties }: Pick<SpecSchema, "properties">): RequestBody {
  return {
    type,
    attributes: (limits) => ({
      type: "object",
      additionalProperties: false,
      properties: requestAttributes(properties, limits, { defaults: false }),
    }),
  };
}

/**
 * The body with the attributes of any other resource. Ajv's `nullable` is replaced by JSON Schema's type `null`. Defaults
 * are in the descriptions, for the same reason as in `requestAttributes`.
 */
export function bodyOf(type: string, schema: Schema): RequestBody {
  const change = ({ nullable, type, default: fallback, description, ...rest }: Schema) => {
    const stated = withDefault(String(description ?? ""), fallback);
    return {
      type: nullable === true ? [type, "null"] : type,
      ...rest,
      ...(stated !== "" && { description: stated }),
    };
  };
  const { properties, ...rest } = schema as { properties: Record<string, Schema> };
  const changed = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property)]));
  return { type, attributes: () => ({ ...rest, properties: changed }) };
}
