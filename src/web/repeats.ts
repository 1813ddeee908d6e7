const KEPT_MS = 30_000;
const MAX_KEPT = 200;

/** Runs what has a key once: a repetition soon after gets the same result. */
export type Repeats = <Result>(key: string, act: () => Promise<Result>) => Promise<Result>;

/**
 * Results of this process's last forms, in memory alone. The API keeps what a form created, over all processes, except
 * for what holds a secret: without this a second press of the button would create a second token.
 */
export function createRepeats(now: () => Date): Repeats {
  const kept = new Map<string, { result: Promise<unknown>; until: number }>();
  return async <Result>(key: string, act: () => Promise<Result>) => {
    const time = now().getTime();
    // In the order in which they came: the first one that is kept ends the search.
    for (const [old, { until }] of kept) {
      if (until > time && kept.size < MAX_KEPT) break;
      kept.delete(old);
    }
    const before = kept.get(key);
    if (before) return before.result as Promise<Result>;
    const result = act();
    kept.set(key, { result, until: time + KEPT_MS });
    // What was refused did nothing: it may be tried again.
    result.catch(() => kept.delete(key));
    return result;
  };
}
