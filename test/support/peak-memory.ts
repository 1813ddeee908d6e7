import { readdirSync } from "node:fs";
import { readProc } from "./read-proc.ts";

/** The most memory seen, in bytes. */
export type PeakMemory = {
  /** Of this process. */
  own: number;
  /** Of all processes of the browsers that it started together, and of the largest of them. */
  browsers: number;
  largest: number;
  /** Of one process of an HTML engine, since its start. */
  engine: number;
};

const INTERVAL_MS = 100;

/** Samples memory until `stop`. Of browsers shared pages are not counted: they would count once for each process. */
export function watchMemory(): { stop(): PeakMemory } {
  const peak: PeakMemory = { own: 0, browsers: 0, largest: 0, engine: 0 };
  const relatives = findRelatives();
  const note = (kind: keyof PeakMemory, bytes: number): void => {
    peak[kind] = Math.max(peak[kind], bytes);
  };
  const sample = (): void => {
    const { browsers, engines } = relatives();
    const sizes = browsers.map((pid) => bytesOf(pid, "RssAnon"));
    note("own", process.memoryUsage.rss());
    const sum = sizes.reduce((bytes, size) => bytes + size, 0);
    note("browsers", sum);
    note("largest", Math.max(0, ...sizes));
    for (const pid of engines) note("engine", bytesOf(pid, "VmHWM"));
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

/**
 * The processes of this one's browsers, each browser a process group of its own, and its HTML engines, which are in
 * this one's group. Each process is looked at once: a busy machine has hundreds.
 */
function findRelatives(): () => { browsers: number[]; engines: number[] } {
  const seen = new Map<number, { parent: number; group: number }>();
  return () => {
    const pids = readdirSync("/proc").map(Number).filter(Boolean);
    for (const pid of pids) if (!seen.has(pid)) seen.set(pid, placeOf(pid));
    const placeNow = (pid: number) => seen.get(pid) ?? nowhere;
    const children = pids.filter((pid) => placeNow(pid).parent === process.pid);
    const leaders = children.filter((pid) => placeNow(pid).group === pid && isBrowser(pid));
    return {
      browsers: pids.filter((pid) => leaders.includes(placeNow(pid).group)),
      engines: children.filter((pid) => placeNow(pid).group === placeNow(process.pid).group),
    };
  };
}

const nowhere = { parent: 0, group: 0 };

function placeOf(pid: number): { parent: number; group: number } {
  const stat = readProc(pid, "stat");
  const [, parent = "0", group = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(parent), group: Number(group) };
}

function isBrowser(pid: number): boolean {
  return readProc(pid, "cmdline").includes("--remote-debugging-pipe");
}

function bytesOf(pid: number, field: "RssAnon" | "VmHWM"): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readProc(pid, "status"))?.[1] ?? 0) * 1_024;
}
