import type { CoreResources } from "../cluster/core-resources.ts";
import { type Cluster, isClusterError } from "../cluster/port.ts";
import { FINALIZER, labels } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import { pause } from "../time/retry.ts";

export type UninstallOptions = {
  cluster: Cluster;
  core: Pick<CoreResources, "scale" | "listPods">;
  /** The namespace of the controller and its Jobs. */
  namespace: string;
  /** The namespaces of the Reports and Schedules to release. */
  watchNamespaces: readonly string[];
  /** The controller's Deployment, and the selector of its pods; undefined when there is none to stop. */
  controller: { name: string; selector: string } | undefined;
  log: Logger;
  signal: AbortSignal;
  /** How long one step may take, in milliseconds. */
  stepMs?: number;
};

/** How long one step may take; all steps together stay below the chart's timeout. */
const STEP_MS = 60_000;
const POLL_MS = 500;

/**
 * Prepares the removal of a release: stops the controller, which would undo the rest; stops the Jobs;
 * and removes our finalizer from Reports and Schedules, which are kept together with their rows. Each
 * step has a time limit, and is retried after errors.
 *
 * @returns true when no resource has our finalizer any more
 */
export async function uninstall(options: UninstallOptions): Promise<boolean> {
  const { cluster, core, namespace, watchNamespaces, controller, log } = options;
  if (controller) {
    const { name, selector } = controller;
    await core.scale(namespace, name, 0).catch((error) => ignoreMissing(error));
    const gone = await until(options, async () => (await core.listPods(namespace, selector, 1)).length === 0);
    if (!gone) log.warn("the controller is still running", { deployment: name });
  }
  const stopped = await until(options, () => stopJobs(cluster, namespace));
  if (!stopped) log.warn("Jobs are still running", { namespace });
  const released = await until(options, () => releaseAll(cluster, watchNamespaces, log));
  log.info("done", { stopped, released });
  return released;
}

/** Repeats a step until it returns true, also after errors; gives up after the time limit. */
async function until(
  { log, signal, stepMs = STEP_MS }: UninstallOptions,
  step: () => Promise<boolean>,
): Promise<boolean> {
  const end = performance.now() + stepMs;
  while (!signal.aborted && performance.now() < end) {
    try {
      if (await step()) return true;
    } catch (error) {
      log.warn("a step failed, trying again", { error });
    }
    await pause(POLL_MS, signal);
  }
  return false;
}

/** @returns true when no Job is left */
async function stopJobs(cluster: Cluster, namespace: string): Promise<boolean> {
  const { items } = await cluster.list("Job", { namespace });
  const isOurs = (found: Record<string, string> = {}) => (found[labels.report] ?? found[labels.printer]) !== undefined;
  const jobs = items.filter(({ metadata }) => isOurs(metadata.labels));
  for (const { metadata } of jobs)
    if (!metadata.deletionTimestamp)
      await cluster.delete("Job", metadata.namespace, metadata.name, { uid: metadata.uid });
  return jobs.length === 0;
}

/** @returns true when no resource has our finalizer */
async function releaseAll(cluster: Cluster, namespaces: readonly string[], log: Logger): Promise<boolean> {
  let held = 0;
  for (const namespace of namespaces) {
    for (const kind of ["Report", "Schedule"] as const) {
      // If a CRD is gone, so are its resources.
      const list = await cluster.list(kind, { namespace }).catch((error) => ignoreMissing(error));
      for (const object of list?.items ?? []) {
        const { metadata } = object;
        if (!metadata.finalizers?.includes(FINALIZER)) continue;
        held++;
        const finalizers = metadata.finalizers.filter((name) => name !== FINALIZER);
        await cluster.update({ ...object, metadata: { ...metadata, finalizers } }).catch((error) => {
          // It has changed in the meantime: the next attempt reads it again.
          if (!isClusterError(error, "Conflict")) return ignoreMissing(error);
        });
      }
    }
  }
  if (held > 0) log.info("finalizers removed", { resources: held });
  return held === 0;
}

function ignoreMissing(error: unknown): undefined {
  if (!isClusterError(error, "NotFound")) throw error;
}
