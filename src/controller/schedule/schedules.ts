import { listScheduleNames, purgeDeletedSchedules } from "../../database/schedules/schedules.ts";
import { labels, type ReportResource } from "../../schema/resources.ts";
import { carryOutSteps, type Step } from "../background-steps.ts";
import type { ControllerDeps } from "../deps.ts";
import { logRetry } from "../failures.ts";
import { followChanges } from "../follow-changes.ts";
import { createQueue } from "../queue.ts";
import { isWatched } from "../settings.ts";
import { reconcileSchedule } from "./reconcile.ts";

export type Schedules = {
  /** Runs until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Reconciles the schedule with this id, if there is one. */
  wake(id: string): void;
  /** Reconciles all known schedules: notifications may have been lost. */
  wakeAll(): void;
  /** Receives every event of a Report: when one ends, its schedule continues. */
  onReport(type: "ADDED" | "MODIFIED" | "DELETED", report: ReportResource): void;
};

const MAINTENANCE_MS = 300_000;

/** The part of the controller that turns Schedules into Reports. */
export function createSchedules(deps: ControllerDeps): Schedules {
  const { cluster, db, log, settings } = deps;
  /** id → key. */
  const keys = new Map<string, string>();
  const queue = createQueue({
    work: (key) => reconcileSchedule(deps, key, (id) => keys.set(id, key)),
    onError: (key, error, failures) => logRetry(log, "reconcile of a schedule failed", { key, error, failures }),
    concurrency: 2,
    minIntervalMs: 50,
  });

  function wake(id: string): void {
    const key = keys.get(id);
    if (key !== undefined) queue.add(key);
  }

  /** Reconciles by rows as well: no list shows a resource that was removed while nobody watched. */
  const steps: Step[] = [
    [
      "reconcile schedules",
      async () => {
        for (const { namespace, name } of await listScheduleNames(db))
          if (isWatched(settings, namespace)) queue.add(`${namespace}/${name}`);
      },
    ],
    [
      "purge deleted schedules",
      async () => {
        const before = new Date(deps.now().getTime() - settings.deletionGraceSeconds * 1_000);
        await purgeDeletedSchedules(db, before, settings.watchNamespaces);
      },
    ],
  ];

  return {
    wake,
    wakeAll() {
      for (const key of keys.values()) queue.add(key);
    },
    onReport(type, { metadata, status }) {
      const id = metadata.labels?.[labels.schedule];
      if (id !== undefined && (type === "DELETED" || status?.completionTime !== undefined)) wake(id);
    },
    async run(signal) {
      const namespaces = settings.watchNamespaces ?? [undefined];
      const followed = namespaces.map((namespace) =>
        followChanges(cluster, "Schedule", signal, { namespace, log, onChange: queue.add }),
      );
      await Promise.all([...followed, carryOutSteps(steps, MAINTENANCE_MS, log, signal), queue.run(signal)]);
    },
  };
}
