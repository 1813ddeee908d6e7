import type { OnFailure } from "../database/connection/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { pause } from "../time/retry.ts";

/** A step's name in the log, and its work. A failure for one of many reports or rows is passed to `onFailure`. */
export type Step = [name: string, run: (signal: AbortSignal, onFailure: OnFailure) => Promise<void>];

/**
 * Carries out each step periodically until `signal` aborts, on its own: one that takes long, or that fails in whole or in
 * part, holds up neither the other steps nor the rest of its own work. It is tried again after the pause.
 */
export async function carryOutSteps(
  steps: readonly Step[],
  intervalMs: number,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    steps.map(async (step) => {
      while (!signal.aborted) {
        await carryOut(step, log, signal);
        await pause(intervalMs, signal);
      }
    }),
  );
}

async function carryOut([step, run]: Step, log: Logger, signal: AbortSignal): Promise<void> {
  const failed = (details: { id?: string; error: unknown }) => {
    if (!signal.aborted) log.warn("maintenance failed", { step, ...details });
  };
  try {
    await run(signal, (id, error) => failed({ id, error }));
  } catch (error) {
    failed({ error });
  }
}
