import { setTimeout as sleep } from "node:timers/promises";
import type { CoreResources } from "../cluster/core-resources.ts";
import { type Cluster, isClusterError } from "../cluster/port.ts";
import { FINALIZER, labels } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";

export type UninstallOptions = {
  cluster: Cluster;
  core: Pick<CoreResources, "scale" | "listPods">;
  /** Where the Jobs are, and the controller. */
  namespace: string;
  /** Whose Reports and Schedules are let go of. */
  watchNamespaces: readonly string[];
  /** The controller's Deployment, and its pods by labels; undefined when there is none to end. */
  controller: { name: string; selector: string } | undefined;
  log: Logger;
  signal: AbortSignal;
  /** How long one step may wait for others, in milliseconds. */
  stepMs?: number;
};

/** How long one step may wait for others; all of them stay below the chart's timeout. */
const STEP_MS = 60_000;
const LOOK_MS = 500;

/**
 * Undoes what a controller holds, before its release goes: ends the controller, which would put
 * things back; stops the Jobs; and takes our finalizer off Reports and Schedules, which stay, and
 * their rows with them. Each step has a time limit, and goes on after errors.
 *
 * @returns true when no resource is held any more
 */
export async function uninstall(options: UninstallOptions): Promise<boolean> {
  const { cluster, core, namespace, watchNamespaces, controller, log } = options;
  if (controller) {
    const { name, selector } = controller;
    await core.scale(namespace, name, 0).catch((error) => ignoreMissing(error));
    const gone = await until(options, async () => (await core.listPods(namespace, selector, 1)).length === 0);
    if (!gone) log.warn("the controller is still there", { deployment: name });
  }
  const stopped = await until(options, () => stopJobs(cluster, namespace));
  if (!stopped) log.warn("Jobs are still there", { namespace });
  const released = await until(options, () => releaseAll(cluster, watchNamespaces, log));
  log.info("done", { stopped, released });
  return released;
}

/** Repeats a step until it says that it is done, also after an error; gives up after some time. */
async function until(
  { log, signal, stepMs = STEP_MS }: UninstallOptions,
  step: () => Promise<boolean>,
): Promise<boolean> {
  const end = performance.now() + stepMs;
  while (!signal.aborted && performance.now() < end) {
    try {
      if (await step()) return true;
    } catch (error) {
      log.warn("trying again", { error: String(error) });
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  return false;
}

/** @returns true when no Job is left */
async function stopJobs(cluster: Cluster, namespace: string): Promise<boolean> {
  const { items } = await cluster.list("Job", { namespace });
  const jobs = items.filter(({ metadata }) => metadata.labels?.[labels.report] !== undefined);
  for (const { metadata } of jobs)
    if (!metadata.deletionTimestamp)
      await cluster.delete("Job", metadata.namespace, metadata.name, { uid: metadata.uid });
  return jobs.length === 0;
}

/** @returns true when no resource is held by our finalizer */
async function releaseAll(cluster: Cluster, namespaces: readonly string[], log: Logger): Promise<boolean> {
  let held = 0;
  for (const namespace of namespaces) {
    for (const kind of ["Report", "Schedule"] as const) {
      // A CRD that is gone took its resources along.
      const list = await cluster.list(kind, { namespace }).catch((error) => ignoreMissing(error));
      for (const object of list?.items ?? []) {
        const { metadata } = object;
        if (!metadata.finalizers?.includes(FINALIZER)) continue;
        held++;
        const finalizers = metadata.finalizers.filter((name) => name !== FINALIZER);
        await cluster.update({ ...object, metadata: { ...metadata, finalizers } }).catch((error) => {
          // It changed meanwhile: the next look finds it as it is then.
          if (!isClusterError(error, "Conflict")) return ignoreMissing(error);
        });
      }
    }
  }
  if (held > 0) log.info("released", { resources: held });
  return held === 0;
}

function ignoreMissing(error: unknown): undefined {
  if (!isClusterError(error, "NotFound")) throw error;
}
