import { readProcStat } from "../../files/proc-stat.ts";
import { MAX_CLOCK_FACTOR, type Over } from "../../time/clock-limit.ts";

const MS_PER_TICK = 10;

/**
 * Calls `onOver` when a process has used `limitMs` of CPU time from now on. CPU time, because on an
 * overloaded machine the wall clock says little about a page. Where CPU time cannot be read (outside
 * Linux), the limit is `limitMs` of wall clock time. In any case it is MAX_CLOCK_FACTOR times as much.
 *
 * @returns a function that cancels the deadline
 */
export function startCpuDeadline(pid: number, limitMs: number, onOver: (over: Over) => void): () => void {
  const before = cpuMs(pid);
  const end = performance.now() + limitMs * MAX_CLOCK_FACTOR;
  let timer: NodeJS.Timeout;
  const scheduleCheck = (waitMs: number): void => {
    timer = setTimeout(() => {
      const used = cpuMs(pid);
      const left = before === undefined || used === undefined ? 0 : limitMs - (used - before);
      if (left <= 0) onOver("work");
      else if (performance.now() >= end) onOver("clock");
      else scheduleCheck(Math.min(Math.max(left, MS_PER_TICK), end - performance.now()));
    }, waitMs);
  };
  scheduleCheck(limitMs);
  return () => clearTimeout(timer);
}

/** Why an engine was ended, for the check's result. */
export function didNotFinish(engine: string, limitMs: number, over: Over): string {
  const seconds = limitMs / 1_000;
  return over === "work"
    ? `${engine} did not finish within ${seconds} seconds of CPU time.`
    : `${engine} did not finish within ${seconds * MAX_CLOCK_FACTOR} seconds by the clock: this machine was too busy to give it ${seconds} seconds of CPU time.`;
}

/** User and system time of a process; undefined where it cannot be read. */
export function cpuMs(pid: number): number | undefined {
  const stat = readProcStat(pid);
  return stat && (Number(stat(14)) + Number(stat(15))) * MS_PER_TICK;
}
