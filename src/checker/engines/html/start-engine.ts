import { moduleFile } from "../../../files/own-modules.ts";
import type { HtmlEngineName } from "../../../schema/html-engines.ts";
import type { Logger } from "../../../telemetry/log.ts";
import { confinement } from "../../processes/confine.ts";
import { type CoreSlots, ownCores } from "../../processes/core-slots.ts";
import { divideMemory, ownResources } from "../../processes/worker-memory.ts";
import { grammarsIn, prepareGrammars, requireGrammar } from "../grammar-store.ts";
import type { HtmlEngine } from "./port.ts";
import { engineOf } from "./versions.ts";
import { createWorkerEngine, type WorkerEngineOptions } from "./worker-engine.ts";

export type StartOptions = {
  log: Logger;
  /** Where the compiled grammars are. */
  cacheDir: string;
  /** Where Java may be, which nu needs. */
  javaExecutables?: readonly string[];
  /** Permission to keep cores of this machine busy. */
  cores?: CoreSlots | undefined;
  /** Documents may be given as files, which the engine's processes read: any file of this user. */
  readsFiles?: boolean;
} & Partial<Pick<WorkerEngineOptions, "workers" | "timeoutMs" | "heapMb">>;

type Program = Pick<WorkerEngineOptions, "heapMb" | "recycleAfter"> & { module: string };

const programs: Record<Exclude<HtmlEngineName, "nu">, Program> = {
  // Enough for a document of 10 MB. Processes are replaced because the heap fragments; no leak is known.
  conformance: {
    module: moduleFile("./conformance-worker", import.meta.url),
    heapMb: 1_024,
    recycleAfter: 1_000_000_000,
  },
  // Enough for a few megabytes of markup. It never frees the selectors that it parsed.
  "html-validate": {
    module: moduleFile("./html-validate-worker", import.meta.url),
    heapMb: 256,
    recycleAfter: 200_000_000,
  },
};

const MAX_CPU_MS = 30_000;

/**
 * Starts the engine of that name. Its processes start at once, or with its first documents.
 *
 * @throws UsageError when it cannot run here
 */
export async function startHtmlEngine(name: HtmlEngineName, options: StartOptions): Promise<HtmlEngine> {
  const { log, cacheDir, timeoutMs = MAX_CPU_MS, javaExecutables = [], cores = ownCores } = options;
  if (name === "nu") {
    const { startNuEngine } = await import("./nu-engine.ts");
    return startNuEngine({
      log,
      engine: engineOf(name),
      timeoutMs,
      javaExecutables,
      cores,
      ...(options.workers !== undefined && { parallel: options.workers }),
      ...(options.heapMb !== undefined && { heapMb: options.heapMb }),
    });
  }
  // Reported once, not for each document.
  if (name === "conformance") await requireGrammar(cacheDir);
  // Its processes may not write files. If this process cannot write either, each compiles the grammar for itself.
  if (name === "conformance") await prepareGrammars(cacheDir).catch(() => {});
  const { module, recycleAfter, ...program } = programs[name];
  const { workers, heapMb } = divideMemory(program.heapMb, ownResources());
  return createWorkerEngine({
    engine: engineOf(name),
    module,
    args: name === "conformance" ? [cacheDir] : [],
    execArgv: confinement(options.readsFiles ? ["*"] : [grammarsIn(cacheDir)]),
    workers: options.workers ?? workers,
    timeoutMs,
    heapMb: options.heapMb ?? heapMb,
    recycleAfter,
    cores,
    log,
  });
}
