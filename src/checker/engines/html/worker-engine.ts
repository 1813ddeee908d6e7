import { stat } from "node:fs/promises";
import type { HtmlDocument } from "../../../domain/html-document.ts";
import type { Logger } from "../../../telemetry/log.ts";
import { createWorkerPool, TASKS_PER_WORKER } from "../../processes/worker-pool.ts";
import type { HtmlEngine, HtmlFile, HtmlResult } from "./port.ts";
import type { DocumentRequest, DocumentResponse } from "./serve-documents.ts";

export type WorkerEngineOptions = Pick<HtmlEngine, "engine"> & {
  /** The program of its child processes, and its arguments. */
  module: string;
  args?: string[];
  /** Child processes. */
  workers: number;
  /** CPU time for one document. */
  timeoutMs: number;
  /** Heap limit of each child process. */
  heapMb: number;
  /** A child is replaced after this many characters of source. */
  recycleAfter: number;
  log: Logger;
};

type Request = Omit<DocumentRequest, "id" | "timeoutMs"> & { size: number };
type Response = Exclude<DocumentResponse, { ready: true }>;

/** A document of this many characters may need more memory than all others of its time together. */
const LARGE = 1_000_000;

/**
 * An engine in child processes with an empty environment and a bounded heap. A document that kills its
 * process, or takes too long, costs that document only. Large documents are checked one at a time, each in a
 * process that ends with it.
 */
export function createWorkerEngine(options: WorkerEngineOptions): HtmlEngine {
  const { engine, module, args = [], workers, timeoutMs, heapMb, recycleAfter, log } = options;
  const { name } = engine;
  const pool = createWorkerPool<Request, Response>({
    module,
    args,
    workers,
    execArgv: [`--max-old-space-size=${heapMb}`],
    timeoutMs,
    recycle: { after: recycleAfter, cost: ({ size }) => (size >= LARGE ? recycleAfter : size) },
    log,
  });

  const attempt = async (request: Request, signal: AbortSignal): Promise<HtmlResult | { ended: string }> => {
    const end = await pool.run(request, signal);
    if (end.end === "timeout")
      return { engineError: `${name} did not finish within ${timeoutMs / 1000} seconds of CPU time.` };
    // V8 aborts when its heap is full. A retry would end the same way.
    if (end.end === "crashed" && end.how === "SIGABRT")
      return { engineError: `${name} needed more than ${heapMb} MB of memory.` };
    if (end.end === "crashed") return { ended: end.how };
    if ("error" in end.response) return { engineError: `${name} failed: ${end.response.error.slice(0, 500)}` };
    const { messages, language } = end.response;
    return { messages, language };
  };

  const run = async (request: Request, signal: AbortSignal): Promise<HtmlResult> => {
    // One retry, because the cause may lie outside the document (low memory, a kill).
    let result = await attempt(request, signal);
    if ("ended" in result) result = await attempt(request, signal);
    if (!("ended" in result)) return result;
    const engineError = `The checker process ended twice while checking the page (${result.ended}).`;
    return { engineError, code: "checker_crashed" };
  };

  let lastLarge: Promise<unknown> = Promise.resolve();
  return {
    engine,
    concurrency: workers * TASKS_PER_WORKER,
    async check(document, signal) {
      const request = { document, size: await sizeOf(document) };
      if (request.size < LARGE) return run(request, signal);
      const result = lastLarge.then(() => run(request, signal));
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
