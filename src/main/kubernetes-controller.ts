import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { sql } from "kysely";
import { createKubernetesCoreResources } from "../cluster/kubernetes/core-resources.ts";
import { runAsLeader } from "../cluster/kubernetes/leader.ts";
import type { Config } from "../config.ts";
import { createController } from "../controller/controller.ts";
import { parseJobTemplate } from "../controller/jobs/job-template.ts";
import type { JobTemplate } from "../controller/jobs/pod.ts";
import { createControllerMetrics } from "../controller/metrics.ts";
import type { ControllerSettings } from "../controller/settings.ts";
import { connect } from "../database/connection/connect.ts";
import { registerTerm } from "../database/connection/leader-term.ts";
import { withReconnect } from "../database/connection/retry.ts";
import { createEncryptor } from "../domain/encryption.ts";
import { UsageError } from "../domain/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { createMetrics, serveMetrics } from "../telemetry/metrics.ts";
import { openKubernetes } from "./cluster.ts";
import { controllerDeps } from "./controller-deps.ts";

/** The time to end between the loss of the Lease (10 s without renewal) and the next leader (15 s). */
const STOP_MS = 4_000;

/** Runs the controller on Kubernetes until `signal` aborts: it works while this replica leads. */
export async function runOnKubernetes(
  config: Config,
  databaseUrl: string,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const settings = await kubernetesSettings(config);
  const { cluster, kubeConfig } = await openKubernetes();
  const connection = {
    url: databaseUrl,
    applicationName: "site-validator controller",
    maxConnections: 10,
    onIdleError: (error: Error) => log.warn("database connection lost", { error: error.message }),
  };
  // Without a term: for readiness probes, and to register a term.
  const db = connect({ ...connection, maxConnections: 2 });
  const metrics = createMetrics({ process: true });
  const ready = () => sql`select 1`.execute(db);
  const server =
    config.metricsPort === undefined
      ? undefined
      : await serveMetrics(metrics, { host: config.host ?? "::", port: config.metricsPort, ready });
  const parts = {
    ...{ config, databaseUrl, cluster, log, settings },
    core: createKubernetesCoreResources(kubeConfig),
    metrics: createControllerMetrics(metrics.registry),
    encryptor: config.secretKey === undefined ? undefined : createEncryptor(config.secretKey),
  };
  const broken = new AbortController();
  const election = {
    config: kubeConfig,
    namespace: config.namespace,
    name: config.leaseName,
    identity: config.podName ?? `${hostname()}-${process.pid}`,
    log,
    signal: AbortSignal.any([signal, broken.signal]),
  };
  log.info("controller started", { namespaces: config.watchNamespaces, metrics: server?.url });
  try {
    await runAsLeader(election, async (leading, number) => {
      const leader = { name: `${config.namespace}/${config.leaseName}`, term: number };
      let hanging: NodeJS.Timeout | undefined;
      const lost = () => {
        if (!election.signal.aborted) hanging = endInTime(log);
      };
      leading.addEventListener("abort", lost, { once: true });
      const fenced = connect({ ...connection, leader });
      try {
        await withReconnect(() => registerTerm(db, leader, leading), { signal: leading });
        // A new controller each time: the state from before another leader is out of date.
        await createController(controllerDeps({ ...parts, db: fenced })).run(leading);
      } catch (error) {
        if (!leading.aborted) broken.abort(error);
      } finally {
        await fenced.destroy();
        clearTimeout(hanging);
      }
    });
    if (!signal.aborted) throw broken.signal.reason;
    log.info("stopped", { reason: String(signal.reason) });
  } finally {
    await server?.close();
    await db.destroy();
  }
}

/** Ends the process if work hangs after the Lease was lost: it must not write while another replica leads. */
function endInTime(log: Logger): NodeJS.Timeout {
  return setTimeout(() => {
    log.error("work continued after the Lease was lost: ending the process");
    process.exit(1);
  }, STOP_MS).unref();
}

async function kubernetesSettings(config: Config): Promise<ControllerSettings> {
  return {
    specLimits: { maxPages: config.maxPages, maxRateLimit: config.maxRateLimit },
    namespace: config.namespace,
    watchNamespaces: config.watchNamespaces,
    image: config.images.slim,
    pods: {
      images: config.images,
      pullPolicy: config.imagePullPolicy,
      template: await readJobTemplate(config.jobTemplateFile),
    },
    maxRunningReports: config.maxRunningReports,
    maxCheckers: config.maxCheckers,
    maxCheckersPerJob: config.maxCheckersPerJob,
    jobEnvironment: [
      { name: "ALLOWED_PRIVATE_CIDRS", value: config.allowedPrivateCidrs.join(",") },
      { name: "LOG_LEVEL", value: config.logLevel },
    ],
    jobTtlSeconds: 300,
    reportTtlSeconds: 600,
    deletionGraceSeconds: config.deletionGraceSeconds,
  };
}

/** @throws UsageError when the file is not set or not valid */
async function readJobTemplate(file: string | undefined): Promise<JobTemplate> {
  if (file === undefined) throw new UsageError("JOB_TEMPLATE_FILE is not set: Jobs would have no DATABASE_URL.");
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`JOB_TEMPLATE_FILE cannot be read: ${error.message}`);
  });
  return parseJobTemplate(text, `${file} (JOB_TEMPLATE_FILE)`);
}
