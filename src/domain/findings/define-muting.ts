import { criteriaSchemas, type MutingAttributes } from "../../schema/muting.ts";
import { formatValue } from "../../schema/validate.ts";
import { readSelector } from "../selector/read-selector.ts";
import { type MutingCriteria, type MutingDefinition, readTime } from "./muting.ts";

/** What is wrong with a muting besides its shape. */
export type MutingFault = {
  member: keyof MutingAttributes;
  code: "required" | "invalid_format" | "out_of_range";
  detail: string;
};

const criteriaNames = Object.keys(criteriaSchemas) as (keyof typeof criteriaSchemas)[];

/**
 * Reads a muting. A criterion that is null or left out matches every finding. Whether its end is in the past is not
 * judged here.
 *
 * @param misshapen the members of `given` that the schema refuses, which are not read
 * @param before the muting that is changed: members that are left out keep their values
 */
export function defineMuting(
  given: MutingAttributes,
  misshapen: ReadonlySet<string> = new Set(),
  before?: MutingDefinition,
): { definition: MutingDefinition; faults: MutingFault[] } {
  const criteria = mergeCriteria(given, before?.criteria);
  const faults = missingTexts(criteria);
  if (typeof given.selector === "string" && !misshapen.has("selector")) {
    const read = readSelector(given.selector);
    if ("steps" in read) criteria.steps = read.steps;
    else faults.push(fault("selector", `selector ${read.wrong}. Received ${formatValue(given.selector)}.`));
  }
  const expiresAt = given.expires_at === undefined ? (before?.expiresAt ?? null) : readTime(given.expires_at);
  if (typeof given.expires_at === "string" && !misshapen.has("expires_at"))
    faults.push(...timeFaults(given.expires_at, expiresAt));
  const { category: why = before?.category, comment = before?.comment, reason = before?.reason } = given;
  const category = why ?? null;
  if (category === "later" && expiresAt === null)
    faults.push(fault("expires_at", "expires_at is required when category is later.", "required"));
  return { definition: { criteria, category, comment: comment ?? null, reason: reason ?? null, expiresAt }, faults };
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
function missingTexts({ url_match, message, ...others }: MutingCriteria): MutingFault[] {
  if (Object.keys(others).length > 0) return [];
  const texts = Object.entries({ url_match, message }) as ["url_match" | "message", string | undefined][];
  return texts.flatMap(([member, value]) =>
    value === undefined
      ? [
          fault(
            member,
            `${member} is required when none of rule, selector, fingerprint and component is given.`,
            "required",
          ),
        ]
      : [],
  );
}

/** The last year with four digits. With an offset, a time may be in a later year in UTC. */
const MAX_YEAR = 9_999;

function timeFaults(text: string, time: Date | null): MutingFault[] {
  const received = `expires_at is ${formatValue(text)}`;
  // JavaScript reads February 31 as March 3.
  const day = Number(text.slice(8, 10));
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  if (time === null || day > days) return [fault("expires_at", `${received}; there is no such day.`)];
  if (time.getUTCFullYear() <= MAX_YEAR) return [];
  return [fault("expires_at", `${received}; in UTC it must be before the year ${MAX_YEAR + 1}.`, "out_of_range")];
}

function fault(
  member: MutingFault["member"],
  detail: string,
  code: MutingFault["code"] = "invalid_format",
): MutingFault {
  return { member, code, detail };
}
