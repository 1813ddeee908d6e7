import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { sql } from "kysely";
import { createKubernetesCoreResources } from "../../cluster/kubernetes/core-resources.ts";
import type { Config } from "../../config.ts";
import { createController } from "../../controller/controller.ts";
import { parseJobTemplate } from "../../controller/jobs/job-template.ts";
import type { JobTemplate } from "../../controller/jobs/pod-spec.ts";
import { runWithLeadership } from "../../controller/leadership.ts";
import { createControllerMetrics } from "../../controller/metrics.ts";
import { type ControllerSettings, defaultJobBackoff } from "../../controller/settings.ts";
import { connect } from "../../database/connection/connect.ts";
import { UsageError } from "../../domain/errors.ts";
import type { Logger } from "../../telemetry/log.ts";
import { createMetrics, serveMetrics } from "../../telemetry/metrics.ts";
import { openKubernetes } from "./cluster.ts";
import { controllerDeps } from "./controller-deps.ts";
import { specLimits } from "./html-engines.ts";
import { configuredEncryptor } from "./secret-key.ts";

/** Runs the controller on Kubernetes until `signal` aborts: it works while this replica leads. */
export async function runOnKubernetes(
  config: Config,
  databaseUrl: string,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const settings = await kubernetesSettings(config);
  const { cluster, apiServer } = await openKubernetes(config, log);
  const connection = {
    url: databaseUrl,
    applicationName: "site-validator controller",
    maxConnections: 10,
    onIdleError: (error: Error) => log.warn("database connection lost", { error }),
  };
  // Without a term: for readiness probes, and for registering a term.
  const db = connect({ ...connection, maxConnections: 2 });
  const metrics = createMetrics({ process: true });
  const ready = () => sql`select 1`.execute(db);
  const server =
    config.metricsPort === undefined
      ? undefined
      : await serveMetrics(metrics, { host: config.host ?? "::", port: config.metricsPort, ready });
  const parts = {
    config,
    databaseUrl,
    cluster,
    log,
    settings,
    core: createKubernetesCoreResources(apiServer),
    metrics: createControllerMetrics(metrics.registry),
    encryptor: configuredEncryptor(config),
  };
  const election = {
    config: apiServer,
    namespace: config.namespace,
    name: config.leaseName,
    identity: config.podName ?? `${hostname()}-${process.pid}`,
    log,
    signal,
  };
  log.info("controller started", { namespaces: config.watchNamespaces, metrics: server?.url });
  try {
    await runWithLeadership({ election, connection, db }, async (fenced, leading, term) =>
      // A new controller each time: after another leader, the old state is out of date.
      createController(await controllerDeps({ ...parts, db: fenced, term })).run(leading),
    );
    log.info("stopped", { reason: String(signal.reason) });
  } finally {
    await server?.close();
    await db.destroy();
  }
}

async function kubernetesSettings(config: Config): Promise<ControllerSettings> {
  return {
    specLimits: specLimits(config),
    namespace: config.namespace,
    watchNamespaces: config.watchNamespaces,
    image: config.images.slim,
    pods: {
      images: config.images,
      pullPolicy: config.imagePullPolicy,
      template: await readJobTemplate(config.jobTemplateFile),
    },
    maxAccountBytes: config.maxAccountBytes,
    maxRunningReports: config.maxRunningReports,
    maxCheckers: config.maxCheckers,
    maxCheckersPerJob: config.maxCheckersPerJob,
    jobEnvironment: [
      { name: "ALLOWED_PRIVATE_CIDRS", value: config.allowedPrivateCidrs.join(",") },
      { name: "DENIED_CIDRS", value: config.deniedCidrs.join(",") },
      { name: "ALLOWED_ORIGINS", value: config.allowedOrigins.join(",") },
      { name: "HOST_ADDRESSES", value: config.hostAddresses.join(",") },
      { name: "LOG_LEVEL", value: config.logLevel },
      { name: "KEEP_PAGE_SOURCES", value: String(config.keepPageSources) },
    ],
    jobTtlSeconds: 300,
    jobBackoff: defaultJobBackoff,
    reportTtlSeconds: 600,
    deletionGraceSeconds: config.deletionGraceSeconds,
    retention: config.retention,
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
