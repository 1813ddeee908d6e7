import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { CoreResources } from "../../src/cluster/core-resources.ts";
import { type Cluster, ClusterError, type ClusterErrorReason } from "../../src/cluster/port.ts";
import { annotations, type JobResource } from "../../src/schema/resources.ts";
import { eventually, ON_A_CLUSTER } from "./wait.ts";

/** What a suite run needs of an adapter: Jobs of `cluster` become pods in `namespace`. */
export type ConformanceCore = { core: CoreResources; cluster: Cluster; namespace: string; close?: () => Promise<void> };

/**
 * The behaviour that the controller and uninstall rely on, in every adapter. It tests only what a real Kubernetes does
 * too: whoever changes this must run it on both.
 */
export function describeCoreResources(name: string, makeCore: () => Promise<ConformanceCore>): void {
  describe(`the core resources of the ${name} cluster`, () => {
    let core: CoreResources;
    let cluster: Cluster;
    let namespace: string;
    let close: (() => Promise<void>) | undefined;

    before(async () => {
      ({ core, cluster, namespace, close } = await makeCore());
    });
    after(() => close?.());

    const createJob = (parallelism = 0, label = uniqueName("none")) =>
      cluster.create<"Job">({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: uniqueName("job"), namespace },
        spec: {
          parallelism,
          template: {
            metadata: { labels: { test: label, kind: "conformance" } },
            spec: {
              restartPolicy: "Never",
              containers: [{ name: "main", image: "example.invalid/none:0", args: ["wait"] }],
            },
          },
        },
      });
    const remove = ({ metadata }: JobResource) => cluster.delete("Job", namespace, metadata.name);

    describe("namespaces", () => {
      it("have annotations, and none of ours unless somebody set one", async () => {
        expect(await core.annotationsOf(namespace)).not.to.have.property(annotations.account);
      });

      it("are not found if they do not exist", async () => {
        await rejects(core.annotationsOf(uniqueName("missing")), "NotFound");
      });
    });

    describe("pods", () => {
      it("are listed by Job, with its labels and its name, until it is gone", async () => {
        const label = uniqueName("pods");
        const selector = `test=${label},kind=conformance`;
        const job = await createJob(2, label);
        const pods = await eventually(async () => {
          const found = await core.listPods(namespace, selector);
          return found.length === 2 && found.every(({ status }) => status?.phase) ? found : undefined;
        }, ON_A_CLUSTER);
        expect(new Set(pods.map(({ metadata }) => metadata.name)).size).to.equal(2);
        for (const { metadata, status } of pods) {
          expect(metadata.labels).to.deep.include({ test: label, "job-name": job.metadata.name });
          expect(Math.abs(Date.parse(metadata.creationTimestamp) - Date.now())).to.be.lessThan(300_000);
          expect(status?.phase).to.be.oneOf(["Pending", "Running"]);
        }
        expect(await core.listPods(namespace, selector, 1)).to.have.length(1);
        expect(await core.listPods(namespace, `test=${label},kind=other`)).to.deep.equal([]);
        await remove(job);
        await eventually(async () => (await core.listPods(namespace, selector)).length === 0, ON_A_CLUSTER);
      });

      it("have no creation failures if their Job wants none", async () => {
        const job = await createJob(0);
        expect(await core.creationFailures(namespace, job.metadata.uid)).to.deep.equal([]);
        await remove(job);
      });

      it("are an empty list for an unknown label", async () => {
        expect(await core.listPods(namespace, `test=${uniqueName("nothing")}`)).to.deep.equal([]);
      });
    });

    describe("Secrets", () => {
      it("are created, read and deleted", async () => {
        const job = await createJob();
        const name = uniqueName("secret");
        await core.createSecret(job, name, "first: ä");
        const read = await core.readSecret(namespace, name);
        expect(read).to.deep.include({ type: "Opaque", data: { [name]: "first: ä" } });
        await core.deleteSecret(namespace, name);
        expect(await core.readSecret(namespace, name)).to.equal(undefined);
        await remove(job);
      });

      it("may be empty", async () => {
        const job = await createJob();
        const name = uniqueName("empty");
        await core.createSecret(job, name, "");
        expect((await core.readSecret(namespace, name))?.data).to.deep.equal({ [name]: "" });
        await remove(job);
      });

      it("are created if they do not exist, and left alone if they do", async () => {
        const job = await createJob();
        const name = uniqueName("created");
        await core.createSecret(job, name, "first");
        await core.createSecret(job, name, "second");
        expect((await core.readSecret(namespace, name))?.data).to.deep.equal({ [name]: "first" });
        await remove(job);
        await eventually(async () => (await core.readSecret(namespace, name)) === undefined, ON_A_CLUSTER);
      });

      it("are deleted with their Job, also if it is gone already", async () => {
        const job = await createJob();
        const [early, late] = [uniqueName("early"), uniqueName("late")];
        await core.createSecret(job, early, "x");
        await remove(job);
        await core.createSecret(job, late, "x");
        for (const name of [early, late])
          await eventually(async () => (await core.readSecret(namespace, name)) === undefined, ON_A_CLUSTER);
      });

      it("can be read and deleted without an error if they do not exist", async () => {
        const name = uniqueName("missing");
        expect(await core.readSecret(namespace, name)).to.equal(undefined);
        await core.deleteSecret(namespace, name);
      });
    });

    describe("Deployments", () => {
      it("are not found if they do not exist", async () => {
        await rejects(core.scale(namespace, uniqueName("missing"), 0), "NotFound");
      });
    });
  });
}

function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString("hex")}`;
}

async function rejects(call: Promise<unknown>, reason: ClusterErrorReason): Promise<void> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ClusterError) expect(error.reason).to.equal(reason);
  else throw new Error(`expected a ClusterError ${reason}, got ${error}`);
}
