import { RequestError, type Violation } from "../../domain/errors.ts";
import { defineMuting } from "../../domain/findings/define-muting.ts";
import type { MutingDefinition } from "../../domain/findings/muting.ts";
import { type MutingAttributes, mutingSchema } from "../../schema/muting.ts";
import { formatValue } from "../../schema/validate.ts";
import { attributesParser } from "../request-attributes.ts";

const parse = attributesParser<MutingAttributes>(mutingSchema);

/**
 * Reads the attributes of a muting. A criterion that is null or left out matches every finding.
 *
 * @param before the muting that a PATCH changes: attributes that are left out keep their values
 * @throws RequestError 422 with every violation
 */
export function readMuting(
  attributes: Readonly<Record<string, unknown>>,
  now: Date,
  before?: MutingDefinition,
): MutingDefinition {
  const parsed = parse(attributes);
  const given = "values" in parsed ? parsed.values : (attributes as MutingAttributes);
  const violations = "values" in parsed ? [] : [...parsed.violations];
  const known = new Set(violations.map(pointerOf));
  const add = (name: string, code: string, detail: string) => {
    if (!known.has(name)) violations.push(invalid(name, code, detail));
    known.add(name);
  };
  const { definition, faults } = defineMuting(given, known, before);
  for (const { member, code, detail } of faults) add(member, code, detail);
  const { expiresAt } = definition;
  if (typeof given.expires_at === "string" && expiresAt !== null && expiresAt <= now) {
    const received = `expires_at is ${formatValue(given.expires_at)}`;
    add("expires_at", "out_of_range", `${received}; it must be in the future. To end a muting now, delete it.`);
  }
  if (violations.length > 0) throw new RequestError(violations);
  return definition;
}

function invalid(name: string, code: string, detail: string): Violation {
  const pointer = `/data/attributes/${name}`;
  return { status: 422, code, title: "Invalid attribute", detail, source: { pointer } };
}

function pointerOf({ source }: Violation): string {
  return source && "pointer" in source ? source.pointer.replace("/data/attributes/", "") : "";
}
