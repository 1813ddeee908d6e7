import path from "node:path";
import { kubectl, run } from "./commands.ts";

const clusterScripts = path.resolve(import.meta.dirname, "../../cluster");

/**
 * Before any test: a Kubernetes, and the images of this checkout on it. A machine without
 * any ends here with what is missing; nothing is skipped.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const cluster = path.join(clusterScripts, "cluster.sh");
  const started = Date.now();
  let kubeconfig: string;
  try {
    kubeconfig = (await run(cluster, ["up"], "", { timeoutMs: 25 * 60_000, show: true })).trim();
    process.env.KUBECONFIG = kubeconfig;
    const building = { timeoutMs: 15 * 60_000, show: true };
    const images = (await run(path.join(clusterScripts, "images.sh"), [], "", building)).trim().split("\n");
    await run(cluster, ["load", ...images]);
    // For tests that need no more than the resources; the chart's are the same.
    await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "crds"]);
  } catch (error) {
    // Mocha tears nothing down whose setup failed.
    await mochaGlobalTeardown().catch((failure: Error) => console.error(failure.message));
    throw error;
  }
  console.log(`Cluster and images are ready after ${Math.round((Date.now() - started) / 1000)} s (${kubeconfig}).`);
}

/** After the last test the cluster goes, unless E2E_KEEP says that somebody wants to look at it. */
export async function mochaGlobalTeardown(): Promise<void> {
  if (process.env.E2E_KEEP) return;
  await run(path.join(clusterScripts, "cluster.sh"), ["down"]);
}
