import { readdirSync } from "node:fs";
import { readProc } from "../test/support/read-proc.ts";

/** A process by `/proc/PID/stat`; times are seconds of processor time. */
export type ProcessStat = {
  pid: number;
  parent: number;
  /** When it was started: numbers of processes are used again. */
  started: string;
  own: number;
  /** Of its children that have ended. */
  ended: number;
};

const TICKS_PER_SECOND = 100;

/** The most memory that a process has had, in MB of 10^6 bytes; 0 for a process that has ended. Linux only. */
export function peakMegabytes(pid: number): number {
  return (Number(/VmHWM:\s+(\d+) kB/.exec(readProc(pid, "status"))?.[1] ?? 0) * 1_024) / 1e6;
}

/** A process and all its descendants. Linux only. */
export function processTree(root: number): ProcessStat[] {
  const all = new Map<number, ProcessStat>();
  for (const pid of readdirSync("/proc").map(Number).filter(Boolean)) {
    const stat = readProc(pid, "stat");
    if (stat === "") continue;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const seconds = (field: number) => Number(fields[field]) / TICKS_PER_SECOND;
    const [own, ended] = [seconds(11) + seconds(12), seconds(13) + seconds(14)];
    all.set(pid, { pid, parent: Number(fields[1]), started: fields[19] ?? "", own, ended });
  }
  const isOurs = (pid: number): boolean => pid === root || (pid > 1 && isOurs(all.get(pid)?.parent ?? 0));
  return [...all.values()].filter(({ pid }) => isOurs(pid));
}

const MEMORY_INTERVAL_MS = 1_000;

/**
 * The most memory that a process and its descendants have together at any moment, looked at now and then, until `stop`: in
 * MB of 10^6 bytes, where what several share counts once. Linux only.
 */
export function watchMemory(root: number): { stop(): number } {
  let most = 0;
  const sample = (): void => {
    const kilobytes = processTree(root).map(({ pid }) => /^Pss:\s+(\d+) kB/m.exec(readProc(pid, "smaps_rollup"))?.[1]);
    most = Math.max(
      most,
      kilobytes.reduce((sum, one) => sum + (Number(one ?? 0) * 1_024) / 1e6, 0),
    );
  };
  const timer = setInterval(sample, MEMORY_INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
