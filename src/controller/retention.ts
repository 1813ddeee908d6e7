import { deleteResource } from "../cluster/delete-resource.ts";
import { endDeletion, nextDeletion, nextItem } from "../database/retention/deletions.ts";
import { followOperator, listDue, nextDue } from "../database/retention/limits.ts";
import { noLimits } from "../domain/retention/limits.ts";
import { createNotifier } from "../time/notifier.ts";
import { beginNight, deleteItem } from "../transactions/retention.ts";
import type { ControllerDeps } from "./deps.ts";

/** How often to look without a notification. */
const POLL_MS = 30_000;

export type RetentionWorker = {
  /** Call this when there may be something to delete. */
  notify(): void;
  /** Deletes until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
};

/**
 * Deletes reports, one after the other and each in a short transaction: what an account keeps no longer, in the night, and what
 * somebody has chosen. It runs with the controller's leader, whose connections no other can have: what it has begun is
 * gone on with by the next one.
 */
export function createRetentionWorker({ cluster, db, log, now, settings }: ControllerDeps): RetentionWorker {
  const { notify, wait } = createNotifier();
  const operator = settings.retention ?? noLimits;

  /** Begins what is due by now. An account of which that fails holds up none of the others. */
  async function beginNights(): Promise<void> {
    await followOperator(db, operator, now());
    for (const accountId of await listDue(db, now()))
      try {
        const items = await beginNight(db, accountId, operator, now());
        if (items > 0) log.info("what is kept no longer is deleted", { account: accountId, items });
      } catch (error) {
        log.warn("it could not be decided what is kept no longer", { account: accountId, error });
      }
  }

  /** Goes on with one deletion until nothing of it waits. @returns false when there is none */
  async function deleteNext(failed: string[], signal: AbortSignal): Promise<boolean> {
    const deletion = await nextDeletion(db, failed);
    if (!deletion) return false;
    const { id, accountId: account } = deletion;
    try {
      while (!signal.aborted) {
        const item = await nextItem(db, id, now());
        if (!item) {
          await endDeletion(db, id, now());
          log.info("reports deleted", { deletion: id, account });
          return true;
        }
        const resource = await deleteItem(db, deletion, item, { now: now(), signal });
        if (resource) await deleteResource(cluster, "Report", resource);
      }
    } catch (error) {
      failed.push(id);
      if (!signal.aborted) log.warn("reports could not be deleted", { deletion: id, account, error });
    }
    return true;
  }

  return {
    notify,
    async run(signal) {
      while (!signal.aborted) {
        let pause = POLL_MS;
        try {
          await beginNights();
          const failed: string[] = [];
          while (!signal.aborted && (await deleteNext(failed, signal)));
          const next = await nextDue(db);
          if (next) pause = Math.min(pause, Math.max(50, next.getTime() - now().getTime()));
        } catch (error) {
          if (!signal.aborted) log.warn("it could not be looked for what is kept no longer", { error });
        }
        await wait(pause, signal);
      }
    },
  };
}
