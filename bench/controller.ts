import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createKubernetesCluster } from "../src/cluster/kubernetes/kubernetes-cluster.ts";
import { API_VERSION, annotations, type ReportResource } from "../src/schema/resources.ts";
import { insertAccount, reportSpec } from "../test/support/builders.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { type ControlPlane, startControlPlane } from "./kubernetes/control-plane.ts";
import type { RequestCounts } from "./kubernetes/count-requests.ts";
import { startFakeNode } from "./kubernetes/fake-node.ts";
import { peakMegabytes, processTree } from "./processes.ts";
import { record } from "./results.ts";
import { isSmoke } from "./smoke.ts";

/**
 * Reports that are created all at once, on a real API server, with the controller as it runs in production and a fake
 * node: the time until each has its Jobs or is told that it waits, and the requests to the API server and the memory that
 * this takes. Once with room for all, once with the default, where all but ten wait; then the requests a second while
 * they run.
 *
 *     node bench/controller.ts [reports]
 */

const REPORTS = Number(process.argv[2] ?? (isSmoke ? 50 : 2_000));
const CLIENTS = 16;
const STEADY_SECONDS = isSmoke ? 2 : 20;
const MAIN = path.resolve(import.meta.dirname, "../src/main/index.ts");
const CONTROLLER_TEMPLATE = path.resolve(import.meta.dirname, "../charts/site-validator/templates/controller.yaml");
const COUNTER = path.resolve(import.meta.dirname, "kubernetes/count-requests.ts");

const controlPlane = await startControlPlane();
if (controlPlane) {
  try {
    await measure(controlPlane, { name: "room for all", namespace: "many", running: 10_000 });
    await measure(controlPlane, { name: "room for 10", namespace: "few", running: 10 });
  } finally {
    await controlPlane.stop();
    await stopTestServer();
  }
}

async function measure(
  { config, server, environment: ofPod }: ControlPlane,
  { name, namespace, running }: { name: string; namespace: string; running: number },
): Promise<void> {
  await server.request("POST", "/api/v1/namespaces", {
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  });
  const database = await createTestDatabase();
  const account = await insertAccount(database.db);
  const folder = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
  const template = path.join(folder, "job-template.yaml");
  await writeFile(template, `env: [{ name: DATABASE_URL, value: "${database.url}" }]\n`);
  const environment = {
    ...{ PATH: process.env.PATH, CLUSTER: "kubernetes", NAMESPACE: namespace, ...ofPod },
    ...{ DATABASE_URL: database.url, JOB_TEMPLATE_FILE: template, LOG_LEVEL: "warn", CACHE_DIR: folder },
    ...{ MAX_RUNNING_REPORTS: String(running), MAX_CHECKERS: String(running), NODE_ENV: "production" },
    NODE_OPTIONS: await nodeOptions(),
  };
  // Fills the cache of compiled code, as the build of the images does (Containerfile): for want of a database it ends.
  await once(spawn(process.execPath, [MAIN, "controller"], { env: { CACHE_DIR: folder }, stdio: "ignore" }), "exit");
  const node = startFakeNode(config, namespace);
  const profile = process.env.PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`] : [];
  const controller = spawn(process.execPath, [...profile, "--import", COUNTER, MAIN, "controller"], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const pid = controller.pid ?? 0;
    await leads(controller);
    const before = await countsOf(controller);
    const idle = peakMegabytes(pid);
    const planned = watchReports(config, namespace, running);
    const started = performance.now();
    const cpu = cpuSeconds(pid);
    await create(config, namespace, account);
    const created = (performance.now() - started) / 1000;
    await planned;
    const seconds = (performance.now() - started) / 1000;
    const counts = minus(await countsOf(controller), before);
    const requests = sum(counts) / REPORTS;
    console.log(`planned after ${seconds.toFixed(1)} s, ${requests.toFixed(1)} requests a Report`);
    const used = cpuSeconds(pid) - cpu;
    console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}; requests: ${shownCounts(counts)}`);
    const jobs = node.jobs;
    const steadyBefore = await countsOf(controller);
    await sleep(STEADY_SECONDS * 1000);
    const steady = minus(await countsOf(controller), steadyBefore);
    console.log(`while they run: ${shownCounts(steady)} in ${STEADY_SECONDS} s`);
    const memory = peakMegabytes(pid);
    const measure = `controller, ${REPORTS.toLocaleString("en")} Reports at once, ${name}`;
    record({
      ...{ row: "12", measure: `${measure}: time until all are planned`, against: "60 s" },
      ...{ ratio: seconds / 60, target: { atMost: 1 } },
      figures: {
        s: seconds,
        "s to create them": created,
        "s of the controller's processor time": used,
        "Jobs with pods": jobs,
      },
    });
    record({
      ...{ row: "12", measure: `${measure}: requests to the API server a Report`, against: "12 requests" },
      ...{ ratio: requests / 12, target: { atMost: 1 } },
      figures: { "requests a Report": requests, "requests a second while they run": sum(steady) / STEADY_SECONDS },
    });
    record({
      ...{ row: "12", measure: `${measure}: memory of the controller`, against: "300 MB" },
      ...{ ratio: memory / 300, target: { atMost: 1 } },
      figures: { "MB at most": memory, "MB before": idle },
    });
  } finally {
    await node.stop();
    const ended = once(controller, "exit");
    if (controller.exitCode === null) {
      controller.kill("SIGTERM");
      await ended;
    }
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }

  /** Its list of Reports is the last thing that it does before it waits for some. */
  async function leads(child: ChildProcess): Promise<void> {
    while (!(await countsOf(child))["WATCH reports"]) await sleep(50);
  }
}

async function create(config: ControlPlane["config"], namespace: string, account: string): Promise<void> {
  const cluster = createKubernetesCluster(config);
  let next = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < REPORTS) {
        const name = `report-${String(next++).padStart(5, "0")}`;
        await cluster.create<"Report">({
          ...{ apiVersion: API_VERSION, kind: "Report" },
          metadata: { name, namespace, annotations: { [annotations.account]: account } },
          spec: reportSpec({ startingUrl: `https://example.com/${name}`, performHtmlChecks: true }),
        });
      }
    }),
  );
}

/** Resolves when every Report is planned. */
async function watchReports(config: ControlPlane["config"], namespace: string, running: number): Promise<void> {
  const cluster = createKubernetesCluster(config);
  const room = Math.min(running, REPORTS);
  const planned = { started: new Set<string>(), waiting: new Set<string>() };
  let resourceVersion = "0";
  ({ resourceVersion } = await cluster.list("Report", { namespace }));
  const signal = new AbortController();
  for (;;)
    for await (const event of cluster.watch("Report", { namespace, resourceVersion, signal: signal.signal })) {
      if (event.type === "BOOKMARK") {
        resourceVersion = event.resourceVersion;
        continue;
      }
      const { metadata, status } = event.object as ReportResource;
      resourceVersion = metadata.resourceVersion;
      if (status?.runs?.crawler && status.runs["html-checker"]) {
        planned.started.add(metadata.name);
        planned.waiting.delete(metadata.name);
      } else if (status?.conditions?.some(({ reason }) => reason === "WaitingForCapacity"))
        planned.waiting.add(metadata.name);
      if (planned.started.size < room || planned.started.size + planned.waiting.size < REPORTS) continue;
      signal.abort();
      return;
    }
}

async function countsOf(child: ChildProcess): Promise<RequestCounts> {
  const reply = once(child, "message") as Promise<[RequestCounts]>;
  child.send("requests");
  return (await reply)[0];
}

function minus(after: RequestCounts, before: RequestCounts): RequestCounts {
  const entries = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

function sum(counts: RequestCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function shownCounts(counts: RequestCounts): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

/** The options that the chart starts the controller with. */
async function nodeOptions(): Promise<string> {
  const template = await readFile(CONTROLLER_TEMPLATE, "utf8");
  const options = /name: NODE_OPTIONS\s+value: (.+)/.exec(template)?.[1];
  if (options === undefined) throw new Error(`${CONTROLLER_TEMPLATE} sets no NODE_OPTIONS`);
  return options;
}

function cpuSeconds(pid: number): number {
  return processTree(pid).find((one) => one.pid === pid)?.own ?? 0;
}
