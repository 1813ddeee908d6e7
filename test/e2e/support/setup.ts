import path from "node:path";
import { kubectl, run } from "./commands.ts";

const clusterScripts = path.resolve(import.meta.dirname, "../../cluster");

/**
 * Before any test: provides a Kubernetes cluster with the images of this checkout. A machine without
 * one ends here with a message that says what is missing; nothing is skipped.
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
    // For tests that need only the CRDs; the chart's are the same.
    await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "crds"]);
  } catch (error) {
    // Mocha does not run the teardown if the setup failed.
    await mochaGlobalTeardown().catch((failure: Error) => console.error(failure.message));
    throw error;
  }
  console.log(`Cluster and images are ready after ${Math.round((Date.now() - started) / 1000)} s (${kubeconfig}).`);
}

/** After the last test: stops the cluster, unless E2E_KEEP is set. */
export async function mochaGlobalTeardown(): Promise<void> {
  if (process.env.E2E_KEEP) return;
  await run(path.join(clusterScripts, "cluster.sh"), ["down"]);
}
