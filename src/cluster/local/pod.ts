import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A pod of this machine: one child process and what it starts. */
export type Pod = {
  pid: number | undefined;
  /** Resolves once, when the process has ended and its output is read. */
  exited: Promise<PodExit>;
  /** SIGTERM, and SIGKILL when it takes longer than the grace. */
  stop(): void;
};

/** `code` is null for a process that a signal ended or that could not be started. */
export type PodExit = { code: number | null; detail: string };

export type PodOptions = {
  file: string;
  args: string[];
  env: Record<string, string>;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Takes the process' stderr, line by line. */
  onLine: (line: string) => void;
};

export function startPod(options: PodOptions): Pod {
  const child = spawn(options.file, options.args, {
    // The process watches its stdin (PARENT_PIPE): when this process dies, however it
    // dies, the pipe closes and the child ends. Results go to the database, not to stdout.
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...options.env, PARENT_PIPE: "stdin" },
    // A group of its own: the end of a pod is the end of all that it started, and a
    // terminal's Ctrl-C reaches this process only, which then stops its pods in order.
    detached: true,
  });
  // A child may be gone before its pipe is: EPIPE is no news.
  child.stdin.on("error", () => {});
  createInterface({ input: child.stderr }).on("line", options.onLine);

  const kill = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Nobody left in the group.
    }
  };

  let timer: NodeJS.Timeout | undefined;
  const exited = new Promise<PodExit>((resolve) => {
    child.once("error", (error) => resolve({ code: null, detail: `could not be started: ${error.message}` }));
    // What the process left behind would keep its stderr open and "close" waiting.
    child.once("exit", () => kill("SIGKILL"));
    child.once("close", (code, signal) =>
      resolve({ code, detail: signal ? `ended by ${signal}` : `exit code ${code}` }),
    );
  }).finally(() => clearTimeout(timer));

  return {
    pid: child.pid,
    exited,
    stop() {
      if (timer) return;
      child.kill("SIGTERM");
      timer = setTimeout(() => kill("SIGKILL"), options.graceMs);
    },
  };
}
