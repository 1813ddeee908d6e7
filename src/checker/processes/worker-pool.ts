import { BrokenEnvironmentError } from "../../domain/errors.ts";
import type { Logger } from "../../telemetry/log.ts";
import { MAX_CLOCK_FACTOR, type Over } from "../../time/clock-limit.ts";
import { startCpuDeadline } from "../engines/cpu-deadline.ts";
import { abortError } from "./abort-error.ts";
import { type CoreSlots, ownCores } from "./core-slots.ts";
import { startBackoff } from "./start-backoff.ts";
import { startWorker, type WorkerProcess, type WorkerProgram } from "./worker-process.ts";

/**
 * Child processes that each work on one task at a time. A child that takes too long is killed.
 * A child that ends is replaced: the task it was working on ends as `timeout` or `crashed`, and the
 * tasks queued behind it go to its replacement. A replacement that does not start is retried for a while.
 */
export type WorkerPool<Request, Response> = {
  /**
   * @param options.alone runs the task in a new process, while the others are idle
   * @throws BrokenEnvironmentError when no process could be started within the time limit
   */
  run(request: Request, signal: AbortSignal, options?: { alone?: boolean }): Promise<TaskEnd<Response>>;
  close(): Promise<void>;
};

export type TaskEnd<Response> =
  | { end: "done"; response: Response }
  | { end: "timeout"; over: Over }
  /** `how` says how the child ended: its signal or exit code. */
  | { end: "crashed"; how: string };

export type PoolOptions<Request> = WorkerProgram & {
  workers: number;
  /** CPU time for one task. */
  timeoutMs: number;
  /** A child is replaced between tasks when the cost of its tasks reaches `after`. This bounds memory leaks. */
  recycle: { after: number; cost: (request: Request) => number };
  /** A child that is not ready in this time is killed. */
  startTimeoutMs?: number;
  /** How long starts may fail before waiting tasks are rejected. */
  startRetryLimitMs?: number;
  /** A child gets tasks only while it has a slot. */
  cores?: CoreSlots;
  log: Logger;
};

/** Tasks sent to a child at once: while it works on the first, the second waits in the pipe, so that the child never idles. */
export const TASKS_PER_WORKER = 2;
/** A start takes half a second; on an overloaded machine, many times that. */
const START_TIMEOUT_MS = 60_000;
const START_RETRY_LIMIT_MS = 120_000;
/** How long a child with a slot gets tasks before other checkers have their turn. */
const TURN_MS = 1_000;

type Slot = { release: () => void };

type Task<Request, Response> = {
  id: number;
  request: Request;
  signal: AbortSignal;
  alone: boolean;
  resolve: (end: TaskEnd<Response>) => void;
  reject: (error: Error) => void;
};

type Worker<Request, Response> = {
  process: WorkerProcess;
  ready: boolean;
  /** The child works on the first of these. */
  tasks: Task<Request, Response>[];
  /** Stops the timeout of the child's start or of its task. */
  stopClock: () => void;
  timedOut: Over | undefined;
  /** It has had no task yet. */
  isNew: boolean;
  /** Held while it has tasks. */
  slot: (Slot & { endsAt: number }) | undefined;
  cost: number;
};

/** Starts one child at once, which is enough for a small site. Others start when tasks wait. */
export function createWorkerPool<Request extends object, Response extends object>(
  options: PoolOptions<Request>,
): WorkerPool<Request, Response> {
  type PoolWorker = Worker<Request, Response>;
  const { timeoutMs, recycle, log, startTimeoutMs = START_TIMEOUT_MS, cores = ownCores } = options;
  const waiting: Task<Request, Response>[] = [];
  const workers = new Set<PoolWorker>();
  /** Slots that no worker has taken yet, and how many have been requested. */
  const spare: Slot[] = [];
  let requested = 0;
  const closing = new AbortController();
  const backoff = startBackoff(options.startRetryLimitMs ?? START_RETRY_LIMIT_MS);
  let nextId = 0;
  let closed = false;

  const dispatch = (): void => {
    for (let [task] = waiting; task; [task] = waiting) {
      if (task.signal.aborted) task.reject(abortError(task.signal));
      else {
        const worker = workerFor(task);
        if (!worker) return;
        give(worker, task);
      }
      waiting.shift();
    }
    for (const slot of spare.splice(0)) slot.release();
  };

  /** The worker that can start a task now. Without one, requests what is missing, which then calls `dispatch`. */
  const workerFor = ({ alone }: Task<Request, Response>): PoolWorker | undefined => {
    if (hasToWait(alone)) return undefined;
    if (alone) for (const worker of workers) if (worker.ready && !worker.isNew) remove(worker);
    const now = performance.now();
    const worker = leastBusy([...workers].filter(({ slot }) => (slot ? now < slot.endsAt : spare.length > 0)));
    if (worker && worker.tasks.length < TASKS_PER_WORKER) return worker;
    // Workers that are starting will take the waiting tasks, unless there are more than they can take.
    const starting = [...workers].filter(({ ready }) => !ready).length;
    const wanted = Math.ceil(waiting.length / TASKS_PER_WORKER);
    if (starting < Math.min(wanted, spare.length)) start();
    else if (spare.length < wanted) requestSlot();
    return undefined;
  };

  /** A task that runs alone waits for all others, and they wait for it. */
  const hasToWait = (alone: boolean): boolean =>
    [...workers].some(({ tasks: [current] }) => current && (alone || current.alone));

  const give = (worker: PoolWorker, task: Task<Request, Response>): void => {
    const slot = worker.slot ?? spare.pop();
    if (slot && slot !== worker.slot) worker.slot = { ...slot, endsAt: performance.now() + TURN_MS };
    worker.isNew = false;
    worker.tasks.push(task);
    worker.process.send({ ...task.request, id: task.id, timeoutMs: timeoutMs * MAX_CLOCK_FACTOR });
    if (worker.tasks.length === 1) startClock(worker);
  };

  const requestSlot = (): void => {
    const held = [...workers].filter(({ slot }) => slot).length;
    if (closed || requested + spare.length + held >= Math.min(options.workers, held + waiting.length)) return;
    requested += 1;
    cores
      .acquire(closing.signal)
      .then((release) => {
        requested -= 1;
        spare.push({ release });
        dispatch();
      })
      .catch(() => {
        requested -= 1;
      });
  };

  const releaseSlot = (worker: PoolWorker): void => {
    worker.slot?.release();
    worker.slot = undefined;
  };

  const startClock = (worker: PoolWorker): void => {
    worker.stopClock();
    if (worker.ready && worker.tasks.length === 0) return;
    const onOver = (over: Over): void => {
      worker.timedOut = over;
      worker.process.kill();
    };
    if (worker.ready) worker.stopClock = startCpuDeadline(worker.process.pid, timeoutMs, onOver);
    else {
      let turn: NodeJS.Immediate | undefined;
      // Received messages are read first: this thread may have been blocked, waiting for a Job (main/lifecycle/environment.ts).
      const timer = setTimeout(() => {
        turn = setImmediate(onOver, "clock");
      }, startTimeoutMs);
      worker.stopClock = () => {
        clearTimeout(timer);
        clearImmediate(turn);
      };
    }
  };

  const onResponse = (worker: PoolWorker, message: Response & { id: number }): void => {
    const [task] = worker.tasks;
    if (task?.id !== message.id) return;
    worker.tasks.shift();
    worker.cost += task.alone ? recycle.after : recycle.cost(task.request);
    startClock(worker);
    task.resolve({ end: "done", response: message });
    if (worker.tasks.length === 0) releaseSlot(worker);
    if (worker.cost >= recycle.after && !closed) replace(worker);
    dispatch();
  };

  /** Removes a worker. Its queued tasks go to the front of the queue. */
  const remove = (worker: PoolWorker): void => {
    workers.delete(worker);
    worker.stopClock();
    releaseSlot(worker);
    waiting.unshift(...worker.tasks.splice(0));
    worker.process.kill();
  };
  const replace = (worker: PoolWorker): void => {
    remove(worker);
    start();
  };

  const onEnd = (worker: PoolWorker, how: string): void => {
    if (!workers.has(worker)) return;
    if (!worker.ready) {
      notStarted(worker, worker.timedOut ? `not ready after ${startTimeoutMs / 1000} s` : how);
      return;
    }
    const lost = worker.tasks.shift();
    log.warn("a worker process ended", { how, timedOut: worker.timedOut, working: lost !== undefined });
    replace(worker);
    lost?.resolve(worker.timedOut ? { end: "timeout", over: worker.timedOut } : { end: "crashed", how });
    dispatch();
  };

  /** A child that never became ready has not read any page, so its end is the machine's fault. */
  const notStarted = (worker: PoolWorker, how: string): void => {
    workers.delete(worker);
    worker.stopClock();
    // Slots are not kept during the pause: other checkers may be able to work.
    for (const slot of spare.splice(0)) slot.release();
    const { failures, delayMs, exhausted } = backoff.failed(() => dispatch());
    log.warn("a worker process did not start", { how, failures, delayMs });
    if (!exhausted || [...workers].some(({ ready }) => ready)) return;
    const error = new BrokenEnvironmentError(
      `No worker process could be started: ${failures} attempts in a row failed (the last one: ${how}). ` +
        "Check this machine's limits of processes, open files and memory.",
    );
    for (const task of waiting.splice(0)) task.reject(error);
  };

  /** Starts a child unless the limit is reached or a pause is running. */
  const start = (): void => {
    if (closed || workers.size >= options.workers || backoff.isPausing()) return;
    const worker: PoolWorker = {
      process: startWorker<Response & { id: number }>(options, {
        onReady: () => {
          if (!workers.has(worker)) return;
          worker.ready = true;
          backoff.succeeded();
          startClock(worker);
          dispatch();
        },
        onMessage: (message) => onResponse(worker, message),
        onEnd: (how) => onEnd(worker, how),
      }),
      ready: false,
      tasks: [],
      stopClock: () => {},
      timedOut: undefined,
      isNew: true,
      slot: undefined,
      cost: 0,
    };
    workers.add(worker);
    startClock(worker);
  };

  start();
  return {
    run: (request, signal, { alone = false } = {}) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error("The worker pool is closed."));
        waiting.push({ id: nextId++, request, signal, alone, resolve, reject });
        dispatch();
      }),
    async close() {
      closed = true;
      backoff.stop();
      closing.abort(new Error("The worker pool is closed."));
      for (const slot of spare.splice(0)) slot.release();
      const ending = [...workers];
      workers.clear();
      const tasks = [...waiting.splice(0), ...ending.flatMap((worker) => worker.tasks.splice(0))];
      for (const task of tasks) task.reject(new Error("The worker pool is closed."));
      for (const worker of ending) {
        worker.stopClock();
        releaseSlot(worker);
        worker.process.kill();
      }
      await Promise.all(ending.map((worker) => worker.process.ended));
    },
  };
}

function leastBusy<Request, Response>(
  workers: readonly Worker<Request, Response>[],
): Worker<Request, Response> | undefined {
  let best: Worker<Request, Response> | undefined;
  for (const worker of workers) if (worker.ready && (!best || worker.tasks.length < best.tasks.length)) best = worker;
  return best;
}
