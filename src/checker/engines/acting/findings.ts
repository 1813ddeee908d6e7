import type { Tab } from "../../../browser/tab.ts";
import type { Acted } from "../../../domain/acting/issues.ts";
import type { Limit } from "./limit.ts";
import type { Place, Places } from "./places.ts";

/**
 * What acts on a page. `found` is what was found so far: it is kept whenever acting ends. With `opensOnly` somebody is signed
 * in: only controls that say that they open something are used.
 */
export type Walker = { tab: Tab; places: Places; limit: Limit; found: Acted[]; opensOnly: boolean };

/** A finding about an element of one document. */
export type Fault = Omit<Acted, "element"> & { id: number };

/**
 * Adds what was found to the findings of the page.
 *
 * @param most so many; what is beyond is said
 * @param what they are, for that sentence
 */
export async function report(
  { places, limit, found }: Walker,
  place: Place,
  faults: readonly Fault[],
  { most, what }: { most: number; what: string },
): Promise<void> {
  if (faults.length > most) limit.cut(`more than ${most} ${what}`);
  for (const { id, ...fault } of faults.slice(0, most)) {
    const element = await limit.command(places.describe(place, id));
    if (element) found.push({ ...fault, element });
  }
}
