import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { CheckOutcome } from "../../../domain/findings.ts";
import type { Logger } from "../../../telemetry/log.ts";
import type { EngineRunner, PageTask } from "../../engine.ts";
import { createWorkerPool, TASKS_PER_WORKER } from "../../processes/worker-pool.ts";
import { htmlEngine } from "./engine.ts";
import type { HtmlRequest, HtmlResponse } from "./worker.ts";

type Options = {
  log: Logger;
  /** Worker processes; by default one per core. */
  workers?: number;
  /** CPU time for one page. */
  timeoutMs?: number;
  /** Heap limit of each worker process. The default is enough for a few megabytes of markup. */
  heapMb?: number;
};

/** html-validate never frees the selectors that it parsed, so a child is replaced after this many characters of source. */
const RECYCLE_AFTER = 200_000_000;

/**
 * The HTML engine: html-validate in child processes with an empty environment and a
 * bounded heap. On some pages html-validate takes extremely long: a check that exceeds the limit
 * of CPU time fails.
 */
export function createHtmlRunner({
  log,
  workers = availableParallelism(),
  timeoutMs = 30_000,
  heapMb = 256,
}: Options): EngineRunner {
  const pool = createWorkerPool<Omit<HtmlRequest, "id" | "timeoutMs">, Exclude<HtmlResponse, { ready: true }>>({
    module: fileURLToPath(new URL("./worker.ts", import.meta.url)),
    workers,
    execArgv: [`--max-old-space-size=${heapMb}`],
    timeoutMs,
    recycle: { after: RECYCLE_AFTER, cost: (request) => request.source.length },
    log,
  });

  const attempt = async (task: PageTask, signal: AbortSignal): Promise<CheckOutcome | { crashed: string }> => {
    const withRaw = task.spec.storeRawHtmlChecks;
    const ended = await pool.run({ url: task.url, source: task.source ?? "", withRaw }, signal);
    if (ended.end === "timeout") {
      const detail = `html-validate did not finish within ${timeoutMs / 1000} seconds of CPU time.`;
      return { kind: "html", failure: { code: "engine_error", detail } };
    }
    // V8 aborts when its heap is full. A retry would end the same way.
    if (ended.end === "crashed" && ended.how === "SIGABRT") {
      const detail = `html-validate needed more than ${heapMb} MB of memory.`;
      return { kind: "html", failure: { code: "engine_error", detail } };
    }
    if (ended.end === "crashed") return { crashed: ended.how };
    if ("error" in ended.response) {
      const detail = `html-validate failed: ${ended.response.error.slice(0, 500)}`;
      return { kind: "html", failure: { code: "engine_error", detail } };
    }
    return { kind: "html", engine: htmlEngine, ...ended.response.result };
  };

  return {
    kind: "html",
    concurrency: workers * TASKS_PER_WORKER,
    async check(task, { signal }) {
      if (task.source === undefined) {
        return { kind: "html", failure: { code: "source_missing", detail: "The page's source is no longer stored." } };
      }
      // One retry, because the cause may lie outside the page (low memory, a kill).
      let outcome = await attempt(task, signal);
      if ("crashed" in outcome) outcome = await attempt(task, signal);
      if (!("crashed" in outcome)) return outcome;
      const detail = `The checker process ended twice while checking the page (${outcome.crashed}).`;
      return { kind: "html", failure: { code: "checker_crashed", detail } };
    },
    close: () => pool.close(),
  };
}
