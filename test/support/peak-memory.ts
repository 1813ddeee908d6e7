import { readFileSync } from "node:fs";
import { browserGroup, browserPids } from "./browsers.ts";

/** The most memory seen, in bytes: of this process, and of all processes of the browsers that it started. */
export type PeakMemory = { own: number; browsers: number };

const INTERVAL_MS = 100;

/** Samples memory until `stop`. Shared pages are not counted: they would count once for each process. */
export function watchMemory(): { stop(): PeakMemory } {
  const peak: PeakMemory = { own: 0, browsers: 0 };
  const sample = (): void => {
    peak.own = Math.max(peak.own, process.memoryUsage.rss());
    const processes = browserPids().flatMap((pid) => browserGroup(pid));
    peak.browsers = Math.max(
      peak.browsers,
      processes.reduce((sum, { pid }) => sum + privateBytes(pid), 0),
    );
  };
  sample();
  const timer = setInterval(sample, INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

function privateBytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
