import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { memoryLimits } from "../../../browser/memory-guard.ts";
import { machineTimes } from "../../../browser/visit-clock.ts";
import { PageError } from "../../../domain/failure.ts";
import { createPace } from "../../../domain/scope/pace.ts";
import { BUSY, nextTabs, type TabLimits } from "./tabs.ts";

/** Measures what limits the number of tabs, and decides it. */
export type TabGauge = {
  /** How many pages may be visited at once. */
  tabs(): number;
  /** Runs the visit of a page, which counts as in flight. */
  run<Result>(visit: () => Promise<Result>): Promise<Result>;
  /** The function, which is not called again unless a browser ended during its visit, perhaps by too much memory. */
  once<Args extends unknown[], Result>(visit: (...args: Args) => Result): (...args: Args) => Result;
  /** A visit has failed, with this status or 0. */
  noteEnd(error: unknown, status: number): void;
  /** The site has answered a request for a page after so many ms. */
  noteAnswer(ms: number): void;
  /** Runs a wait for the report's rate limit. */
  waitForRate(wait: () => Promise<void>): Promise<void>;
};

/** What is read of the machine. */
export type Machine = {
  /** In ms. */
  clock: () => number;
  /** Time of the cores in all, and of it the idle part; any unit. */
  cores: () => { total: number; idle: number };
  /** Bytes that are not in use. */
  memory: () => number;
};

/** The time between two decisions: less says little about the cores. */
const INTERVAL_MS = 500;
/** A shorter wait for the rate limit is none. */
const RATE_WAIT_MS = 20;
/** As long as nothing is known: while one page waits for its server the other one is judged. */
const LEAST = 2;
/** The most in a browser of the usual size (memory-guard.ts). */
const TAB_SHARE_BYTES = 200_000_000;

/** The limits of a browser on this machine. One elsewhere has cores and memory of which nothing is known here. */
export function tabLimits(isElsewhere: boolean): TabLimits {
  const most = isElsewhere ? LEAST : Math.max(LEAST, Math.floor(memoryLimits().total / TAB_SHARE_BYTES));
  return { least: LEAST, most, kept: availableParallelism() + 1 };
}

export function createTabGauge(limits: TabLimits, machine: Machine = thisMachine): TabGauge {
  let tabs = limits.least;
  let inFlight = 0;
  const pace = createPace();
  let seen = { at: machine.clock(), cores: machine.cores(), inFlight: 0, troubles: 0, waitedForRate: false };

  const decide = (): void => {
    const at = machine.clock();
    if (at - seen.at < INTERVAL_MS) return;
    const cores = machine.cores();
    const total = cores.total - seen.cores.total;
    const busy = total > 0 ? 1 - (cores.idle - seen.cores.idle) / total : 1;
    const next = nextTabs(tabs, { ...seen, busy, memory: machine.memory() }, limits);
    // Where the cores are busy, slow answers say nothing of the site.
    tabs = busy > BUSY.idle ? next : Math.max(limits.least, Math.min(next, pace.limit()));
    seen = { at, cores, inFlight, troubles: 0, waitedForRate: false };
  };

  return {
    tabs: () => tabs,
    async run(visit) {
      inFlight += 1;
      seen.inFlight = Math.max(seen.inFlight, inFlight);
      try {
        return await visit();
      } finally {
        decide();
        inFlight -= 1;
      }
    },
    once(visit) {
      let isAgain = false;
      return (...args) => {
        if (isAgain) seen.troubles += 1;
        isAgain = true;
        return visit(...args);
      };
    },
    noteEnd: (error, status) => {
      if (isTrouble(error, status)) seen.troubles += 1;
    },
    noteAnswer: (ms) => pace.note(ms, inFlight),
    async waitForRate(wait) {
      const start = machine.clock();
      await wait();
      if (machine.clock() - start > RATE_WAIT_MS) seen.waitedForRate = true;
    },
  };
}

/** What a site or this machine may answer with when too much is asked of it at once. */
function isTrouble(error: unknown, status: number): boolean {
  if (status === 429 || status === 503) return true;
  return error instanceof PageError && ["timeout", "browser_crashed", "too_much_memory"].includes(error.code);
}

const thisMachine: Machine = {
  clock: () => performance.now(),
  cores: coreTimes,
  memory: () => process.availableMemory(),
};

/** Of the container, if it may use less than the machine has (Linux), else of the machine. */
function coreTimes(): { total: number; idle: number } {
  try {
    const [quota = "max", period = ""] = readFileSync("/sys/fs/cgroup/cpu.max", "utf8").trim().split(" ");
    const used = /^usage_usec (\d+)$/m.exec(readFileSync("/sys/fs/cgroup/cpu.stat", "utf8"))?.[1];
    if (quota === "max" || used === undefined) return machineTimes();
    const total = performance.now() * 1_000 * (Number(quota) / Number(period));
    return { total, idle: total - Number(used) };
  } catch {
    return machineTimes();
  }
}
