import type { FindingState, StateTotals } from "./finding-state.ts";

/** A number of errors as a run ended with it, and what became of it. */
export type SinceEnd = {
  /** When the run ended. */
  atEnd: number;
  now: number;
  /** How many of `atEnd` were muted afterwards. */
  mutedSince: number;
};

type Counted = { now: number; muted: number };

/** What became of a number that was counted when a run ended. @param end undefined where nothing was kept of the end */
export function sinceEnd({ now, muted }: Counted, end: Counted | undefined): SinceEnd {
  if (!end) return { atEnd: now, now, mutedSince: 0 };
  // What was found and muted later, when pages were checked again, is none of what the run ended with.
  const gone = Math.max(0, end.now - now);
  return { atEnd: end.now, now, mutedSince: Math.min(gone, Math.max(0, muted - end.muted)) };
}

type Compared = { base_id: string; states: StateTotals; muted: StateTotals };

/** The errors in a state, when the run ended and now. The end says nothing of a comparison with another run. */
export function stateSinceEnd(state: FindingState, compared: Compared, end: Compared | null): SinceEnd {
  const counted = ({ states, muted }: Compared): Counted => ({ now: states[state].errors, muted: muted[state].errors });
  return sinceEnd(counted(compared), end?.base_id === compared.base_id ? counted(end) : undefined);
}
