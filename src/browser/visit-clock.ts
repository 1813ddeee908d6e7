import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { readProcStat } from "../files/proc-stat.ts";
import { LATE_MS, MAX_CLOCK_FACTOR, type Over, STEP_MS } from "../time/clock-limit.ts";

const MIN_WAIT_MS = 50;
const MS_PER_TICK = 10;

/** What a visit's time is measured by, in milliseconds. */
export type Usage = {
  clock: number;
  /** CPU time of the browser's processes; undefined where it cannot be read. */
  browser: number | undefined;
  /** CPU time of this machine, all cores together, and how much of it was idle. */
  total: number;
  idle: number;
};

/**
 * How much of its limit a visit has used. On a machine with idle cores that is the wall clock: a page that waits for
 * its server, or sleeps, uses its time. On a machine whose cores are all busy it is the CPU time of its browser, so
 * that other programs on the machine do not decide whether a page can be checked.
 */
export function usedTime(before: Usage, now: Usage): number {
  const clock = now.clock - before.clock;
  if (before.browser === undefined || now.browser === undefined) return clock;
  const total = now.total - before.total;
  const idleShare = total > 0 ? (now.idle - before.idle) / total : 1;
  // An idle core is enough for a browser to run.
  const wasFree = Math.min(1, idleShare * cpus().length);
  return Math.min(clock, Math.max(now.browser - before.browser, clock * wasFree));
}

export type VisitClock = {
  /** Stops the clock until the work has ended: for waits that the page does not cause. */
  untimed<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How much of its limit the visit has used, in ms. */
  usedMs(): number;
  stop(): void;
};

/** Where the time comes from. */
export type TimeSource = {
  /** The clock, in ms. */
  now(): number;
  usage(): Usage;
  setTimeout(callback: () => void, ms: number): NodeJS.Timeout;
};

/**
 * Calls `onOver` when a visit has used up its time, or MAX_CLOCK_FACTOR times as much has passed by the clock. Time in
 * which this process is suspended is not used: what the browser and the server did meanwhile is read only after it.
 *
 * @param pid the browser's process; 0 when it runs elsewhere: then its time is the wall clock
 */
export function startVisitClock(
  pid: number,
  limitMs: number,
  onOver: (over: Over) => void,
  time: TimeSource = { now: () => performance.now(), usage: () => usage(pid), setTimeout },
): VisitClock {
  let last = time.usage();
  let used = 0;
  let end = last.clock + limitMs * MAX_CLOCK_FACTOR;
  /** When the next check is to be. */
  let due = last.clock;
  let timer: NodeJS.Timeout;
  let waits = 0;
  let stopped = false;
  const count = (): Usage => {
    const now = time.usage();
    const isLate = now.clock > due + LATE_MS;
    used += isLate ? Math.min(usedTime(last, now), Math.max(due - last.clock, 0)) : usedTime(last, now);
    last = now;
    return now;
  };
  const scheduleCheck = (now: number, waitMs: number): void => {
    due = now + waitMs;
    timer = time.setTimeout(() => {
      const now = count();
      // A timer may fire a little early.
      if (used >= limitMs - 1) onOver("work");
      else if (now.clock >= end) onOver("clock");
      else scheduleCheck(now.clock, untilCheck(now));
    }, waitMs);
  };
  /** A step, or until the limit of work at the earliest, and that by the clock at the latest. */
  const untilCheck = ({ clock }: Usage): number =>
    Math.min(STEP_MS, Math.max(limitMs - used, MIN_WAIT_MS), end - clock);
  scheduleCheck(last.clock, untilCheck(last));
  return {
    async untimed(work) {
      if (waits === 0) {
        clearTimeout(timer);
        count();
      }
      waits += 1;
      try {
        return await work();
      } finally {
        waits -= 1;
        if (waits === 0 && !stopped) {
          const now = time.usage();
          end += now.clock - last.clock;
          last = now;
          scheduleCheck(now.clock, untilCheck(now));
        }
      }
    },
    usedMs() {
      if (waits > 0 || stopped) return used;
      // Asked before each command, and the processes are many files to read: what is so short counts by the clock.
      const elapsed = time.now() - last.clock;
      if (elapsed < MIN_WAIT_MS) return used + elapsed;
      count();
      return used;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function usage(pid: number): Usage {
  return { clock: performance.now(), browser: pid === 0 ? undefined : treeCpuMs(pid), ...machineTimes() };
}

/** CPU time of this machine in ms, all cores together, and how much of it was idle. */
export function machineTimes(): Pick<Usage, "total" | "idle"> {
  let total = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    total += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { total, idle };
}

/** CPU time of a process and all its descendants, those that have ended included (Linux). */
function treeCpuMs(pid: number): number | undefined {
  try {
    const stat = readProcStat(pid);
    if (!stat) return undefined;
    // In user and system mode, its own and its ended children's.
    const own = [14, 15, 16, 17].reduce((sum, field) => sum + Number(stat(field)) * MS_PER_TICK, 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    if (children === "") return own;
    return children.split(" ").reduce((sum, child) => sum + (treeCpuMs(Number(child)) ?? 0), own);
  } catch {
    return undefined;
  }
}
