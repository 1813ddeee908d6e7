import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { MAX_URL_LENGTH } from "../settings/values.ts";
import {
  accessOf,
  camelCase,
  inApiNames,
  joinedLists,
  type ListFormat,
  listFormats,
  snakeCase,
  splitList,
} from "./api-names.ts";
import { exceededLimits, limitSentence, missingEngine, type SpecLimits } from "./limits.ts";
import { ownSchemas } from "./own-schemas.ts";
import { patternWords } from "./pattern-words.ts";
import { type ReportSpec, reportSpecSchema } from "./report.ts";
import { type SpecRule, targetRules } from "./rules.ts";
import { type ScheduleSpec, scheduleRules, scheduleSpecSchema, timeZoneFault, weekdays } from "./schedule.ts";
import { stepFaults } from "./steps.ts";
import type { Violation } from "./violation.ts";

export type { SpecLimits } from "./limits.ts";

/** A spec with defaults filled in, or every violation. */
type Parsed<Spec> = { spec: Spec } | { violations: Violation[] };

type Property = {
  readonly type: string;
  readonly default?: unknown;
  readonly maxItems?: number;
  readonly properties?: Properties;
};
type Properties = { readonly [name: string]: Property };
type SpecSchema = { readonly properties: Properties };
type Limited = { maxPages: number; rateLimit: number; htmlEngine: string; performHtmlChecks: boolean };
type Rules<Spec> = readonly SpecRule<Spec>[];

const urlFields = new Set(["startingUrl", "initialUrls"]);
/** Whether null means the same as leaving an attribute out: "none" or, for lists, the default. */
export function isNullable({
  type,
  default: fallback,
}: {
  readonly type?: unknown;
  readonly default?: unknown;
}): boolean {
  return type === "array" || fallback === "" || (type === "object" && fallback !== undefined);
}
/** What null means for other attributes: without a periodicity, only the deploy hook starts a schedule. */
const meaningOfNull: Readonly<Record<string, unknown>> = { periodicity: { every: "deploy" } };
const MAX_VIOLATIONS = 50;

const ajv = new Ajv({ ...ownSchemas, allErrors: true, useDefaults: true, verbose: true });

/** Reads the attributes of a request that creates a report. */
export const parseReport = specParser<ReportSpec>(reportSpecSchema, targetRules);

/** Reads the attributes of a request that creates a schedule or, given the current spec, changes one. */
export const parseSchedule = specParser<ScheduleSpec>(scheduleSpecSchema, [...targetRules, ...scheduleRules]);

/**
 * Creates a function that reads a resource's attributes as API requests have them, with
 * snake_case names and lists as strings or arrays. It reports all violations at once.
 */
function specParser<Spec extends Limited>(schema: SpecSchema, rules: Rules<Spec>) {
  let compiled: ValidateFunction<Spec> | undefined;
  return (attributes: Readonly<Record<string, unknown>>, limits: SpecLimits, base?: Spec): Parsed<Spec> => {
    compiled ??= ajv.compile<Spec>(schema);
    const check = compiled;
    const { values: given, violations } = readAttributes(attributes, schema);
    // Null means the default, and defaults are filled in for what is undefined.
    const values: Record<string, unknown> = { ...structuredClone(base), ...given };
    const spec: unknown = values;
    const bad = new Set(violations.map((violation) => violation.field));
    // A field that could not be read is reported once, and not again as missing.
    const valid = check(spec);
    for (const error of valid ? [] : (check.errors ?? [])) {
      const found = fromAjv(error);
      if (!bad.has(found.field)) violations.push(found);
      bad.add(found.field);
    }
    const partial = spec as Spec;
    const others = [
      unparsableUrls(values),
      overLimits(partial, limits),
      unavailable(partial, limits),
      wrongTimeZone(values),
    ];
    for (const found of others.flat()) if (!bad.has(found.field)) violations.push(found);
    violations.push(...brokenRules(partial, rules, schema, bad), ...wrongSteps(values, bad));
    if (violations.length === 0) return { spec: partial };
    return { violations: violations.slice(0, MAX_VIOLATIONS).map(({ field: _, ...violation }) => violation) };
  };
}

type Found = Violation & { field: string };

function found(path: string, code: string, detail: string): Found {
  const pointer = path.split("/").map(snakeCase).join("/");
  return {
    field: path,
    status: 422,
    code,
    title: code === "unknown_attribute" ? "Unknown attribute" : "Invalid attribute",
    detail,
    source: { pointer: `/data/attributes/${pointer}` },
  };
}

function readAttributes(attributes: Readonly<Record<string, unknown>>, schema: SpecSchema) {
  const values: Record<string, unknown> = {};
  const violations: Found[] = [];
  for (const [attribute, value] of Object.entries(attributes)) {
    const known = fieldOf(attribute, schema.properties);
    if (!known || accessOf(known.name)?.create === false) {
      violations.push(unknownAttribute(attribute, ""));
      continue;
    }
    const { name, property } = known;
    if (value === null && isNullable(property)) {
      values[name] = undefined;
      continue;
    }
    if (value === null && Object.hasOwn(meaningOfNull, name)) {
      values[name] = meaningOfNull[name];
      continue;
    }
    const format = listFormats[name];
    if (format) readList(name, value, format, property.maxItems ?? 0, values, violations);
    else values[name] = property.properties ? readObject(name, value, property.properties, violations) : value;
  }
  return { values, violations };
}

/** The field of an API attribute. `maxPages` is not an attribute, although `camelCase` leaves that name unchanged. */
function fieldOf(attribute: string, fields: Properties): { name: string; property: Property } | undefined {
  const name = camelCase(attribute);
  const property = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return property && snakeCase(name) === attribute ? { name, property } : undefined;
}

/** @param parent the attribute that contains it, with a slash at the end; empty at the top level */
function unknownAttribute(attribute: string, parent: string): Found {
  const path = `${parent}${attribute.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return {
    ...found("", "unknown_attribute", `${formatValue(attribute)} is not an attribute that can be set.`),
    // In quotes, so that an unknown attribute maxErrors does not hide an error of max_errors.
    field: `${parent}${JSON.stringify(attribute)}`,
    source: { pointer: `/data/attributes/${path}` },
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Reads an object's attributes. A value that is not an object is left for the schema to refuse. */
function readObject(name: string, value: unknown, fields: Properties, violations: Found[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([attribute, inner]) => {
      const known = fieldOf(attribute, fields);
      if (known) return [[known.name, joinedLists.has(known.name) && isTexts(inner) ? inner.join(",") : inner]];
      violations.push(unknownAttribute(attribute, `${name}/`));
      return [];
    }),
  );
}

/** Reads a list: one string, or an array as responses have it, whose entries are taken as they are. */
function readList(
  name: string,
  value: unknown,
  format: ListFormat,
  maxItems: number,
  values: Record<string, unknown>,
  violations: Found[],
): void {
  if (typeof value !== "string" && !isTexts(value)) {
    const separator = format === "lines" ? "newline" : "comma";
    const detail = `${snakeCase(name)} must be one ${separator}-separated string or an array of strings; received ${formatValue(value)}.`;
    violations.push(found(name, "invalid_type", detail));
    return;
  }
  const entries = [...new Set(typeof value === "string" ? splitList(value, format) : value)];
  if (entries.length > maxItems) {
    const detail = `${snakeCase(name)} has ${entries.length} entries; at most ${maxItems} are allowed.`;
    violations.push(found(name, "too_many", detail));
    return;
  }
  values[name] = entries;
}

/**
 * Translates an Ajv error into a violation with the API's names.
 *
 * @param secrets attributes whose values must not be in the message
 */
export function fromAjv(error: ErrorObject, secrets?: ReadonlySet<string>): Found {
  const segments = error.instancePath.split("/").slice(1);
  // In a request a list may be one string, so its entries have no pointers of their own.
  const inList = Object.hasOwn(listFormats, segments[0] ?? "");
  const path = inList ? (segments[0] ?? "") : segments.join("/");
  const name = segments
    .filter((segment) => !/^\d+$/.test(segment))
    .map(snakeCase)
    .join(".");
  const received = secrets?.has(segments[0] ?? "") ? "a secret, which is not repeated here" : formatValue(error.data);
  switch (error.keyword) {
    case "required": {
      const missing = [...segments, String(error.params.missingProperty)];
      return found(missing.join("/"), "required", `${missing.map(snakeCase).join(".")} is required.`);
    }
    case "additionalProperties": {
      // The name is the client's own, so it is not converted.
      const extra = String(error.params.additionalProperty);
      const at = found(path, "unknown_attribute", `${formatValue(extra)} is not an attribute that can be set.`);
      const escaped = extra.replaceAll("~", "~0").replaceAll("/", "~1");
      return {
        ...at,
        field: `${path}/${escaped}`,
        source: { pointer: `/data/attributes/${path ? `${path}/` : ""}${escaped}` },
      };
    }
    case "type": {
      const type = String(error.params.type);
      return found(
        path,
        "invalid_type",
        `${name} must be ${/^[aeiou]/.test(type) ? "an" : "a"} ${type}; received ${received}.`,
      );
    }
    case "minimum":
    case "maximum": {
      const bound = `${error.keyword === "minimum" ? "at least" : "at most"} ${error.params.limit}`;
      return found(path, "out_of_range", `${name} is ${received}; it must be ${bound}.`);
    }
    case "minItems":
    case "maxItems": {
      const [code, bound] = error.keyword === "minItems" ? ["out_of_range", "at least"] : ["too_many", "at most"];
      const { length } = error.data as unknown[];
      return found(
        path,
        code,
        `${name} has ${length} ${length === 1 ? "entry" : "entries"}; it must have ${bound} ${error.params.limit}.`,
      );
    }
    case "enum": {
      const allowed = (error.params.allowedValues as unknown[]).map((value) => formatValue(value)).join(", ");
      return found(path, "not_allowed", `${name} is ${received}; it must be one of ${allowed}.`);
    }
    default:
      return wrongText(path, name, error, received);
  }
}

function wrongText(path: string, name: string, error: ErrorObject, received: string): Found {
  if (urlFields.has(path)) return invalidUrl(path, error.data);
  if (path === "periodicity/weekday")
    return found(path, "not_allowed", `${name} is ${received}; it must be one or more of ${weekdays.join(", ")}.`);
  if (error.keyword === "maxLength")
    return found(path, "too_long", `${name} is longer than ${error.params.limit} characters: received ${received}.`);
  const words = error.keyword === "pattern" ? patternWords[String(error.params.pattern)] : undefined;
  const said = words === undefined ? error.message : `must be ${words}`;
  return found(path, "invalid_format", `The format is invalid: ${name} ${said}; received ${received}.`);
}

function invalidUrl(field: string, value: unknown): Found {
  const tooLong = typeof value === "string" && value.length > MAX_URL_LENGTH;
  const allowed = tooLong
    ? `a URL of at most ${MAX_URL_LENGTH} characters`
    : "an http or https URL without spaces, user name or password, such as https://example.com/";
  return found(
    field,
    "invalid_format",
    `The format is invalid: received ${formatValue(value)}; it must be ${allowed}.`,
  );
}

/** The schema's pattern finds most invalid URLs; only parsing finds the rest (`http://[x/`). */
function unparsableUrls(values: Readonly<Record<string, unknown>>): Found[] {
  return [...urlFields].flatMap((field) => {
    const urls = [values[field]].flat().filter((url) => typeof url === "string");
    const wrong = urls.find((url) => !URL.canParse(url));
    return wrong === undefined ? [] : [invalidUrl(field, wrong)];
  });
}

function overLimits(spec: Limited, limits: SpecLimits): Found[] {
  return exceededLimits(spec, limits).map((excess) =>
    found(excess.field, "out_of_range", limitSentence(snakeCase(excess.field), excess)),
  );
}

function unavailable(spec: Limited, limits: SpecLimits): Found[] {
  const missing = missingEngine("html_engine", spec, limits);
  return missing === undefined ? [] : [found("htmlEngine", "engine_unavailable", missing)];
}

function wrongTimeZone(values: Readonly<Record<string, unknown>>): Found[] {
  const fault = timeZoneFault(values as Parameters<typeof timeZoneFault>[0]);
  return fault === undefined ? [] : [found("periodicity/timeZone", "not_allowed", `periodicity.time_zone: ${fault}.`)];
}

function wrongSteps(values: Readonly<Record<string, unknown>>, bad: ReadonlySet<string>): Found[] {
  const isBad = ["hide", "prepare", "states"].some((name) =>
    [...bad].some((field) => `${field}/`.startsWith(`${name}/`)),
  );
  if (isBad) return [];
  return stepFaults(values as Parameters<typeof stepFaults>[0]).map(({ path, message }) => {
    const [field, index, ...property] = path;
    return found(path.join("/"), "invalid_format", `${[`${field}[${index}]`, ...property].join(".")}: ${message}.`);
  });
}

function brokenRules<Spec>(spec: Spec, rules: Rules<Spec>, schema: SpecSchema, bad: ReadonlySet<string>): Found[] {
  // Rules can be evaluated only if all booleans are valid; other invalid fields must not hide a violation.
  const judgeable = ![...bad].some((field) => schema.properties[field]?.type === "boolean");
  if (!judgeable) return [];
  // A rule about an object that is itself invalid, or has an invalid property, is not evaluated.
  const isJudgeable = (name: string) => ![...bad].some((field) => field === name || field.startsWith(`${name}/`));
  return rules
    .filter((rule) => isJudgeable(rule.field) && !rule.holds(spec))
    .map((rule) =>
      found(
        [rule.field, rule.property ?? []].flat().join("/"),
        rule.code ?? "inconsistent",
        inApiNames(rule.message, schema.properties),
      ),
    );
}

/** A received value for a message, shortened if necessary. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
