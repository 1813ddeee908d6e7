import { RequestError } from "../../../domain/errors.ts";
import { attributesParser } from "../../request-attributes.ts";

/**
 * Creates a function that reads a request's attributes.
 *
 * @param schema the JSON Schema of the attributes
 * @returns a function that returns them with defaults filled in, and throws RequestError 422 with every violation
 */
export function attributesReader<Attributes>(
  schema: object,
): (attributes: Readonly<Record<string, unknown>>) => Attributes {
  const parse = attributesParser<Attributes>(schema);
  return (attributes) => {
    const parsed = parse(attributes);
    if ("values" in parsed) return parsed.values;
    throw new RequestError(parsed.violations);
  };
}
