import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { errorText } from "../../domain/error-text.ts";
import type { CoreSlots } from "./core-slots.ts";
import type { JobLine } from "./job-line.ts";
import { killGroup, spawnPod } from "./pod-process.ts";
import type { PrestartedProcesses } from "./prestarted.ts";
import type { ParentChannel } from "./request-slots.ts";

/** A pod of this machine: one child process and the processes that it starts. */
export type PodProcess = {
  pid: number | undefined;
  /** Resolves when the process has ended and its output has been read. */
  exited: Promise<PodExit>;
  /** Sends SIGTERM, and SIGKILL after the grace period. */
  stop(): void;
};

/** `code` is null when a signal ended the process or it could not be started; `moved` if another pod goes on instead. */
export type PodExit = { code: number | null; detail: string; moved?: true };

export type PodOptions = {
  /** The container's arguments. */
  args: string[];
  /** The process for them. */
  command: (args: string[]) => { file: string; args: string[] };
  /** What every process of the same user can read. */
  env: Record<string, string>;
  /** More variables, which only the process itself receives, on stdin (main/lifecycle/environment.ts). */
  variables: Record<string, string>;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Receives the process's stderr, line by line. */
  onLine: (line: string) => void;
  /** Shares this machine's cores among the processes. */
  cores: CoreSlots;
  /** Processes of the same environment that wait for Jobs. */
  prestarted?: Pick<PrestartedProcesses, "take"> | undefined;
  /** Runs programs in this process, which then need none of their own. */
  inside?: RunInside | undefined;
};

/**
 * Runs a container's program in this process.
 *
 * @param variables those of the container
 * @param cores shares this machine's cores, as the channel of a process does
 * @param signal stops it
 * @returns the exit code, or "moved" if a process is to go on with it; undefined for a program that needs a process
 */
export type RunInside = (
  args: string[],
  variables: Record<string, string>,
  cores: ParentChannel,
  signal: AbortSignal,
) => Promise<number | "moved"> | undefined;

/** Never throws: a process that cannot be started is a pod that has ended, so that its Job tries again. */
export function startPod(options: PodOptions): PodProcess {
  const { args, variables } = options;
  const inside = options.inside && podInside(options.inside, options);
  if (inside) return inside;
  let child = options.prestarted?.take(args);
  const line: JobLine | JobLine["variables"] = child ? { args, variables } : variables;
  try {
    child ??= spawnPod({ ...options.command(args), env: options.env });
  } catch (error) {
    // Node emits some errors of spawn and throws others, such as ENOMEM.
    return { pid: undefined, exited: Promise.resolve(notStarted(error)), stop() {} };
  }
  return podOf(child, line, options);
}

function podInside(run: RunInside, { args, variables, cores }: PodOptions): PodProcess | undefined {
  const stop = new AbortController();
  const channel = new EventEmitter();
  const slots = cores.connect((grant) => channel.emit("message", grant));
  const ended = run(args, variables, Object.assign(channel, { send: slots.receive }), stop.signal);
  if (!ended) return undefined;
  return {
    pid: process.pid,
    exited: ended
      .then(
        (code): PodExit =>
          code === "moved" ? { code: null, detail: code, moved: true } : { code, detail: `exit code ${code}` },
        (error) => ({ code: null, detail: errorText(error) }),
      )
      .finally(slots.close),
    stop: () => stop.abort(new Error("the Job ends")),
  };
}

function podOf(child: ChildProcess, line: object, options: PodOptions): PodProcess {
  // The child may end before its pipe is closed: EPIPE is expected. Without file descriptors there are no pipes.
  child.stdin?.on("error", () => {});
  child.stdin?.write(`${JSON.stringify(line)}\n`);
  if (child.stderr) createInterface({ input: child.stderr }).on("line", options.onLine);

  const slots = options.cores.connect((grant) => {
    if (child.connected) child.send(grant, () => {});
  });
  child.on("message", slots.receive);

  let timer: NodeJS.Timeout | undefined;
  const exited = new Promise<PodExit>((resolve) => {
    child.once("error", (error) => resolve(notStarted(error)));
    // Processes left behind would keep stderr open and delay "close".
    child.once("exit", () => killGroup(child, "SIGKILL"));
    child.once("close", (code, signal) =>
      resolve({ code, detail: signal ? `ended by ${signal}` : `exit code ${code}` }),
    );
  }).finally(() => {
    clearTimeout(timer);
    slots.close();
  });

  return {
    pid: child.pid,
    exited,
    stop() {
      if (timer) return;
      child.kill("SIGTERM");
      timer = setTimeout(() => killGroup(child, "SIGKILL"), options.graceMs);
    },
  };
}

function notStarted(error: unknown): PodExit {
  return { code: null, detail: `could not be started: ${errorText(error)}` };
}
