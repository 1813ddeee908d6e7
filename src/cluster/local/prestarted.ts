import type { ChildProcess } from "node:child_process";
import { PRESTARTED } from "./job-line.ts";
import { killGroup, spawnPod } from "./pod-process.ts";

/**
 * Processes that are started before their Jobs exist, with nothing that belongs to a report: they load their modules
 * and wait. Each runs at most one pod of one Job.
 */
export type PrestartedProcesses = {
  /**
   * Starts a process for each of `expected`, unless one like it waits already. One that cannot be started, or ends, is
   * left out: then its Job starts a process as usual.
   *
   * @param maxWaitMs ends it if no Job has taken it by then; without it, it waits until `close`
   */
  start(expected: readonly ExpectedJob[], maxWaitMs?: number): void;
  /** A waiting process for a container's arguments, if there is one. It belongs to the caller from then on. */
  take(args: readonly string[]): ChildProcess | undefined;
  /** Ends those that nobody has taken. From then on none is started, and `take` returns undefined. */
  close(): Promise<void>;
};

/** The program, and the arguments that its Job must have, such as `["checker", "--engine", "html"]`. */
export type ExpectedJob = readonly [program: string, ...args: string[]];

export type PrestartOptions = {
  /** The process for a container's arguments. */
  command: (args: string[]) => { file: string; args: string[] };
  /** What every pod has in its environment. */
  environment: Record<string, string>;
};

export function createPrestartedProcesses({ command, environment }: PrestartOptions): PrestartedProcesses {
  const waiting = new Map<ChildProcess, ExpectedJob>();
  let isClosed = false;

  function startOne(expected: ExpectedJob, maxWaitMs: number | undefined): void {
    const [program, ...args] = expected;
    const child = spawnPod({ ...command([program, PRESTARTED, ...args]), env: environment });
    const timer = maxWaitMs === undefined ? undefined : setTimeout(() => end(child), maxWaitMs);
    const forget = () => {
      clearTimeout(timer);
      waiting.delete(child);
    };
    child.once("error", forget);
    child.once("exit", forget);
    // It may end before its pipe is closed.
    child.stdin?.on("error", () => {});
    waiting.set(child, expected);
  }

  /** Nothing if a Job has taken it. They have no work, so nothing has to end gracefully. */
  function end(child: ChildProcess): void {
    if (waiting.delete(child)) killGroup(child, "SIGKILL");
  }

  return {
    start(expected, maxWaitMs) {
      for (const job of expected) {
        const isThere = [...waiting.values()].some((known) => known.join(" ") === job.join(" "));
        if (isClosed || isThere) continue;
        try {
          startOne(job, maxWaitMs);
        } catch {
          // Its Job's own process will say what is wrong.
        }
      }
    },
    take(args) {
      for (const [child, [program, ...wanted]] of waiting) {
        if (args[0] !== program || !isPartOf(wanted, args) || child.pid === undefined) continue;
        waiting.delete(child);
        return child;
      }
      return undefined;
    },
    async close() {
      isClosed = true;
      const left = [...waiting.keys()].filter(({ pid }) => pid !== undefined);
      await Promise.all(
        left.map((child) => {
          const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
          end(child);
          return ended;
        }),
      );
      waiting.clear();
    },
  };
}

/** True if `args` has each option of `wanted` with its value. */
function isPartOf(wanted: readonly string[], args: readonly string[]): boolean {
  for (let n = 0; n < wanted.length; n += 2) {
    const at = args.indexOf(wanted[n] ?? "");
    if (at < 0 || args[at + 1] !== wanted[n + 1]) return false;
  }
  return true;
}
