import { readProcStat } from "../../files/proc-stat.ts";
import { MAX_CLOCK_FACTOR } from "../../time/clock-factor.ts";

const MS_PER_TICK = 10;

/**
 * Calls `onOver` when a process has used `limitMs` of CPU time from now on. CPU time, because on an
 * overloaded machine the wall clock says little about a page. Where CPU time cannot be read (outside
 * Linux), the limit is `limitMs` of wall clock time.
 *
 * @returns a function that cancels the deadline
 */
export function startCpuDeadline(pid: number, limitMs: number, onOver: () => void): () => void {
  const before = cpuMs(pid);
  const end = performance.now() + limitMs * MAX_CLOCK_FACTOR;
  let timer: NodeJS.Timeout;
  const scheduleCheck = (waitMs: number): void => {
    timer = setTimeout(() => {
      const used = cpuMs(pid);
      const left = before === undefined || used === undefined ? 0 : limitMs - (used - before);
      if (left <= 0 || performance.now() >= end) onOver();
      else scheduleCheck(Math.max(left, MS_PER_TICK));
    }, waitMs);
  };
  scheduleCheck(limitMs);
  return () => clearTimeout(timer);
}

/** User and system time of a process; undefined where it cannot be read. */
export function cpuMs(pid: number): number | undefined {
  const stat = readProcStat(pid);
  return stat && (Number(stat(14)) + Number(stat(15))) * MS_PER_TICK;
}
