import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { HtmlDocument } from "html-conformance/documents";
import { type Backoff, backoffDelay } from "../../../domain/backoff.ts";
import { BrokenEnvironmentError } from "../../../domain/errors.ts";
import type { Logger } from "../../../telemetry/log.ts";
import { type CoreSlots, ownCores } from "../../processes/core-slots.ts";
import { createWorkerPool, TASKS_PER_WORKER } from "../../processes/worker-pool.ts";
import { didNotFinish } from "../cpu-deadline.ts";
import type { HtmlEngine, HtmlFile, HtmlResult } from "./port.ts";
import type { DocumentRequest, DocumentResponse } from "./serve-documents.ts";

export type WorkerEngineOptions = Pick<HtmlEngine, "engine"> & {
  /** The program of its child processes, and its arguments. */
  module: string;
  args?: string[];
  /** Arguments of Node, beside the limit of the heap. */
  execArgv?: string[];
  /** Child processes. */
  workers: number;
  /** CPU time for one document. */
  timeoutMs: number;
  /** Heap limit of each child process. */
  heapMb: number;
  /** A child is replaced after this many characters of source. */
  recycleAfter: number;
  /** A child works only while it has a slot. */
  cores?: CoreSlots;
  log: Logger;
};

type Request = Omit<DocumentRequest, "id" | "timeoutMs"> & { size: number };
type Response = Exclude<DocumentResponse, { ready: true }>;
/** The process ended while it checked the document. */
type Died = { died: string };

/** So often a process may end that checks one document and no other. */
const MAX_CRASHES = 3;
const RETRY_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 8_000 };
/** A document of this many characters may need more memory than all others of its time together. */
const LARGE = 1_000_000;

/**
 * An engine in child processes with an empty environment and a bounded heap. A document that kills its
 * process, or takes too long, costs that document only. It is repeated alone before it is given up. Large documents are checked one at a time, each in a
 * process that ends with it.
 */
export function createWorkerEngine(options: WorkerEngineOptions): HtmlEngine {
  const {
    engine,
    module,
    args = [],
    execArgv = [],
    workers,
    timeoutMs,
    heapMb,
    recycleAfter,
    cores = ownCores,
    log,
  } = options;
  const { name } = engine;
  const pool = createWorkerPool<Request, Response>({
    module,
    args,
    workers,
    execArgv: [`--max-old-space-size=${heapMb}`, ...execArgv],
    timeoutMs,
    recycle: { after: recycleAfter, cost: ({ size }) => (size >= LARGE ? recycleAfter : size) },
    cores,
    log,
  });

  const attempt = async (request: Request, signal: AbortSignal, alone: boolean): Promise<HtmlResult | Died> => {
    const end = await pool.run(request, signal, { alone });
    if (end.end === "timeout")
      return {
        engineError: didNotFinish(name, timeoutMs, end.over),
        deadlineExceeded: true,
      };
    if (end.end === "crashed") return { died: end.how };
    if ("broken" in end.response) throw new BrokenEnvironmentError(`${name} cannot work: ${end.response.broken}`);
    if ("error" in end.response) return { engineError: `${name} failed: ${end.response.error.slice(0, 500)}` };
    const { messages, language, elements, repaired } = end.response;
    return { messages, language, elements, ...(repaired && { repaired }) };
  };

  /** What dies beside others may be innocent. So a document is given up only for what it does alone. */
  const run = async (request: Request, signal: AbortSignal, alone: boolean): Promise<HtmlResult> => {
    let result = await attempt(request, signal, alone);
    for (let crashes = alone ? 1 : 0; "died" in result; crashes += 1) {
      // V8 aborts when its heap is full. Of a process that had no other document it would do so again.
      if (result.died === "SIGABRT" && crashes > 0)
        return { engineError: `${name} needed more than ${heapMb} MB of memory.` };
      if (crashes >= MAX_CRASHES) {
        const engineError = `The checker process ended ${crashes} times while checking this page and no other (${result.died}).`;
        return { engineError, code: "checker_crashed" };
      }
      // Whatever kills processes from outside may need a moment to end.
      if (crashes > 0) await sleep(backoffDelay(crashes - 1, Math.random(), RETRY_BACKOFF), undefined, { signal });
      result = await attempt(request, signal, true);
    }
    return result;
  };

  let lastLarge: Promise<unknown> = Promise.resolve();
  return {
    engine,
    concurrency: workers * TASKS_PER_WORKER,
    async check(document, signal, { alone = false } = {}) {
      const request = { document, size: await sizeOf(document) };
      if (request.size < LARGE) return run(request, signal, alone);
      const result = lastLarge.then(() => run(request, signal, alone));
      lastLarge = result.catch(() => {});
      return result;
    },
    close: () => pool.close(),
  };
}

/** In characters; of a file in bytes, and 0 where that cannot be known. */
async function sizeOf(document: HtmlDocument | HtmlFile): Promise<number> {
  if ("source" in document) return document.source.length;
  return stat(document.file).then(
    ({ size }) => size,
    () => 0,
  );
}
