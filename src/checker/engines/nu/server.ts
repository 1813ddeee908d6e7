import { availableParallelism } from "node:os";
import type { Message } from "html-conformance/messages";
import { BrokenEnvironmentError } from "../../../domain/errors.ts";
import type { Logger } from "../../../telemetry/log.ts";
import { MAX_CLOCK_FACTOR } from "../../../time/clock-limit.ts";
import { abortError } from "../../processes/abort-error.ts";
import { startBackoff } from "../../processes/start-backoff.ts";
import { ownResources } from "../../processes/worker-memory.ts";
import { cpuMs, didNotFinish } from "../cpu-deadline.ts";
import { divideTime, overdue, type Share } from "./cpu-shares.ts";
import { heapFor, MAX_DOCUMENT_BYTES } from "./java-arguments.ts";
import { type JavaProcess, type NuAddress, startJava } from "./java-process.ts";
import { mediaTypeForNu } from "./media-type.ts";
import { readResponse } from "./messages.ts";
import { NotConnectedError, postDocument } from "./post-document.ts";

export type NuOptions = {
  log: Logger;
  /** The executable of Java. */
  java: string;
  /** The jar of the Nu Html Checker. */
  jar: string;
  /** Heap of the Java process; by default enough, if it fits into this machine or container. */
  heapMb?: number;
  /** CPU time for one document. */
  timeoutMs?: number;
  /** Documents that Java checks at the same time; by default one per core, but no more than fit into its heap. */
  parallel?: number;
  /** A server that is not ready in this time is killed. */
  startTimeoutMs?: number;
  /** How long starts may fail before waiting documents are rejected. */
  startRetryLimitMs?: number;
};

/** A document as text. `contentType` is the value of its Content-Type header, or "". */
export type NuDocument = { source: string; url: string; contentType: string };
/** The messages, or why the engine failed on this document. */
export type NuResult =
  | { messages: Message[] }
  | { engineError: string; code?: "checker_crashed"; deadlineExceeded?: true };

export type NuServer = {
  /** The number of documents at once that keeps the server busy. */
  concurrency: number;
  /**
   * Checks a document; with `alone` in a new server, while no other is checked.
   *
   * @throws BrokenEnvironmentError when no server could be started within the time limit, or the signal's reason
   */
  check(document: NuDocument, signal: AbortSignal, options?: { alone?: boolean }): Promise<NuResult>;
  close(): Promise<void>;
};

/** The number of times that a server may end while it checks one document and no other. */
const MAX_CRASHES = 3;
const HEAP_MB_OF_A_DOCUMENT = 64;
/** Documents with at least this many characters are checked one at a time. */
const LARGE = 1_000_000;
/** A start takes three seconds of CPU time; on an overloaded machine, many times that. */
const START_TIMEOUT_MS = 120_000;
const START_RETRY_LIMIT_MS = 240_000;
const TICK_MS = 100;
/** Nu gives up after 1,000 messages, but each may quote a whole value of the page. */
const MAX_RESPONSE_BYTES = 16_000_000;

type Task = Share & {
  document: NuDocument;
  signal: AbortSignal;
  resolve: (result: NuResult) => void;
  reject: (error: Error) => void;
  /** It is checked in a new server, while no other is: a server ended while checking this document. */
  alone: boolean;
  /** How often the server ended while checking this document and no other. */
  crashes: number;
  /** The server may have read the document. */
  isSent: boolean;
};

type Server = {
  process: JavaProcess;
  address: NuAddress | undefined;
  isLate: boolean;
  /** It has had no document yet. */
  isNew: boolean;
  stopClock: () => void;
};

/**
 * The Nu Html Checker as a Java server that is kept running. A document that takes too long fails, and the server is
 * ended; the other documents are checked again. Documents that are being checked when the server ends by itself are
 * checked again one by one, and fail if the server ends three times. A server that does not start is retried for a
 * while.
 */
export function createNuServer(options: NuOptions): NuServer {
  const { log, java, jar, heapMb = heapFor(ownResources().memoryMb), timeoutMs = 30_000 } = options;
  const fitting = Math.max(1, Math.floor(heapMb / HEAP_MB_OF_A_DOCUMENT));
  const { parallel = Math.min(availableParallelism(), fitting) } = options;
  const startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
  const waiting: Task[] = [];
  const running = new Set<Task>();
  const backoff = startBackoff(options.startRetryLimitMs ?? START_RETRY_LIMIT_MS);
  let server: Server | undefined;
  let closed = false;

  const start = (): void => {
    if (closed || server || backoff.isPausing()) return;
    const starting: Server = {
      process: startJava(
        { java, jar, heapMb },
        { onReady: (address) => onReady(starting, address), onEnd: (how) => onEnd(starting, how) },
      ),
      address: undefined,
      isLate: false,
      isNew: true,
      stopClock: () => clearTimeout(late),
    };
    const late = setTimeout(() => {
      starting.isLate = true;
      starting.process.kill();
    }, startTimeoutMs);
    server = starting;
  };

  const onReady = (started: Server, address: NuAddress): void => {
    if (server !== started) return;
    started.stopClock();
    started.address = address;
    backoff.succeeded();
    started.stopClock = watchTime(started.process);
    dispatch();
  };

  const dispatch = (): void => {
    if (!server) start();
    while (server?.address && waiting.length > 0 && running.size < parallel) {
      const index = nextIndex(waiting, running);
      const task = waiting[index];
      if (!task) return;
      if (task.alone && !server.isNew && !task.signal.aborted) {
        // `onEnd` starts another one.
        server.process.kill();
        return;
      }
      waiting.splice(index, 1);
      if (task.signal.aborted) task.reject(abortError(task.signal));
      else void run(task, server.process, server.address);
      server.isNew = false;
    }
  };

  const run = async (task: Task, process: JavaProcess, address: NuAddress): Promise<void> => {
    running.add(task);
    Object.assign(task, { usedMs: 0, startedAt: performance.now(), isSent: true });
    const { source, contentType } = task.document;
    const document = { body: Buffer.from(source, "utf8"), mediaType: mediaTypeForNu(contentType) };
    try {
      const response = await postDocument(address, process.isAlive, document, MAX_RESPONSE_BYTES);
      if (running.delete(task)) task.resolve(readResponse(response, contentType));
    } catch (error) {
      if (error instanceof NotConnectedError) task.isSent = false;
      // A broken connection means that the server is ending, or must end: `onEnd` handles the document.
      process.kill();
    }
    dispatch();
  };

  /** @returns a function that stops watching */
  const watchTime = ({ pid, kill }: JavaProcess): (() => void) => {
    let spent = cpuMs(pid);
    let ticked = performance.now();
    const timer = setInterval(() => {
      const [spentBefore, tickedBefore] = [spent, ticked];
      spent = cpuMs(pid);
      ticked = performance.now();
      const clock = ticked - tickedBefore;
      divideTime(running, spent === undefined || spentBefore === undefined ? clock : spent - spentBefore);
      const task = overdue(running, ticked, { limitMs: timeoutMs, maxClockMs: timeoutMs * MAX_CLOCK_FACTOR });
      if (!task) return;
      running.delete(task);
      const engineError = didNotFinish("nu", timeoutMs, task.usedMs >= timeoutMs ? "work" : "clock");
      task.resolve({ engineError, deadlineExceeded: true });
      // The server's end is not their fault.
      for (const other of running) other.isSent = false;
      log.warn("a document took too long; the Nu Html Checker is started again", { url: task.document.url });
      kill();
    }, TICK_MS);
    return () => clearInterval(timer);
  };

  const onEnd = (ended: Server, how: string): void => {
    if (server !== ended) return;
    server = undefined;
    ended.stopClock();
    if (!ended.address) {
      notStarted(ended.isLate ? `not ready after ${startTimeoutMs / 1000} s` : how);
      return;
    }
    log.warn("the Nu Html Checker ended", { how, checking: running.size });
    const again = [...running];
    running.clear();
    for (const task of again.toReversed()) {
      if (task.isSent && task.alone) task.crashes += 1;
      const failure = task.isSent && task.alone ? failureOf(task, how, heapMb) : undefined;
      if (failure) {
        task.resolve(failure);
        continue;
      }
      task.alone ||= task.isSent;
      waiting.unshift(task);
    }
    start();
  };

  /** A server that never became ready has not read any document: that is the machine's fault. */
  const notStarted = (how: string): void => {
    const { failures, delayMs, exhausted } = backoff.failed(start);
    log.warn("the Nu Html Checker did not start", { how, failures, delayMs });
    if (!exhausted) return;
    const error = new BrokenEnvironmentError(
      `The Nu Html Checker could not be started: ${failures} attempts in a row failed (the last one: ${how}). ` +
        `Check ${java}, and this machine's limits of processes and memory.`,
    );
    for (const task of waiting.splice(0)) task.reject(error);
  };

  start();
  return {
    concurrency: 2 * parallel,
    check: (document, signal, { alone = false } = {}) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error("The Nu Html Checker is closed."));
        if (Buffer.byteLength(document.source) > MAX_DOCUMENT_BYTES)
          return resolve({ engineError: `The document is larger than ${MAX_DOCUMENT_BYTES / 1_000_000} MB.` });
        const share = { usedMs: 0, startedAt: 0, alone, crashes: 0, isSent: false };
        waiting.push({ ...share, document, signal, resolve, reject });
        dispatch();
      }),
    async close() {
      closed = true;
      backoff.stop();
      const ending = server;
      server = undefined;
      for (const task of [...waiting.splice(0), ...running]) task.reject(new Error("The Nu Html Checker is closed."));
      running.clear();
      ending?.stopClock();
      ending?.process.kill();
      await ending?.process.ended;
    },
  };
}

/** The waiting task that can run beside the running ones. It may overtake a large task, but not one that runs alone. */
function nextIndex(waiting: readonly Task[], running: ReadonlySet<Task>): number {
  if (running.size === 0) return 0;
  if ([...running, ...waiting.slice(0, 1)].some(({ alone }) => alone)) return -1;
  const isLarge = ({ document }: Task): boolean => document.source.length >= LARGE;
  return [...running].some(isLarge) ? waiting.findIndex((task) => !isLarge(task)) : 0;
}

/** Why a document is given up after servers have ended; undefined if it is tried again. */
function failureOf({ crashes }: Task, how: string, heapMb: number): NuResult | undefined {
  if (how.includes("OutOfMemoryError")) return { engineError: `nu needed more than ${heapMb} MB of memory.` };
  if (crashes < MAX_CRASHES) return undefined;
  const engineError = `The Nu Html Checker ended ${crashes} times while checking this page and no other (${how}).`;
  return { engineError, code: "checker_crashed" };
}
