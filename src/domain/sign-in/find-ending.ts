type Search = {
  /** Visits an address. */
  look: (url: string) => Promise<unknown>;
  /** Whether the session has ended. */
  hasEnded: () => Promise<boolean>;
  /** Begins another one, because it has. */
  again: () => Promise<void>;
};

/**
 * Finds the address whose visit ends a session, in one that has just begun and that nobody else uses: by visiting more and
 * more of them, and of those after which it has ended, a half. What is found has ended a session of which it was the first visit.
 *
 * @param suspects the likeliest first
 * @returns undefined when it ends by itself, or by something else
 */
export async function findEnding(suspects: readonly string[], search: Search): Promise<string | undefined> {
  let rest = suspects;
  let isFresh = true;
  let isNarrowed = false;
  for (let size = 1; rest.length > 0; ) {
    const part = rest.slice(0, size);
    for (const url of part) await search.look(url).catch(() => {});
    const ended = await search.hasEnded();
    if (ended) await search.again();
    if (ended && isFresh && part.length === 1) return part[0];
    rest = ended ? part : rest.slice(size);
    isFresh = ended;
    isNarrowed ||= ended;
    size = isNarrowed ? Math.ceil(rest.length / 2) : size * 2;
  }
  return undefined;
}
