import { createKubernetesCoreResources } from "../cluster/kubernetes/core-resources.ts";
import { readConfig } from "../config.ts";
import { uninstall } from "../controller/uninstall.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { createLogger } from "../telemetry/log.ts";
import { runProgram } from "./lifecycle/program.ts";
import { openKubernetes } from "./wiring/cluster.ts";

/** Stops the controller and its Jobs, and removes finalizers, before a release is removed. */
export async function main(args: string[]): Promise<void> {
  await runProgram(async (signal) => {
    const config = readConfig(process.env);
    if (args.length > 0) throw new UsageError(`uninstall takes no arguments; received ${args.join(" ")}.`);
    if (config.cluster !== "kubernetes") throw new UsageError("uninstall needs CLUSTER=kubernetes.");
    const { cluster, apiServer } = await openKubernetes(config);
    const { namespace, watchNamespaces, controllerDeployment: controller } = config;
    const core = createKubernetesCoreResources(apiServer);
    const log = createLogger(config.logLevel, { program: "uninstall" });
    const released = await uninstall({ cluster, core, namespace, watchNamespaces, controller, log, signal });
    return released ? exitCodes.ok : exitCodes.failed;
  });
}
