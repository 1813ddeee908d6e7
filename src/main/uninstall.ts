import { setTimeout as sleep } from "node:timers/promises";
import { createKubernetesCoreResources } from "../cluster/kubernetes/core-resources.ts";
import { type Cluster, isClusterError } from "../cluster/port.ts";
import { readConfig } from "../config.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { FINALIZER, labels } from "../schema/resources.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { openKubernetes } from "./cluster.ts";
import { runProgram } from "./program.ts";

/** How long one step may wait for others; all of them stay below the chart's timeout. */
const STEP_MS = 60_000;
const LOOK_MS = 500;

/**
 * Before a release goes: ends its controller, which would put things back; stops the Jobs;
 * and lets go of Reports and Schedules, which stay, and their rows with them.
 */
export async function main(args: string[]): Promise<void> {
  await runProgram(async (signal) => {
    const config = readConfig(process.env);
    if (args.length > 0) throw new UsageError(`uninstall takes no arguments; got ${args.join(" ")}.`);
    if (config.cluster !== "kubernetes") throw new UsageError("uninstall needs CLUSTER=kubernetes.");
    const log = createLogger(config.logLevel, { program: "uninstall" });
    const { cluster, kubeConfig } = await openKubernetes();
    const { namespace, controllerDeployment } = config;
    if (controllerDeployment) {
      const { name, selector } = controllerDeployment;
      const core = createKubernetesCoreResources(kubeConfig);
      await core.scale(namespace, name, 0).catch((error) => ignoreMissing(error));
      const gone = await until(async () => (await core.listPods(namespace, selector, 1)).length === 0, log, signal);
      if (!gone) log.warn("the controller is still there", { deployment: name });
    }
    const stopped = await until(() => stopJobs(cluster, namespace), log, signal);
    if (!stopped) log.warn("Jobs are still there", { namespace });
    const released = await until(() => releaseAll(cluster, config.watchNamespaces, log), log, signal);
    log.info("done", { stopped, released });
    return released ? exitCodes.ok : exitCodes.failed;
  });
}

/** Repeats a step until it says that it is done, also after an error; gives up after some time. */
async function until(step: () => Promise<boolean>, log: Logger, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + STEP_MS;
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
