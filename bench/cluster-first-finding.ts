import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { BatchV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { host, ingress, install, readSecret, remove, throughIngress } from "../test/e2e/support/installation.ts";
import { restrictedContainer, restrictedPod, slimImage } from "../test/e2e/support/restricted-pod.ts";
import { mochaGlobalSetup, mochaGlobalTeardown } from "../test/e2e/support/setup.ts";
import { deploySite } from "../test/e2e/support/site-pod.ts";
import { faultyPage } from "./faulty-page.ts";
import { median } from "./median.ts";
import { record } from "./results.ts";
import { rounds } from "./smoke.ts";

/**
 * How long a client waits for the first finding of a page on a cluster: from the request that creates the report, through
 * the ingress, until GET /reports/ID/findings has one. It is compared with a Job whose pod starts a Node of the same
 * image and does nothing, until that pod has ended. In turns.
 *
 * Needs a cluster as the tests do (test/cluster/README.md). E2E_KEEP=1 leaves it running.
 *
 *     node bench/cluster-first-finding.ts [rounds]
 */

const times = Number(process.argv[2] ?? rounds(9));
const POLL_MS = 20;
/** A report that fails has no finding ever. */
const LIMIT_MS = 120_000;
const NAME = "bench-first-finding";

await mochaGlobalSetup();
try {
  await remove(NAME);
  const installation = await install(NAME);
  const token = await readSecret(installation, "first-token", "token");
  const startingUrl = await deploySite(NAME, { "/": faultyPage });
  const image = await slimImage();
  const config = new KubeConfig();
  config.loadFromDefault();
  const [batch, core] = [config.makeApiClient(BatchV1Api), config.makeApiClient(CoreV1Api)];

  // Once before, so that images are unpacked.
  await emptyPod(batch, core, image);
  await report(token, startingUrl);
  const [ours, alone]: [number[], number[]] = [[], []];
  for (let round = 0; round < times; round++) {
    alone.push(await emptyPod(batch, core, image));
    ours.push(await report(token, startingUrl));
  }
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}; ${host()} at ${ingress.host}:${ingress.port}`);
  const [first, pod] = [median(ours), median(alone)];
  record({
    ...{ row: "8", measure: "POST to first finding readable, cluster", against: "the start of a pod, and 2 s" },
    ...{ ratio: first / (pod + 2_000), target: { atMost: 1 } },
    figures: { "ms until a finding is readable": first, "ms of an empty pod of a Job": pod },
  });
} finally {
  await remove(NAME);
  await mochaGlobalTeardown();
}

/** From the creation of a Job until its pod has ended. */
async function emptyPod(batch: BatchV1Api, core: CoreV1Api, image: Awaited<ReturnType<typeof slimImage>>) {
  const started = performance.now();
  const container = { name: "empty", ...restrictedContainer, ...image, command: ["node", "-e", "0"] };
  const { metadata } = await batch.createNamespacedJob({
    namespace: NAME,
    body: {
      metadata: { generateName: "empty-" },
      spec: { template: { spec: { ...restrictedPod, restartPolicy: "Never", containers: [container] } } },
    },
  });
  const name = metadata?.name ?? "";
  const ended = async (): Promise<boolean> => {
    const labelSelector = `job-name=${name}`;
    const { items } = await core.listNamespacedPod({ namespace: NAME, labelSelector });
    return items.some(({ status }) => status?.phase === "Succeeded");
  };
  await until(ended, started, `The pod of the Job ${name} has not ended`);
  const ms = performance.now() - started;
  await batch.deleteNamespacedJob({ namespace: NAME, name, propagationPolicy: "Background" });
  return ms;
}

/** From the request until a finding is readable. */
async function report(token: string, startingUrl: string): Promise<number> {
  const started = performance.now();
  const attributes = { starting_url: startingUrl, max_pages: 1, rate_limit: 1_000, perform_html_checks: true };
  const { status, body } = await throughIngress<{ data: { id: string } }>("/api/v1/reports", {
    ...{ method: "POST", token, body: { data: { attributes } } },
  });
  if (status !== 201) throw new Error(`POST /api/v1/reports is ${status}: ${JSON.stringify(body)}`);
  const address = `/api/v1/reports/${body.data.id}`;
  const hasFinding = async (): Promise<boolean> => {
    const { body: list } = await throughIngress<{ data: unknown[] }>(`${address}/findings?page[size]=1`, { token });
    return list.data.length > 0;
  };
  await until(hasFinding, started, `${address} has no finding`);
  const ms = performance.now() - started;
  const ended = async (): Promise<boolean> => {
    const { body: one } = await throughIngress<{ data: { attributes: { phase: string } } }>(address, { token });
    return one.data.attributes.phase === "Complete";
  };
  await until(ended, started, `${address} is not complete`);
  return ms;
}

async function until(isTrue: () => Promise<boolean>, started: number, message: string): Promise<void> {
  while (!(await isTrue())) {
    if (performance.now() - started > LIMIT_MS) throw new Error(`${message} after ${LIMIT_MS} ms.`);
    await sleep(POLL_MS);
  }
}
