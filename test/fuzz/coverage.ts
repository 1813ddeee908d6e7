import { type Profiler, Session } from "node:inspector";

/** What V8 counts while code runs, by blocks. */
export type Coverage = {
  /** How many characters of our source have run since the last call that had never run before. They count from now on. */
  added(): number;
  /** The same, but they still count as new. */
  peek(): number;
  /** How many have run in all. */
  total(): number;
};

/**
 * Measures which parts of the files in folders run. V8's own precise coverage needs no changed code, so that
 * what is fuzzed is what runs elsewhere.
 *
 * @param folders URLs with a slash at their ends
 * @see https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#method-startPreciseCoverage
 */
export function measureCoverage(folders: readonly string[]): Coverage {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const covered = new Map<string, Uint8Array>();
  let total = 0;

  /** Calls back before `post` returns, since the session is one with its own thread. */
  function take(): Profiler.ScriptCoverage[] {
    let result: Profiler.ScriptCoverage[] = [];
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      result = taken.result;
    });
    return result;
  }

  function add({ url, functions }: Profiler.ScriptCoverage, keep: boolean): number {
    const ranges = functions.flatMap((each) => each.ranges);
    const length = Math.max(0, ...ranges.map(({ endOffset }) => endOffset));
    // The outer ones first: an inner one says more exactly what has run.
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    const now = new Uint8Array(length);
    for (const { startOffset, endOffset, count } of ranges) now.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    let before = covered.get(url);
    if (!before || before.length < length) {
      const larger = new Uint8Array(length);
      larger.set(before ?? []);
      covered.set(url, larger);
      before = larger;
    }
    let added = 0;
    for (let at = 0; at < length; at++)
      if (now[at] === 1 && before[at] === 0) {
        if (keep) before[at] = 1;
        added++;
      }
    return added;
  }

  function sum(keep: boolean): number {
    let added = 0;
    for (const script of take())
      if (folders.some((folder) => script.url.startsWith(folder))) added += add(script, keep);
    return added;
  }

  return {
    added() {
      const added = sum(true);
      total += added;
      return added;
    },
    peek: () => sum(false),
    total: () => total,
  };
}
