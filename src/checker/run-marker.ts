import type { Lease } from "../database/checks/leases.ts";

type Waiting = { lease: Lease; resolve: (held: boolean) => void; reject: (error: unknown) => void };

export type RunMarker = {
  /** Resolves once the start of a check is recorded: false when another process has its lease. */
  begin(lease: Lease): Promise<boolean>;
  /** The engine has finished the check, whose result is not stored yet. Recorded with the next start. */
  end(lease: Lease): void;
};

/**
 * Records which checks run: only these can have killed a checker that dies. Checks that start while a record is being
 * written share the next one.
 *
 * @param record @returns the ids of the begun checks whose lease is still held
 */
export function createRunMarker(
  record: (begun: readonly Lease[], ended: readonly Lease[]) => Promise<ReadonlySet<string>>,
): RunMarker {
  let waiting: Waiting[] = [];
  let ended: Lease[] = [];
  let isRecording = false;

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const [batch, over] = [waiting, ended];
      [waiting, ended] = [[], []];
      try {
        const held = await record(
          batch.map(({ lease }) => lease),
          over,
        );
        for (const { lease, resolve } of batch) resolve(held.has(lease.checkId));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRecording = false;
  };

  return {
    begin: (lease) =>
      new Promise((resolve, reject) => {
        waiting.push({ lease, resolve, reject });
        if (isRecording) return;
        isRecording = true;
        // Deferred, so that checks that start together share a record.
        queueMicrotask(() => void work());
      }),
    end(lease) {
      ended.push(lease);
    },
  };
}
