import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CACHE, compileCache } from "./cache.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENTRY = path.join(ROOT, "bin", "run.js");

const JOBS = ["crawler", "checker"];

export type RunningProgram = {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** The exit code, or the signal's name. */
  ended: Promise<{ code: number | string; stdout: string; stderr: string }>;
  kill(signal: NodeJS.Signals): void;
};

export type StartOptions = {
  /** What is started instead of `node bin/run.js`. */
  command?: [file: string, ...args: string[]];
  /** The working directory; this project's root unless given. */
  cwd?: string;
  /** Whether the reader of both outputs is gone from the start, as that of `| head` may be. */
  unread?: boolean;
};

/** A sandbox that shows everything that programs leave behind. */
export type Sandbox = {
  /** Starts `node bin/run.js …`, or another command, in a process group of its own, as a shell does. */
  start(args: string[], env?: Record<string, string>, options?: StartOptions): RunningProgram;
  /** Temporary files of all programs started here that are still there. */
  leftFiles(): Promise<string[]>;
  /** Processes with this sandbox in their environment or arguments: programs, Jobs, servers, browsers. */
  leftProcesses(): string[];
  /** The same with their ids. */
  processes(): { pid: number; command: string }[];
  folder: string;
  /** Ends what still runs and removes the folder. */
  close(): Promise<void>;
};

export async function openSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(path.join(tmpdir(), "sv-box-"));
  // If this runs as root, PostgreSQL and Chromium run as other users, who need access.
  await chmod(folder, 0o755);
  const running = new Set<RunningProgram>();
  const leftProcesses = () => processesWith(folder).map(({ command }) => command);
  return {
    folder,
    leftProcesses,
    processes: () => processesWith(folder),
    leftFiles: async () => (await readdir(folder)).filter((name) => name.startsWith("sv-")),
    start(args, env = {}, options = {}) {
      const { PATH = "", HOME = "" } = process.env;
      const cache = JOBS.includes(args[0] ?? "") ? compileCache : {};
      const program = start(args, { PATH, HOME, TMPDIR: folder, CACHE_DIR: CACHE, ...cache, ...env }, options);
      running.add(program);
      program.ended.finally(() => running.delete(program));
      return program;
    },
    async close() {
      for (const program of running) program.kill("SIGKILL");
      for (const { pid } of processesWith(folder)) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended meanwhile.
        }
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function start(
  args: string[],
  env: Record<string, string>,
  { cwd = ROOT, unread = false, command = [process.execPath, ENTRY] }: StartOptions,
): RunningProgram {
  const stdio = ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"];
  const [file, ...before] = command;
  const child = spawn(file, [...before, ...args], { env, cwd, stdio, detached: true });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  if (unread) for (const output of [child.stdout, child.stderr]) output.destroy();
  const { pid } = child;
  if (pid === undefined) throw new Error("The program could not be started.");
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: new Promise((resolve) =>
      child.once("close", (code, signal) => resolve({ code: code ?? signal ?? "", stdout, stderr })),
    ),
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

type Process = { pid: number; parent: number; command: string; environment: string };

/** The processes with the text in their command line or environment, and those that they started. */
export function processesWith(text: string): { pid: number; command: string }[] {
  const all = readdirSync("/proc").flatMap((name) => {
    const found = /^\d+$/.test(name) && Number(name) !== process.pid ? readProcess(name) : undefined;
    return found ? [found] : [];
  });
  const found = new Set(all.filter(({ command, environment }) => `${command}${environment}`.includes(text)));
  // Chromium's renderers have another command line, and no environment.
  for (let before = -1; before < found.size; ) {
    before = found.size;
    const parents = new Set([...found].map(({ pid }) => pid));
    for (const one of all) if (parents.has(one.parent)) found.add(one);
  }
  return [...found].map(({ pid, command }) => ({ pid, command }));
}

function readProcess(pid: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (/^[ZX]/.test(state)) return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    return { pid: Number(pid), parent: Number(parent), command, environment };
  } catch {
    // It has ended meanwhile, or belongs to another user.
    return undefined;
  }
}
