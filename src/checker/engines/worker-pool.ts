import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import type { Logger } from "../../telemetry/log.ts";

/**
 * Child processes that work on one task at a time each. A child that takes too long is
 * killed, one that ends is replaced, and its task is reported as lost; tasks that
 * waited behind it go to the replacement and do not notice.
 */
export type WorkerPool<Request, Response> = {
  run(request: Request, signal: AbortSignal): Promise<TaskEnd<Response>>;
  close(): Promise<void>;
};

export type TaskEnd<Response> =
  | { end: "done"; response: Response }
  | { end: "timeout" }
  /** `how` says how the child ended: its signal or exit code. */
  | { end: "crashed"; how: string };

export type PoolOptions = {
  module: string;
  workers: number;
  execArgv: string[];
  timeoutMs: number;
  /** A child is replaced, between tasks, after so much work: whatever it leaks is gone. */
  recycle: { after: number; cost: (request: never) => number };
  log: Logger;
};

/** Handed to a child at once: it works on the first while the second one waits in the pipe, so it never idles. */
export const TASKS_PER_WORKER = 2;

type Task<Request, Response> = {
  id: number;
  request: Request;
  signal: AbortSignal;
  resolve: (end: TaskEnd<Response>) => void;
  reject: (error: Error) => void;
};

type Worker<Request, Response> = {
  child: ChildProcess;
  /** The first is being worked on. */
  tasks: Task<Request, Response>[];
  timer: NodeJS.Timeout | undefined;
  timedOut: boolean;
  cost: number;
};

/** Resolves once the first child is ready; others are started when tasks wait. @throws Error when it ends before */
export async function createWorkerPool<Request extends object, Response>(
  options: PoolOptions & { recycle: { cost: (request: Request) => number } },
): Promise<WorkerPool<Request, Response>> {
  type PoolWorker = Worker<Request, Response>;
  const waiting: Task<Request, Response>[] = [];
  const workers = new Set<PoolWorker>();
  /** Alive but not ready yet. */
  const starting = new Set<ChildProcess>();
  let nextId = 0;
  let closed = false;

  const dispatch = (): void => {
    while (waiting.length > 0) {
      const worker = leastBusy(workers);
      if (!worker || worker.tasks.length >= TASKS_PER_WORKER) {
        if (workers.size + starting.size < options.workers && !closed) start().catch(() => {});
        return;
      }
      const task = waiting.shift();
      if (!task) return;
      if (task.signal.aborted) {
        task.reject(abortError(task.signal));
        continue;
      }
      worker.tasks.push(task);
      worker.cost += options.recycle.cost(task.request);
      worker.child.send({ ...task.request, id: task.id, timeoutMs: options.timeoutMs }, () => {
        // A failed send means that the child is gone: its end is what counts.
      });
      if (worker.tasks.length === 1) startClock(worker);
    }
  };

  const startClock = (worker: PoolWorker): void => {
    clearTimeout(worker.timer);
    if (worker.tasks.length === 0) return;
    worker.timer = setTimeout(() => {
      worker.timedOut = true;
      worker.child.kill("SIGKILL");
    }, options.timeoutMs);
  };

  const onResponse = (worker: PoolWorker, message: Response & { id: number }): void => {
    const [task] = worker.tasks;
    if (task?.id !== message.id) return;
    worker.tasks.shift();
    startClock(worker);
    task.resolve({ end: "done", response: message });
    if (worker.cost >= options.recycle.after && !closed) replace(worker);
    dispatch();
  };

  /** Takes the worker out of service and starts another; what waited behind goes first. */
  const replace = (worker: PoolWorker): void => {
    if (!workers.delete(worker)) return;
    clearTimeout(worker.timer);
    waiting.unshift(...worker.tasks.splice(0));
    worker.child.kill("SIGKILL");
    if (!closed) start().catch(() => {});
  };

  const onExit = (worker: PoolWorker, how: string): void => {
    if (!workers.has(worker)) return;
    const lost = worker.tasks.shift();
    options.log.warn("a worker process ended", { how, timedOut: worker.timedOut, working: lost !== undefined });
    replace(worker);
    lost?.resolve(worker.timedOut ? { end: "timeout" } : { end: "crashed", how });
    dispatch();
  };

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(options.module, [], {
        execArgv: options.execArgv,
        // Hostile pages are read there: no credentials, nothing of ours but the folder of compiled code,
        // which would otherwise be one that all users share.
        env: compileCache(),
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
      const worker: PoolWorker = { child, tasks: [], timer: undefined, timedOut: false, cost: 0 };
      let ready = false;
      starting.add(child);
      child.on("message", (message: (Response & { id: number }) | { ready: true }) => {
        if ("id" in message) {
          onResponse(worker, message);
          return;
        }
        ready = true;
        starting.delete(child);
        if (!closed) workers.add(worker);
        dispatch();
        resolve();
      });
      const ended = (how: string): void => {
        if (ready) {
          onExit(worker, how);
          return;
        }
        starting.delete(child);
        const error = new Error(`A worker process ended before it was ready: ${how}.`);
        if (!closed) options.log.error("a worker process did not start", { how });
        reject(error);
        if (workers.size === 0) for (const task of waiting.splice(0)) task.reject(error);
      };
      child.once("error", (error) => ended(error.message));
      child.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
    });

  // One at first: a small site needs no more, and a child's start costs more than its pages.
  await start();
  return {
    run: (request, signal) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error("The worker pool is closed."));
        waiting.push({ id: nextId++, request, signal, resolve, reject });
        dispatch();
      }),
    async close() {
      closed = true;
      const children = [...starting, ...[...workers].map((worker) => worker.child)];
      // Taken from the workers, too: an answer that still comes would start the clock of the next task.
      const tasks = [...waiting.splice(0), ...[...workers].flatMap((worker) => worker.tasks.splice(0))];
      for (const worker of workers) clearTimeout(worker.timer);
      workers.clear();
      for (const task of tasks) task.reject(new Error("The worker pool is closed."));
      await Promise.all(children.map(stop));
    },
  };
}

function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

function leastBusy<Request, Response>(workers: Set<Worker<Request, Response>>): Worker<Request, Response> | undefined {
  let best: Worker<Request, Response> | undefined;
  for (const worker of workers) if (!best || worker.tasks.length < best.tasks.length) best = worker;
  return best;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("The check was aborted.");
}
