import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { createNamespace, imageRepository, kubectl, run } from "./support/commands.ts";
import { applyReport, faultySite, getReport } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const namespace = "site-validator";

describe("the manifests, without Helm", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "manifests-"));
    await cp("manifests", folder, { recursive: true });
    await createNamespace(namespace);
    await createNamespace("private");
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await kubectl(["delete", "reports", "--all", "-n", namespace, "--timeout=60s"]);
    await kubectl(["delete", "namespace", namespace, "private", "--wait=false"]);
    // As other tests found them: their releases must be able to take them.
    await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "crds"]);
  });

  it("install by kubectl apply -k, and a Report's Jobs run", async () => {
    const kinds = ["slim", "browser", "postgres"];
    const data = Object.fromEntries(kinds.map((kind) => [kind, `${imageRepository(kind)}:test`]));
    const annotations = { "config.kubernetes.io/local-config": "true" };
    const images = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "images", annotations }, data };
    await writeFile(path.join(folder, "images.yaml"), JSON.stringify(images));
    await run(path.join(folder, "secrets.sh"), []);
    // The CRDs are there already, from other tests.
    await kubectl(["apply", "--server-side", "--force-conflicts", "-k", folder]);
    for (const component of ["api", "controller"])
      await kubectl(["rollout", "status", "-n", namespace, `deployment/site-validator-${component}`, "--timeout=180s"]);

    const service = `/api/v1/namespaces/${namespace}/services/site-validator-api:80/proxy`;
    expect(JSON.parse(await kubectl(["get", "--raw", `${service}/readyz`]))).to.have.property("status", "ready");

    // They allow no private site: that a crawler says so, and its Report, shows them all at work.
    await applyReport(namespace, "closed", { startingUrl: await deploySite("private", faultySite(1)) });
    await kubectl(["wait", "-n", namespace, "--for=condition=Failed", "--timeout=120s", "report/closed"]);
    const { status } = await getReport(namespace, "closed");
    expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).to.match(/not (a )?public/);
  });
});
