/** How many pages are remembered that tell whether a session has ended, or may; and how many may have ended it. */
const MAX_WITNESSES = 5;
const MAX_SUSPECTS = 32;

/** What the visits of a session have shown, as far as it tells whether the session has ended, and by which page. */
export type VisitMemory = {
  /** A page was visited: whether it asked to sign in. */
  saw(url: string, signedOut: boolean): void;
  /** A page did not ask to sign in. @param tells whether it is known to ask when the session has ended */
  note(url: string, tells: boolean): void;
  /** Pages that did not ask to sign in, and whether they tell: those that do first, of each the newest first. */
  witnesses(): [url: string, tells: boolean][];
  /** The newest page that tells, but for one. */
  telling(but: string): string | undefined;
  /**
   * The pages that may have ended the session, the likeliest first: the one that asked to sign in, then the newest of those
   * that did not, because they were visited before it.
   */
  suspects(asked: string): string[];
  /** The session is alive, or another one: none of the visits so far has ended it. */
  clear(): void;
};

export function createVisitMemory(): VisitMemory {
  /** The newest last. */
  const witnesses = new Map<string, boolean>();
  /** Since the session was last known to be alive, and whether each asked to sign in; the newest last. */
  const visited = new Map<string, boolean>();
  return {
    saw(url, signedOut) {
      visited.delete(url);
      visited.set(url, signedOut);
      for (const first of visited.keys()) if (visited.size > MAX_SUSPECTS) visited.delete(first);
    },
    note(url, tells) {
      const known = witnesses.get(url) ?? false;
      witnesses.delete(url);
      witnesses.set(url, known || tells);
      // Those that tell are kept longest.
      const [oldest] = [...witnesses].sort(([, a], [, b]) => Number(a) - Number(b))[0] ?? [];
      if (witnesses.size > MAX_WITNESSES && oldest !== undefined) witnesses.delete(oldest);
    },
    witnesses: () => [...witnesses].reverse().sort(([, a], [, b]) => Number(b) - Number(a)),
    telling: (but) => [...witnesses].findLast(([url, tells]) => tells && url !== but)?.[0],
    suspects(asked) {
      const others = [...visited].reverse().sort(([, a], [, b]) => Number(a) - Number(b));
      return [asked, ...others.map(([url]) => url).filter((url) => url !== asked)];
    },
    clear: () => visited.clear(),
  };
}
