import { readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { readProcStat } from "../files/proc-stat.ts";

/** One process of a browser. */
export type MemoryUse = { pid: number; bytes: number };

export type MemoryLimits = {
  /** Bytes of one process. A tab is one process, with its frames and workers. */
  perProcess: number;
  /** Bytes of all processes of a browser. */
  total: number;
};

/** Chromium limits the heap of scripts to 1 GB (arguments.ts), but neither buffers nor WebAssembly's memory. */
const MAX_PROCESS_BYTES = 1_500_000_000;
const MAX_TOTAL_BYTES = 2_500_000_000;
/** The part of the container's or machine's memory that a browser may use. Beyond that the kernel may kill anything. */
const CONTAINER_SHARE = 0.8;
/** A process below this size is never the cause of a shortage. */
const MIN_KILLED_BYTES = 300_000_000;
const INTERVAL_MS = 100;

/**
 * The process to kill: the largest one, when it or all together exceed a limit, or when it has more memory than
 * the machine has left. Undefined when there is nothing to do.
 *
 * @param available memory of the machine that is not in use, in bytes
 */
export function processToKill(
  processes: readonly MemoryUse[],
  { perProcess, total }: MemoryLimits,
  available: number,
): MemoryUse | undefined {
  const [largest] = processes.toSorted((a, b) => b.bytes - a.bytes);
  if (!largest) return undefined;
  const sum = processes.reduce((bytes, process) => bytes + process.bytes, 0);
  const isScarce = largest.bytes > available && largest.bytes > MIN_KILLED_BYTES;
  return largest.bytes > perProcess || sum > total || isScarce ? largest : undefined;
}

/** The limits of a browser on this machine, or in this container. */
export function memoryLimits(constrained: number = process.constrainedMemory(), installed = totalmem()): MemoryLimits {
  const share = CONTAINER_SHARE * (constrained > 0 ? Math.min(constrained, installed) : installed);
  const total = Math.min(MAX_TOTAL_BYTES, share);
  return { perProcess: Math.min(MAX_PROCESS_BYTES, total), total };
}

/**
 * Watches the processes of a group, and kills one that needs too much memory. Only Linux says how much that is;
 * elsewhere nothing is watched.
 *
 * @param group the browser's process group, which is the id of its first process
 * @param onKill called with a sentence that says why
 * @returns a function that stops watching
 */
export function guardMemory(group: number, onKill: (reason: string) => void, limits = memoryLimits()): () => void {
  const seen = new Map<number, boolean>();
  const timer = setInterval(() => {
    const processes = membersOf(group, seen).map((pid) => ({ pid, bytes: memoryOf(pid) }));
    const guilty = processToKill(processes, limits, availableMemory());
    if (!guilty) return;
    onKill(
      `The page was closed because its process in the browser used ${megabytes(guilty.bytes)} MB of memory ` +
        `(limits: ${megabytes(limits.perProcess)} MB per process, ${megabytes(limits.total)} MB for all pages, ` +
        "and what the machine has left).",
    );
    try {
      process.kill(guilty.pid === group ? -group : guilty.pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The processes of a group. `seen` holds what is known of earlier ones, so that each is looked up once. */
function membersOf(group: number, seen: Map<number, boolean>): number[] {
  const pids = list("/proc").flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  const alive = new Set(pids);
  for (const pid of seen.keys()) if (!alive.has(pid)) seen.delete(pid);
  for (const pid of pids) if (!seen.has(pid)) seen.set(pid, groupOf(pid) === group);
  return pids.filter((pid) => seen.get(pid));
}

function groupOf(pid: number): number | undefined {
  const stat = readProcStat(pid);
  return stat && Number(stat(5));
}

/** Memory of its own. Pages of files, such as the program, are shared by all processes. */
function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return fieldOf(status, "RssAnon") + fieldOf(status, "RssShmem");
}

function availableMemory(): number {
  const text = read("/proc/meminfo");
  return text === "" ? Number.POSITIVE_INFINITY : fieldOf(text, "MemAvailable");
}

/** A field of a file in /proc, in bytes. */
function fieldOf(text: string, name: string): number {
  const start = text.indexOf(`${name}:`);
  return start === -1 ? 0 : Number.parseInt(text.slice(start + name.length + 1), 10) * 1_024;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toLocaleString("en");
}
