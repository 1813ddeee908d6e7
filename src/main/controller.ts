import { tmpdir } from "node:os";
import type { Kysely } from "kysely";
import type { Registry } from "prom-client";
import { createLocalCoreResources } from "../cluster/local/core-resources.ts";
import { createJobRunner } from "../cluster/local/job-runner.ts";
import { createLocalCluster } from "../cluster/local/local-cluster.ts";
import { createNode } from "../cluster/local/node.ts";
import type { RunInside } from "../cluster/local/pod.ts";
import type { PrestartedProcesses } from "../cluster/local/prestarted.ts";
import type { Cluster } from "../cluster/port.ts";
import { type Config, readConfig, requireDatabaseUrl } from "../config.ts";
import { createController } from "../controller/controller.ts";
import { createControllerMetrics } from "../controller/metrics.ts";
import { type ControllerSettings, defaultJobBackoff } from "../controller/settings.ts";
import { connect } from "../database/connection/connect.ts";
import { holdSingleInstanceLock } from "../database/connection/single-instance-lock.ts";
import type { Database } from "../database/tables.ts";
import { createEncryptor, type Encryptor } from "../domain/accounts/encryption.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { createMetrics, serveMetrics } from "../telemetry/metrics.ts";
import { exitOnSecondInterrupt } from "./lifecycle/interrupts.ts";
import { jobCommand, jobEnvironment } from "./lifecycle/job-process.ts";
import { runProgram } from "./lifecycle/program.ts";
import { say } from "./lifecycle/say.ts";
import { controllerDeps } from "./wiring/controller-deps.ts";
import { findHtmlEngines, specLimits } from "./wiring/html-engines.ts";

/** The Secret with the values that all Jobs need. */
const OWN_SECRET = "site-validator";

export type ControllerOptions = {
  config: Config;
  databaseUrl: string;
  /** The same database for Jobs, with a user that has only their rights; databaseUrl when left out. */
  jobsDatabaseUrl?: string | undefined;
  db: Kysely<Database>;
  cluster: Cluster;
  log: Logger;
  /** TMPDIR of the Jobs. */
  temp: string;
  /** Processes that wait for Jobs. The caller ends those that no Job takes. */
  prestarted?: Pick<PrestartedProcesses, "take"> | undefined;
  /** Runs Jobs in this process. */
  inside?: RunInside | undefined;
  /** Receives the Jobs' stderr, line by line. */
  onJobLine: (line: string) => void;
  environment: NodeJS.ProcessEnv;
  /** Decrypts stored credentials; without it Jobs get none. */
  encryptor?: Encryptor;
  /** The registry for the controller's metrics. */
  registry: Registry;
};

export type RunningController = {
  /** The controller and the job runner. One that ends before the signal has failed. */
  parts: Promise<void>[];
  /** True while a Job of this machine has a pod that runs, or waits for what it needs. */
  hasPods: () => boolean;
};

/** Runs the controller and the job runner of this machine until `signal` aborts. */
export async function startController(options: ControllerOptions, signal: AbortSignal): Promise<RunningController> {
  const { config, databaseUrl, cluster, log, registry } = options;
  const node = createNode({
    [OWN_SECRET]: {
      DATABASE_URL: options.jobsDatabaseUrl ?? databaseUrl,
      ...(config.httpProxy !== undefined && { HTTP_PROXY: config.httpProxy }),
      ...(config.httpsProxy !== undefined && { HTTPS_PROXY: config.httpsProxy }),
    },
  });
  const controller = createController(
    await controllerDeps({
      ...options,
      core: createLocalCoreResources({ cluster, node, namespace: config.namespace }),
      settings: controllerSettings(config),
      metrics: createControllerMetrics(registry),
    }),
  );
  const jobs = createJobRunner({
    cluster,
    log,
    namespace: config.namespace,
    command: jobCommand,
    environment: jobEnvironment(options),
    prestarted: options.prestarted,
    inside: options.inside,
    node,
    onLine: options.onJobLine,
  });
  return {
    parts: [controller.run(signal), jobs.run(signal)],
    hasPods: () => [...node.jobs.values()].some((job) => job.pods().length > 0),
  };
}

/** The controller as a program, on Kubernetes or on the local cluster of an external database. */
export async function main(): Promise<void> {
  exitOnSecondInterrupt();
  await runProgram(async (signal) => {
    const read = readConfig(process.env);
    const config = read.cluster === "kubernetes" ? read : await findHtmlEngines(read);
    const databaseUrl = requireDatabaseUrl(config);
    const log = createLogger(config.logLevel, { program: "controller" });
    if (config.cluster === "kubernetes") {
      const { runOnKubernetes } = await import("./wiring/kubernetes-controller.ts");
      await runOnKubernetes(config, databaseUrl, log, signal);
      return 0;
    }
    const lock = await holdSingleInstanceLock(databaseUrl, log);
    const db = connect({
      url: databaseUrl,
      applicationName: "site-validator controller",
      maxConnections: 10,
      onIdleError: (error) => log.warn("database connection lost", { error }),
    });
    let server: Awaited<ReturnType<typeof serveMetrics>> | undefined;
    try {
      const metrics = createMetrics({ process: true });
      if (config.metricsPort !== undefined)
        server = await serveMetrics(metrics, { host: config.host ?? "::", port: config.metricsPort });
      const broken = new AbortController();
      lock.lost.then((error) => broken.abort(error));
      const { parts } = await startController(
        {
          config,
          databaseUrl,
          jobsDatabaseUrl: config.jobsDatabaseUrl,
          db,
          cluster: createLocalCluster(db, { url: databaseUrl, log }),
          log,
          temp: tmpdir(),
          onJobLine: say,
          environment: process.env,
          registry: metrics.registry,
          ...(config.secretKey !== undefined && { encryptor: createEncryptor(config.secretKey) }),
        },
        AbortSignal.any([signal, broken.signal]),
      );
      log.info("controller started", { namespace: config.namespace, metrics: server?.url });
      await Promise.all(parts.map((part) => part.catch((error) => broken.abort(error))));
      if (!signal.aborted) throw broken.signal.reason ?? new Error("A part of the controller ended.");
      log.info("stopped", { reason: String(signal.reason) });
    } finally {
      await server?.close();
      await db.destroy();
      await lock.release();
    }
    return 0;
  });
}

function controllerSettings(config: Config): ControllerSettings {
  return {
    specLimits: specLimits(config),
    namespace: config.namespace,
    image: "local",
    maxAccountBytes: config.maxAccountBytes,
    maxRunningReports: config.maxRunningReports,
    maxCheckers: config.maxCheckers,
    maxCheckersPerJob: 1,
    jobEnvironment: [
      // A reference, because Jobs are stored and the URL may change with a restart.
      { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: OWN_SECRET, key: "DATABASE_URL" } } },
      { name: "ALLOWED_PRIVATE_CIDRS", value: config.allowedPrivateCidrs.join(",") },
      { name: "DENIED_CIDRS", value: config.deniedCidrs.join(",") },
      { name: "ALLOWED_ORIGINS", value: config.allowedOrigins.join(",") },
      { name: "HOST_ADDRESSES", value: config.hostAddresses.join(",") },
      { name: "CA_FILES", value: config.caFiles.join(",") },
      { name: "CLIENT_CERTIFICATES", value: config.clientCertificates.join(";") },
      { name: "INSECURE_TLS_HOSTS", value: config.insecureTlsHosts.join(",") },
      ...(["HTTP_PROXY", "HTTPS_PROXY"] as const).map((name) => ({
        name,
        valueFrom: { secretKeyRef: { name: OWN_SECRET, key: name, optional: true } },
      })),
      { name: "NO_PROXY", value: config.noProxy.join(",") },
      { name: "ALLOW_LOCALHOST", value: String(config.allowLocalhost) },
      { name: "LOG_LEVEL", value: config.logLevel },
      { name: "KEEP_PAGE_SOURCES", value: String(config.keepPageSources) },
      ...(config.chromePath === undefined ? [] : [{ name: "CHROME_PATH", value: config.chromePath }]),
    ],
    jobTtlSeconds: 60,
    jobBackoff: defaultJobBackoff,
    reportTtlSeconds: 600,
    deletionGraceSeconds: config.deletionGraceSeconds,
    retention: config.retention,
  };
}
