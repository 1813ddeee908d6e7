import { readFile } from "node:fs/promises";
import path from "node:path";
import { createLocalCoreResources } from "../../src/cluster/local/core-resources.ts";
import { createJobRunner } from "../../src/cluster/local/job-runner.ts";
import { createLocalCluster } from "../../src/cluster/local/local-cluster.ts";
import { createNode } from "../../src/cluster/local/node.ts";
import type { Cluster } from "../../src/cluster/port.ts";
import { createController } from "../../src/controller/controller.ts";
import type { ControllerDeps } from "../../src/controller/deps.ts";
import { createEndedJobs } from "../../src/controller/jobs/ended-jobs.ts";
import { createJobSecrets } from "../../src/controller/jobs/job-secrets.ts";
import { createComparisons, type ReportDeps } from "../../src/controller/report/comparisons.ts";
import type { ControllerSettings } from "../../src/controller/settings.ts";
import { htmlEngines } from "../../src/schema/html-engines.ts";
import type { ReportSpec } from "../../src/schema/report.ts";
import { API_VERSION, annotations, type ObjectMeta, type ReportResource } from "../../src/schema/resources.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { reportSpec } from "./builders.ts";
import { compileCache } from "./cache.ts";
import type { TestDatabase } from "./database.ts";
import { eventually } from "./wait.ts";

const FAKE_JOB = path.join(import.meta.dirname, "programs/fake-job.ts");

/** Shows what goes wrong when TEST_LOG is set. */
export const testLog = createLogger(process.env.TEST_LOG ?? "error", { program: "test" });
testLog.silent = !process.env.TEST_LOG;

export const testSettings: ControllerSettings = {
  specLimits: { maxPages: 0, maxRateLimit: 0, htmlEngines },
  namespace: "default",
  image: "none",
  maxRunningReports: 10,
  maxCheckers: 10,
  maxCheckersPerJob: 10,
  jobEnvironment: [],
  jobTtlSeconds: 3_600,
  jobBackoff: { baseMs: 0, maxMs: 0 },
  reportTtlSeconds: 3_600,
  deletionGraceSeconds: 86_400,
};

export type RunningService = { stop(): Promise<void> };

/** What a controller on the local cluster is built from, without a job runner. */
export function controllerDeps(database: TestDatabase, options: Partial<ControllerDeps> = {}): ControllerDeps {
  const cluster = options.cluster ?? createLocalCluster(database.db, { url: database.url, log: testLog });
  const core = createLocalCoreResources({ cluster, node: createNode(), namespace: "default" });
  return {
    cluster,
    core,
    jobSecrets: createJobSecrets(core),
    endedJobs: createEndedJobs(),
    db: database.db,
    databaseUrl: database.url,
    log: testLog,
    now: () => new Date(),
    settings: testSettings,
    ...options,
  };
}

/** What reports are reconciled with, one step at a time. Nothing is compared unless `comparisons` run. */
export function reportDeps(database: TestDatabase, options: Partial<ControllerDeps> = {}): ReportDeps {
  const deps = controllerDeps(database, options);
  return { ...deps, comparisons: createComparisons(deps, () => {}) };
}

/** A controller alone: nobody runs its Jobs. */
export function startController(database: TestDatabase, options: Partial<ControllerDeps> = {}): RunningService {
  const stop = new AbortController();
  const running = createController(controllerDeps(database, options)).run(stop.signal);
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
}

/** A controller and a job runner whose Jobs are the fake program. */
export function startService(
  database: TestDatabase,
  options: { settings?: Partial<ControllerSettings>; log: string; gate?: string; now?: () => Date },
): RunningService {
  const { gate, log, settings, now } = options;
  const jobEnvironment = [
    { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "local", key: "DATABASE_URL" } } },
    { name: "LOG", value: log },
    ...(gate === undefined ? [] : [{ name: "GATE", value: gate }]),
  ];
  const controller = startController(database, {
    settings: { ...testSettings, jobEnvironment, ...settings },
    ...(now ? { now } : {}),
  });
  const stop = new AbortController();
  const running = createJobRunner({
    cluster: createLocalCluster(database.db, { url: database.url, log: testLog }),
    log: testLog,
    namespace: "default",
    command: (args) => ({ file: process.execPath, args: [FAKE_JOB, ...args] }),
    environment: compileCache,
    node: createNode({ local: { DATABASE_URL: database.url } }),
    onLine: (line) => testLog.error(line),
    backoffMs: 5,
    graceMs: 1_000,
  }).run(stop.signal);
  return {
    async stop() {
      stop.abort();
      await Promise.all([controller.stop(), running]);
    },
  };
}

/** Creates a Report as the api would. */
export async function createReport(
  cluster: Cluster,
  accountId: string,
  options: { query?: string; name?: string; spec?: Partial<ReportSpec>; metadata?: Partial<ObjectMeta> } = {},
): Promise<ReportResource> {
  const { query = "", name = `report-${Math.random().toString(36).slice(2)}`, spec, metadata } = options;
  return cluster.create<"Report">({
    apiVersion: API_VERSION,
    kind: "Report",
    metadata: {
      name,
      namespace: "default",
      annotations: { [annotations.account]: accountId, [annotations.requestId]: "request-1" },
      ...metadata,
    },
    spec: reportSpec({ startingUrl: `https://example.com/${query}`, ...spec }),
  });
}

/** The Report once it has ended. */
export function ended(cluster: Cluster, report: ReportResource): Promise<ReportResource> {
  return eventually(async () => {
    const found = await cluster.get("Report", "default", report.metadata.name);
    return found?.status?.completionTime === undefined ? undefined : found;
  });
}

/** What the fake Jobs did: `crawler 1`, `checker html 1`, one entry per process. */
export async function processesRun(log: string): Promise<{ what: string; pid: number }[]> {
  const text = await readFile(log, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const words = line.split(" ");
      return { what: words.slice(0, -1).join(" "), pid: Number(words.at(-1)) };
    });
}
