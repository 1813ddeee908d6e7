import { rows, type SettingName } from "../settings/index.ts";
import type { HtmlEngineName } from "./html-engines.ts";

/** What the operator allows one report: maxima (0 means no limit) and the HTML engines that can run. */
export type SpecLimits = { maxPages: number; maxRateLimit: number; htmlEngines: readonly HtmlEngineName[] };

/** The fields of a spec that the limits apply to. Their values may have any type, since a resource may be invalid. */
type LimitedSpec = Readonly<Partial<Record<SettingName | (string & {}), unknown>>>;

/** A field of a spec that exceeds what the operator allows. */
export type LimitExcess = {
  field: SettingName;
  /** The value in the spec; 0 means no limit. */
  received: number;
  /** The operator's maximum: 1 or more. */
  max: number;
};

/**
 * The fields of a Report's or Schedule's spec that exceed the operator's maxima. No limit (0)
 * exceeds every maximum except "no limit" itself. Values that are not numbers are ignored:
 * the schema refuses them.
 */
export function exceededLimits(spec: LimitedSpec, limits: SpecLimits): LimitExcess[] {
  return rows.flatMap(({ name: field, setting: { limit } }) => {
    const received = spec[field];
    const max = limit === undefined || limit === "htmlEngines" ? 0 : limits[limit];
    if (max === 0 || typeof received !== "number" || (received > 0 && received <= max)) return [];
    return [{ field, received, max }];
  });
}

/** One excess as a sentence. @param name the field's name in the reader's notation */
export function limitSentence(name: string, { received, max }: LimitExcess): string {
  const given = received === 0 ? "0, which means no limit" : String(received);
  return `${name} is ${given}; it must be from 1 to ${max}.`;
}

/** What each engine needs, as text without the final full stop. */
const needed: Readonly<Record<string, string>> = {
  conformance:
    "It needs the npm package vnu-jar, an optional dependency: run npm ci without --omit=optional, or ask for another engine",
  nu:
    "It needs Java: on this machine, install a headless Java runtime (JRE) of version 17 or newer, such as Debian's " +
    "openjdk-17-jre-headless, and the npm package vnu-jar, an optional dependency; on a cluster, set the chart's image.nu",
};

/**
 * Why the HTML engine of a spec cannot run, as a sentence; undefined when it can, or when HTML is not checked.
 *
 * @param name the field's name in the reader's notation
 */
export function missingEngine(
  name: string,
  { htmlEngine, performHtmlChecks }: LimitedSpec,
  { htmlEngines }: SpecLimits,
): string | undefined {
  const known: readonly unknown[] = htmlEngines;
  if (typeof htmlEngine !== "string" || performHtmlChecks === false || known.includes(htmlEngine)) return undefined;
  const needs = needed[htmlEngine] ?? "The operator does not offer it";
  return `${name} is ${JSON.stringify(htmlEngine)}, which is not available where pages are checked. ${needs}. Available: ${htmlEngines.join(", ")}.`;
}

/** Why a resource is refused, for a condition in its status. */
export type Refusal = { reason: "LimitExceeded" | "EngineUnavailable" | "StorageQuotaExceeded"; message: string };

/** @returns undefined when the operator allows the spec */
export function specRefusal(spec: LimitedSpec, limits: SpecLimits): Refusal | undefined {
  const excesses = exceededLimits(spec, limits);
  if (excesses.length > 0) {
    const sentences = excesses.map((excess) => limitSentence(excess.field, excess));
    return { reason: "LimitExceeded", message: `${sentences.join(" ")} The operator sets these limits.` };
  }
  const message = missingEngine("htmlEngine", spec, limits);
  return message === undefined ? undefined : { reason: "EngineUnavailable", message };
}
