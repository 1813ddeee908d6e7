/** The operator's maxima for one report; 0 means no limit. */
export type SpecLimits = { maxPages: number; maxRateLimit: number };

/** A field of a spec that exceeds what the operator allows. */
export type LimitExcess = {
  field: "maxPages" | "rateLimit";
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
export function exceededLimits(
  spec: Readonly<Partial<Record<LimitExcess["field"], unknown>>>,
  limits: SpecLimits,
): LimitExcess[] {
  const maxima = [
    ["maxPages", limits.maxPages],
    ["rateLimit", limits.maxRateLimit],
  ] as const;
  return maxima.flatMap(([field, max]) => {
    const received = spec[field];
    if (max === 0 || typeof received !== "number" || (received > 0 && received <= max)) return [];
    return [{ field, received, max }];
  });
}

/** One excess as a sentence. @param name the field's name in the reader's notation */
export function limitSentence(name: string, { received, max }: LimitExcess): string {
  const given = received === 0 ? "0, which means no limit" : String(received);
  return `${name} is ${given}; it must be from 1 to ${max}.`;
}

/** Why a resource is refused, for its condition; undefined when it is within the limits. */
export function limitRefusal(
  spec: Readonly<Partial<Record<LimitExcess["field"], unknown>>>,
  limits: SpecLimits,
): string | undefined {
  const excesses = exceededLimits(spec, limits);
  if (excesses.length === 0) return undefined;
  const sentences = excesses.map((excess) => limitSentence(excess.field, excess));
  return `${sentences.join(" ")} The operator sets these limits.`;
}
