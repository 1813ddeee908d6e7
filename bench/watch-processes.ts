import { readProc } from "../test/support/read-proc.ts";
import { peakMegabytes, processTree } from "./processes.ts";

/** What a process is, as its command line tells. */
export type ProcessKind = keyof typeof kinds | "others";

/** What processes of a kind took. */
export type Usage = {
  /** Peak resident memory in MB of the largest one. */
  megabytes: number;
  /** Processor time of all of them. A short-lived process may be missing in it. */
  seconds: number;
};

/** The first that fits counts; programs run from the sources or from a bundle (docs/adr/0046). */
const kinds = {
  service: /(?:index\.[jt]s|run\.js) (?:standalone|check)(?: |$)/,
  crawler: /(?:index\.[jt]s|run\.js) crawler /,
  "HTML checker": /(?:index\.[jt]s|run\.js) checker .*--engine html/,
  "accessibility checker": /(?:index\.[jt]s|run\.js) checker .*--engine a11y/,
  "engine process": /-worker\.[jt]s/,
  PostgreSQL: /postgres(?:ql)?\b.* -D |^postgres:/,
  browser: /chrom|headless_shell/i,
} as const;

const INTERVAL_MS = 250;

/** Looks at all descendants of a process, and at itself, until `stop`. Linux only. */
export function watchProcesses(root: number): { stop(): Map<ProcessKind, Usage> } {
  const seen = new Map<string, Usage & { kind: ProcessKind }>();
  const sample = (): void => {
    for (const { pid, started, own } of processTree(root)) {
      const command = readProc(pid, "cmdline").replaceAll("\0", " ");
      // The kernel keeps the peak, so an occasional reading is enough.
      const megabytes = peakMegabytes(pid);
      if (command === "" || megabytes === 0) continue;
      // A child is its parent until it runs its program.
      seen.set(`${pid} ${started}`, { kind: kindOf(command), megabytes, seconds: own });
    }
  };
  sample();
  const timer = setInterval(sample, INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      sample();
      const usage = new Map<ProcessKind, Usage>();
      for (const { kind, megabytes, seconds } of seen.values()) {
        const sum = usage.get(kind) ?? { megabytes: 0, seconds: 0 };
        usage.set(kind, { megabytes: Math.max(sum.megabytes, megabytes), seconds: sum.seconds + seconds });
      }
      return usage;
    },
  };
}

function kindOf(command: string): ProcessKind {
  for (const [kind, pattern] of Object.entries(kinds)) if (pattern.test(command)) return kind as keyof typeof kinds;
  return "others";
}
