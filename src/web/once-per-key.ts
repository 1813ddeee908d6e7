const KEPT_MS = 30_000;
const MAX_KEPT = 200;

/** Runs an action once per key: a repetition soon after gets the same result. */
export type OncePerKey = <Result>(key: string, act: () => Promise<Result>) => Promise<Result>;

/**
 * Keeps the results of the last forms in this process's memory. The API remembers what a form created, across all
 * processes, except for secrets: without this, pressing the button twice would create two tokens.
 */
export function createOncePerKey(now: () => Date): OncePerKey {
  const kept = new Map<string, { result: Promise<unknown>; until: number }>();
  return async <Result>(key: string, act: () => Promise<Result>) => {
    const time = now().getTime();
    // Oldest first: the search ends at the first one that is kept.
    for (const [old, { until }] of kept) {
      if (until > time && kept.size < MAX_KEPT) break;
      kept.delete(old);
    }
    const before = kept.get(key);
    if (before) return before.result as Promise<Result>;
    const result = act();
    kept.set(key, { result, until: time + KEPT_MS });
    // A refused form did nothing: it may be sent again.
    result.catch(() => kept.delete(key));
    return result;
  };
}
