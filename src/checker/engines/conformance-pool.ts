import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Message } from "../../domain/html-message.ts";
import type { Logger } from "../../telemetry/log.ts";
import { createWorkerPool, TASKS_PER_WORKER } from "../processes/worker-pool.ts";
import type { ConformanceRequest, ConformanceResponse } from "./conformance-worker.ts";

type Options = {
  log: Logger;
  /** Where the compiled grammar is. */
  cacheDir: string;
  /** Worker processes; one a core by default. */
  workers?: number;
  /** Longest time for one document. */
  timeoutMs?: number;
  /** Heap of each worker process: enough for a document of 10 MB. */
  heapMb?: number;
};

/** A document as a file, or as its text. */
export type ConformanceTask = { url: string; contentType: string } & ({ file: string } | { source: string });
/** The messages, or why the engine failed on this document. */
export type ConformanceResult = { messages: Message[] } | { engineError: string };

export type ConformancePool = {
  /** So many documents at once keep every worker busy. */
  concurrency: number;
  check(task: ConformanceTask, signal: AbortSignal): Promise<ConformanceResult>;
  close(): Promise<void>;
};

/** Fragments of the heap; nothing is known to leak. */
const RECYCLE_AFTER = 20_000;

/** The conformance engine on all cores: a document that crashes or hangs its worker costs that document only. */
export async function createConformancePool({
  log,
  cacheDir,
  workers = availableParallelism(),
  timeoutMs = 30_000,
  heapMb = 1_024,
}: Options): Promise<ConformancePool> {
  type Request = Omit<ConformanceRequest, "id" | "timeoutMs">;
  const pool = await createWorkerPool<Request, Exclude<ConformanceResponse, { ready: true }>>({
    module: fileURLToPath(new URL("./conformance-worker.ts", import.meta.url)),
    workers,
    execArgv: [`--max-old-space-size=${heapMb}`],
    timeoutMs,
    recycle: { after: RECYCLE_AFTER, cost: () => 1 },
    log,
  });
  return {
    concurrency: workers * TASKS_PER_WORKER,
    async check(task, signal) {
      const ended = await pool.run({ ...task, cacheDir }, signal);
      if (ended.end === "timeout") return { engineError: `It was not checked within ${timeoutMs / 1000} seconds.` };
      if (ended.end === "crashed") {
        // How V8 ends when its heap is full.
        const why = ended.how === "SIGABRT" ? `it needs more than ${heapMb} MB of memory` : ended.how;
        return { engineError: `The process that checked it ended: ${why}.` };
      }
      return "error" in ended.response
        ? { engineError: ended.response.error.slice(0, 500) }
        : { messages: ended.response.messages };
    },
    close: () => pool.close(),
  };
}
