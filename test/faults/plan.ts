import { createRandom, type Random } from "../../packages/html-conformance/comparison/generator/random.ts";
import type { Fault } from "./faults.ts";

export type PlannedFault = { fault: Fault /** After this part of the report's work, from 0 to 1. */; at: number };
export type Plan = { seed: number; faults: PlannedFault[]; random: Random };

/**
 * Each seed has a fault of its own, by its number, so that as many seeds as there are faults cover them all,
 * and every other one another that is drawn.
 */
export function planFaults(seed: number, faults: readonly Fault[]): Plan {
  const random = createRandom(Math.imul(seed + 1, 0x9e3779b1));
  const own = faults[seed % faults.length];
  const together = faults.filter((fault) => fault !== own && fault.ownPostgres === own?.ownPostgres);
  const drawn = random.shuffle(together).slice(0, random.below(2));
  const chosen = own ? [own, ...drawn] : drawn;
  return {
    seed,
    random,
    faults: chosen
      .map((fault) => ({ fault, at: fault.window[0] + random.next() * (fault.window[1] - fault.window[0]) }))
      .sort((a, b) => a.at - b.at),
  };
}
