import { readFileSync } from "node:fs";

/** A process that gets no CPU time is stuck, or its machine is hopeless: it has this many times its limit by the clock. */
export const MAX_STRETCH = 10;
const MS_PER_TICK = 10;

/**
 * Calls `onOver` when a process has used `limitMs` of CPU time from now on. On a machine
 * that is overloaded the clock says little about a page. Where CPU times cannot be read
 * (no Linux) it is `limitMs` by the clock.
 *
 * @returns cancels it
 */
export function startCpuDeadline(pid: number, limitMs: number, onOver: () => void): () => void {
  const before = cpuMs(pid);
  const end = performance.now() + limitMs * MAX_STRETCH;
  let timer: NodeJS.Timeout;
  const lookIn = (waitMs: number): void => {
    timer = setTimeout(() => {
      const used = cpuMs(pid);
      const left = before === undefined || used === undefined ? 0 : limitMs - (used - before);
      if (left <= 0 || performance.now() >= end) onOver();
      else lookIn(Math.max(left, MS_PER_TICK));
    }, waitMs);
  };
  lookIn(limitMs);
  return () => clearTimeout(timer);
}

/** User and system time of a process, or undefined where that cannot be read. */
function cpuMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the command in parentheses, which may hold anything: state, parent, …; the times are 12th and 13th.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
