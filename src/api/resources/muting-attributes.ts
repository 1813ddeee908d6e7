import type { MutingDefinition } from "../../database/accounts/mutings.ts";
import { RequestError, type Violation } from "../../domain/errors.ts";
import type { MutingCriteria } from "../../domain/findings/muting.ts";
import { readSelector } from "../../domain/selector/read-selector.ts";
import { formatValue } from "../../schema/validate.ts";
import { attributesParser, criteriaSchemas, type MutingAttributes, mutingSchema } from "../request-attributes.ts";

const parse = attributesParser<MutingAttributes>(mutingSchema);
const criteriaNames = Object.keys(criteriaSchemas) as (keyof typeof criteriaSchemas)[];

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
  const add = (violation: Violation) => {
    if (!known.has(pointerOf(violation))) violations.push(violation);
  };
  const criteria = mergeCriteria(given, before?.criteria);
  for (const violation of missingTexts(criteria)) add(violation);
  if (typeof given.selector === "string" && !known.has("selector")) {
    const read = readSelector(given.selector);
    if ("steps" in read) criteria.steps = read.steps;
    else add(invalid("selector", "invalid_format", `selector ${read.wrong}. Received ${formatValue(given.selector)}.`));
  }
  const expiresAt = given.expires_at === undefined ? (before?.expiresAt ?? null) : readTime(given.expires_at);
  if (typeof given.expires_at === "string" && !known.has("expires_at")) {
    const fault = timeFault(given.expires_at, expiresAt, now);
    if (fault) add(fault);
  }
  if (violations.length > 0) throw new RequestError(violations);
  const { comment = before?.comment, reason = before?.reason } = given;
  return { criteria, comment: comment ?? null, reason: reason ?? null, expiresAt };
}

function mergeCriteria(given: MutingAttributes, before: MutingCriteria = {}): MutingCriteria {
  const merged: MutingCriteria = { ...before };
  for (const name of criteriaNames) {
    const value = given[name];
    if (value === undefined) continue;
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  if (merged.selector === undefined) delete merged.steps;
  return merged;
}

/** A muting that has only texts needs both of them: one alone would silence more than anybody means. */
function missingTexts({ url_match, message, ...others }: MutingCriteria): Violation[] {
  if (Object.keys(others).length > 0) return [];
  return Object.entries({ url_match, message }).flatMap(([name, value]) =>
    value === undefined
      ? [
          invalid(
            name,
            "required",
            `${name} is required when none of rule, selector, fingerprint and component is given.`,
          ),
        ]
      : [],
  );
}

/** @returns null also for what is not a date */
function readTime(text: string | null): Date | null {
  if (text === null) return null;
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** The last year with four digits. With an offset, a time may be in a later year in UTC. */
const MAX_YEAR = 9_999;

function timeFault(text: string, time: Date | null, now: Date): Violation | undefined {
  const received = `expires_at is ${formatValue(text)}`;
  // JavaScript reads February 31 as March 3.
  const day = Number(text.slice(8, 10));
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  if (time === null || day > days) return invalid("expires_at", "invalid_format", `${received}; there is no such day.`);
  if (time.getUTCFullYear() > MAX_YEAR)
    return invalid("expires_at", "out_of_range", `${received}; in UTC it must be before the year ${MAX_YEAR + 1}.`);
  if (time > now) return undefined;
  const detail = `${received}; it must be in the future. To end a muting now, delete it.`;
  return invalid("expires_at", "out_of_range", detail);
}

function invalid(name: string, code: string, detail: string): Violation {
  const pointer = `/data/attributes/${name}`;
  return { status: 422, code, title: "Invalid attribute", detail, source: { pointer } };
}

function pointerOf({ source }: Violation): string {
  return source && "pointer" in source ? source.pointer.replace("/data/attributes/", "") : "";
}
