/**
 * How many pages are visited at once. A page that waits for its server needs no core, so that on a slow site many tabs keep
 * the cores busy that two tabs keep busy on a fast one. Pure: `observed` comes from tab-gauge.ts (docs/adr/0129).
 */

/** What happened since the last decision. */
export type Observed = {
  /** The part of the cores that was busy, with whatever else runs on this machine: 0 to 1. */
  busy: number;
  /** Bytes of memory that are left for further tabs. */
  memory: number;
  /** The most pages that were in flight at once. */
  inFlight: number;
  /** Pages that ended in a way that more pages at once may have caused: out of time, out of memory, refused as too many. */
  troubles: number;
  /** Whether a page waited for its turn by the report's rate limit: more tabs would wait, too. */
  waitedForRate: boolean;
};

export type TabLimits = {
  least: number;
  most: number;
  /** So many there may be although the cores are busy: fewer would leave cores idle between two pages. */
  kept: number;
};

/** Below it there are idle cores, and above the higher one pages wait for cores. */
export const BUSY = { idle: 0.92, full: 0.98 };
/** What one more tab may need. */
const TAB_BYTES = 300_000_000;

/** @param tabs the number that was decided last */
export function nextTabs(tabs: number, observed: Observed, { least, most, kept }: TabLimits): number {
  const within = (wanted: number): number => Math.max(least, Math.min(most, Math.floor(wanted)));
  if (observed.troubles > 0) return within(tabs / 2);
  if (observed.memory < TAB_BYTES) return within(tabs - 1);
  if (observed.busy > BUSY.full && tabs > kept) return within(tabs - 1);
  if (observed.inFlight < tabs || observed.waitedForRate) return within(tabs);
  if (observed.busy > BUSY.idle) return within(Math.max(tabs, Math.min(tabs + 1, kept)));
  // As many as would fill the cores if each of them needs what those before did, but at most four times as many at once,
  // and in half of the memory that is left.
  const filling = (tabs * BUSY.idle) / Math.max(observed.busy, 0.01);
  return within(Math.min(Math.max(tabs + 1, filling), 4 * tabs, tabs + observed.memory / TAB_BYTES / 2));
}
