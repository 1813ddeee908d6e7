import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  createNamespace,
  deleteNamespaces,
  imageRepository,
  isOwnNamespace,
  kubectl,
  run,
} from "./support/commands.ts";
import { applyReport, faultySite, getReport } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const namespace = "site-validator";

const dnsAnywhere = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "dns-anywhere", namespace } },
  spec: {
    podSelector: {},
    policyTypes: ["Egress"],
    egress: [{ ports: ["UDP", "TCP"].map((protocol) => ({ port: 53, protocol })) }],
  },
};

describe("the manifests, without Helm", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "manifests-"));
    // A developer's own passwords are not touched.
    await cp("manifests", folder, { recursive: true, filter: (source) => !source.endsWith(".env") });
    await createNamespace(namespace);
    await createNamespace("private");
  });
  after(async () => {
    const steps = [
      () => rm(folder, { recursive: true, force: true }),
      async () => {
        const reports = ["reports.sitevalidation.io", "--all", "-n", namespace];
        if (await isOwnNamespace(namespace))
          await kubectl(["delete", ...reports, "--ignore-not-found", "--timeout=60s"]);
      },
      () => deleteNamespaces(namespace, "private"),
      // Back to the state before: the releases of other tests must be able to adopt them.
      () => kubectl(["apply", "--server-side", "--force-conflicts", "-f", "crds"]),
    ];
    const failures: Error[] = [];
    for (const step of steps)
      try {
        await step();
      } catch (error) {
        failures.push(error as Error);
      }
    if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("\n"));
  });

  it("are installed by kubectl apply -k, and a Report's Jobs run", async () => {
    const kinds = ["slim", "browser", "postgres"];
    const data = Object.fromEntries(kinds.map((kind) => [kind, `${imageRepository(kind)}:test`]));
    const annotations = { "config.kubernetes.io/local-config": "true" };
    const images = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "images", annotations }, data };
    await writeFile(path.join(folder, "images.yaml"), JSON.stringify(images));
    // A registry's tag may move: a node may have the image of an earlier run.
    const objects = path.join(folder, "install.yaml");
    if (process.env.IMAGE_REGISTRY)
      await writeFile(objects, (await readFile(objects, "utf8")).replaceAll("IfNotPresent", "Always"));
    // A test cluster may have its resolver beside its pods, where the policies do not look for it.
    await kubectl(["apply", "-f", "-"], JSON.stringify(dnsAnywhere));
    await run(path.join(folder, "secrets.sh"), []);
    // The CRDs are there already, from other tests.
    await kubectl(["apply", "--server-side", "--force-conflicts", "-k", folder]);
    for (const component of ["api", "controller"])
      await kubectl(["rollout", "status", "-n", namespace, `deployment/site-validator-${component}`, "--timeout=180s"]);

    const service = `/api/v1/namespaces/${namespace}/services/site-validator-api:80/proxy`;
    expect(JSON.parse(await kubectl(["get", "--raw", `${service}/readyz`]))).to.have.property("status", "ready");

    // The manifests allow no private site. If the crawler and its Report say so, all programs work.
    await applyReport(namespace, "closed", { startingUrl: await deploySite("private", faultySite(1)) });
    await kubectl(["wait", "-n", namespace, "--for=condition=Failed", "--timeout=120s", "report/closed"]);
    const { status } = await getReport(namespace, "closed");
    expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).to.match(/not (a )?public/);
  });
});
