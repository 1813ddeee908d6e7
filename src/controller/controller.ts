import { validate as isUuid } from "uuid";
import { createCachedCluster } from "../cluster/cache/cached-cluster.ts";
import { follow } from "../cluster/follow.ts";
import { subscribe } from "../database/connection/client.ts";
import {
  CHANNEL,
  COMPARISON_REQUESTED,
  DELETIONS_WAITING,
  DELIVERIES_WAITING,
  MONTH_FILES_WAITING,
  MUTINGS_CHANGED,
} from "../database/notifications.ts";
import { listReopened } from "../database/reports/progress.ts";
import { createDeliveryWorker } from "../delivery/worker.ts";
import { annotations, type JobResource } from "../schema/resources.ts";
import type { ControllerDeps } from "./deps.ts";
import { logRetry } from "./failures.ts";
import { followChanges } from "./follow-changes.ts";
import { rowKey } from "./jobs/manifest.ts";
import { maintain } from "./maintenance.ts";
import { createMonthFilesWorker } from "./month-files.ts";
import { createRecounter } from "./muting-recounter.ts";
import { createQueue } from "./queue.ts";
import { admittedMetadata } from "./report/admit.ts";
import { createComparisons } from "./report/comparisons.ts";
import { createReconciler } from "./report/reconcile.ts";
import { createRetentionWorker } from "./retention.ts";
import { createSchedules } from "./schedule/schedules.ts";
import { createScheduler } from "./scheduling/scheduler.ts";

export type Controller = {
  /** Runs until `signal` aborts, then waits for pending work. Jobs continue without it. */
  run(signal: AbortSignal): Promise<void>;
};

/**
 * Turns Reports into Jobs, and rows into status. Watches and notifications only add keys to the
 * queue; each reconcile reads the state as it is known by then (createCachedCluster), so missed events do no harm.
 */
export function createController(given: ControllerDeps): Controller {
  const cluster = createCachedCluster(given.cluster);
  const comparisons = createComparisons(given, (id) => wake(id));
  const deps = { ...given, cluster, comparisons };
  const { log, settings, metrics } = deps;
  const scheduler = createScheduler(deps, (key) => add(key));
  const schedules = createSchedules(deps);
  const reconciler = createReconciler(deps, scheduler, (key) => add(key));
  const recounter = createRecounter(deps);
  const deliveries = createDeliveryWorker(deps);
  const retention = createRetentionWorker(deps);
  // Its Jobs are of no report, by which the cache knows them.
  const monthFiles = createMonthFilesWorker(given);
  const queue = createQueue({
    work: (key) => reconciler.reconcile(key).finally(() => metrics?.queueLength.set(queue.size)),
    onError: (key, error, failures) => logRetry(log, "reconcile failed", { key, error, failures }),
    concurrency: 4,
    minIntervalMs: 50,
  });
  const add = (key: string) => {
    queue.add(key);
    metrics?.queueLength.set(queue.size);
  };

  async function followJobs(signal: AbortSignal, onFirst: () => void): Promise<void> {
    await follow(cluster, "Job", signal, {
      namespace: settings.namespace,
      log,
      onList(items) {
        scheduler.setJobs(items);
        onFirst();
        for (const job of items) addKey(reportKeyOf(job));
      },
      onEvent(type, job) {
        scheduler.updateJob(type, job);
        // The reconcile that created the Job knows that it exists; later events say what becomes of it.
        if (type !== "ADDED") addKey(reportKeyOf(job));
      },
    });
  }

  function addKey(key: string | undefined): void {
    if (key !== undefined) add(key);
  }

  /** Reconciles a report or a schedule that has changed. */
  function wake(id: string): void {
    comparisons.onChange(id);
    const key = reconciler.keyOf(id);
    // Not a known report: a schedule, or an ended report with a page that is checked again.
    if (key === undefined && isUuid(id)) add(rowKey(id));
    addKey(key);
    schedules.wake(id);
  }

  /** Reconciles a report with a page that is checked again, unless it is known as one that has not ended. */
  function wakeReopened(id: string): void {
    if (reconciler.keyOf(id) === undefined) add(rowKey(id));
  }

  /** Listens to notifications of crawlers and checkers; the periodic reconcile finds what was missed. */
  async function followProgress(signal: AbortSignal): Promise<void> {
    await subscribe([CHANNEL], {
      url: deps.databaseUrl,
      limits: deps.databaseLimits,
      signal,
      applicationName: "site-validator controller listen",
      onNotification(id) {
        if (id === MUTINGS_CHANGED) recounter.notify();
        else if (id === DELIVERIES_WAITING) deliveries.notify();
        else if (id === DELETIONS_WAITING) retention.notify();
        else if (id === MONTH_FILES_WAITING) monthFiles.notify();
        else if (id === COMPARISON_REQUESTED) comparisons.onRequest();
        else wake(id);
      },
      async onConnected() {
        comparisons.lookForRequests();
        for (const key of reconciler.keys()) add(key);
        schedules.wakeAll();
        for (const id of await listReopened(deps.db)) add(rowKey(id));
      },
      onLoss: (error) => log.warn("cannot listen for notifications of the database", { error }),
    });
  }

  return {
    async run(signal) {
      // If one part fails, all parts end: nobody would notice half a controller.
      const failed = new AbortController();
      const all = AbortSignal.any([signal, failed.signal]);
      let startScheduler = () => {};
      const jobsKnown = new Promise<void>((resolve) => {
        startScheduler = resolve;
        all.addEventListener("abort", () => resolve(), { once: true });
      });
      const parts = [
        ...(settings.watchNamespaces ?? [undefined]).map((namespace) =>
          followChanges(cluster, "Report", all, {
            namespace,
            log,
            onChange: add,
            onEvent: schedules.onReport,
            afterAdmission: admittedMetadata,
          }),
        ),
        schedules.run(all),
        followJobs(all, startScheduler),
        followProgress(all),
        maintain(deps, wakeReopened, all),
        recounter.run(all),
        deliveries.run(all),
        retention.run(all),
        monthFiles.run(all),
        comparisons.run(all),
        // Nothing may be granted before all Jobs are known, and nothing reconciled before the first grants.
        jobsKnown.then(() => scheduler.run(all)),
        scheduler.ready.then(() => queue.run(all)),
      ];
      const guarded = parts.map((part) =>
        part.catch((error) => {
          failed.abort(error);
          throw error;
        }),
      );
      const outcomes = await Promise.allSettled(guarded);
      const broken = outcomes.find((outcome) => outcome.status === "rejected");
      if (broken) throw broken.reason;
    },
  };
}

/** The key of a Job's Report. */
function reportKeyOf({ metadata }: JobResource): string | undefined {
  return metadata.annotations?.[annotations.reportKey];
}
