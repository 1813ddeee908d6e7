import { randomBytes } from "node:crypto";
import { expect } from "chai";
import {
  type Cluster,
  ClusterError,
  type ClusterErrorReason,
  isClusterError,
  type NewObject,
  type WatchEvent,
} from "../../src/cluster/port.ts";
import {
  API_VERSION,
  FINALIZER,
  type JobResource,
  type ObjectMeta,
  type ReportResource,
} from "../../src/schema/resources.ts";
import { reportSpec } from "./builders.ts";

/** What a suite run needs of an adapter. */
export type ConformanceCluster = {
  cluster: Cluster;
  namespace: string;
  /** Starts a job runner where the cluster has none; returns a function that stops it. Its pods never end on their own. */
  runJobs?: () => () => Promise<void>;
  close?: () => Promise<void>;
};

/**
 * The behaviour that api and controller rely on, in every adapter. It tests only what a
 * real Kubernetes API server does too: run it on both after every change.
 */
export function describeCluster(name: string, makeCluster: () => Promise<ConformanceCluster>): void {
  describe(`the ${name} cluster`, () => {
    let cluster: Cluster;
    let namespace: string;
    let runJobs: ConformanceCluster["runJobs"];
    let close: (() => Promise<void>) | undefined;

    before(async () => {
      ({ cluster, namespace, runJobs, close } = await makeCluster());
    });
    after(() => close?.());

    const report = (
      metadata: Partial<ObjectMeta> = {},
      spec: Partial<ReportResource["spec"]> = {},
    ): NewObject<ReportResource> => ({
      apiVersion: API_VERSION,
      kind: "Report",
      metadata: { name: uniqueName("report"), namespace, ...metadata },
      spec: reportSpec(spec),
    });
    const job = (metadata: Partial<ObjectMeta> = {}): NewObject<JobResource> => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: uniqueName("job"), namespace, ...metadata },
      spec: {
        parallelism: 0,
        backoffLimit: 2,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "main", image: "example.invalid/none:0", args: ["none"] }],
          },
        },
      },
    });
    const create = (...args: Parameters<typeof report>) => cluster.create<"Report">(report(...args));
    const createJob = (...args: Parameters<typeof job>) => cluster.create<"Job">(job(...args));
    const refetch = async <K extends "Report" | "Job">(kind: K, object: { metadata: ObjectMeta }) => {
      const found = await cluster.get(kind, namespace, object.metadata.name);
      if (!found) throw new Error(`${kind} ${object.metadata.name} is gone`);
      return found;
    };

    describe("objects", () => {
      it("gives a new object a uid, version, generation and time, and returns it", async () => {
        const created = await create({ labels: { a: "1" }, annotations: { b: "2" } });
        const { metadata } = created;
        expect(metadata.uid).to.match(/^[0-9a-f-]{36}$/);
        expect(metadata.resourceVersion).to.not.equal("");
        expect(metadata.generation).to.equal(1);
        expect(Math.abs(Date.parse(metadata.creationTimestamp) - Date.now())).to.be.lessThan(300_000);
        const found = await refetch("Report", created);
        expect(found.metadata.uid).to.equal(metadata.uid);
        expect(found.metadata.labels).to.deep.equal({ a: "1" });
        expect(found.metadata.annotations).to.deep.equal({ b: "2" });
        expect(found.spec).to.deep.equal(reportSpec());
      });

      it("fills in the defaults of a spec", async () => {
        const spec = { startingUrl: "https://example.com/" } as ReportResource["spec"];
        const created = await cluster.create<"Report">({ ...report(), spec });
        expect(created.spec).to.deep.equal(reportSpec());
      });

      it("finds no object that was not created", async () => {
        expect(await cluster.get("Report", namespace, "missing")).to.equal(undefined);
      });

      it("refuses a name that is taken", async () => {
        const first = await create();
        await rejects(create({ name: first.metadata.name }), "AlreadyExists");
      });

      it("frees the name of a deleted object", async () => {
        const first = await create();
        await cluster.delete("Report", namespace, first.metadata.name);
        const second = await create({ name: first.metadata.name });
        expect(second.metadata.uid).to.not.equal(first.metadata.uid);
      });

      it("refuses a spec that the schema does not allow", async () => {
        await rejects(create({}, { maxPages: -1 }), "Invalid");
        await rejects(create({}, { startingUrl: "ftp://example.com/" }), "Invalid");
      });

      it("refuses a spec that breaks a rule over two fields", async () => {
        await rejects(create({}, { performHtmlChecks: false, performA11yChecks: false }), "Invalid");
        await rejects(create({}, { storeIncompleteChecks: true }), "Invalid");
        await rejects(create({}, { a11yDepth: "acting" }), "Invalid");
        const long = Array.from({ length: 101 }, (_, index) => `https://example.com/${index}?`.padEnd(2_000, "x"));
        await rejects(create({}, { initialUrls: long }), "Invalid");
      });

      it("refuses a name that is not a DNS name", async () => {
        await rejects(create({ name: "Not_A_Name" }), "Invalid");
      });

      it("lists a state that is not older than a version", async () => {
        const label = uniqueName("version");
        const one = await create({ labels: { test: label } });
        const two = await create({ labels: { test: label } });
        const { items } = await cluster.list("Report", {
          ...{ namespace, labels: { test: label }, notOlderThan: two.metadata.resourceVersion },
        });
        expect(names(items)).to.have.members([one.metadata.name, two.metadata.name]);
      });

      it("lists by namespace and by labels", async () => {
        const label = uniqueName("list");
        const one = await create({ labels: { test: label, n: "1" } });
        const two = await create({ labels: { test: label, n: "2" } });
        const all = await cluster.list("Report", { namespace, labels: { test: label } });
        expect(names(all.items)).to.have.members([one.metadata.name, two.metadata.name]);
        const second = await cluster.list("Report", { labels: { test: label, n: "2" } });
        expect(names(second.items)).to.deep.equal([two.metadata.name]);
        expect(
          (await cluster.list("Report", { namespace: "kube-public", labels: { test: label } })).items,
        ).to.deep.equal([]);
      });
    });

    describe("changes", () => {
      it("replaces metadata, and raises the generation only for a change of spec", async () => {
        const created = await create();
        const labelled = await cluster.update<"Report">({
          ...created,
          metadata: { ...created.metadata, labels: { x: "y" } },
        });
        expect(labelled.metadata.generation).to.equal(1);
        expect(labelled.metadata.labels).to.deep.equal({ x: "y" });
        const tagged = await cluster.update<"Report">({ ...labelled, spec: { ...labelled.spec, tags: ["new"] } });
        expect(tagged.metadata.generation).to.equal(2);
        expect(tagged.metadata.uid).to.equal(created.metadata.uid);
        expect((await refetch("Report", created)).spec.tags).to.deep.equal(["new"]);
      });

      it("keeps a Report's spec as it is, except for shared, tags and cancelled", async () => {
        const created = await create();
        await rejects(cluster.update<"Report">({ ...created, spec: { ...created.spec, maxPages: 99 } }), "Invalid");
        const spec = { ...created.spec, shared: true, cancelled: true };
        const cancelled = await cluster.update<"Report">({ ...created, spec });
        await rejects(cluster.update<"Report">({ ...cancelled, spec: { ...spec, cancelled: false } }), "Invalid");
      });

      it("refuses a change of a version that is not the current one", async () => {
        const created = await create();
        await cluster.update<"Report">({ ...created, spec: { ...created.spec, shared: true } });
        await rejects(cluster.update<"Report">({ ...created, spec: { ...created.spec, tags: ["late"] } }), "Conflict");
        await rejects(cluster.updateStatus<"Report">({ ...created, status: { phase: "Crawling" } }), "Conflict");
      });

      it("lets only one of many writers of the same version win", async () => {
        const created = await create();
        const outcomes = await Promise.allSettled(
          [1, 2, 3, 4, 5].map((n) =>
            cluster.update<"Report">({ ...created, spec: { ...created.spec, tags: [`t${n}`] } }),
          ),
        );
        expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).to.have.length(1);
      });

      it("keeps status and spec apart", async () => {
        const created = await create();
        const updated = await cluster.updateStatus<"Report">({
          ...created,
          spec: { ...created.spec, shared: true },
          status: { phase: "Crawling", pages: 3 },
        });
        expect(updated.spec.shared).to.equal(false);
        expect(updated.metadata.generation).to.equal(1);
        const changed = await cluster.update<"Report">({
          ...updated,
          spec: { ...updated.spec, shared: true },
          status: { phase: "Failed" },
        });
        expect(changed.status).to.deep.equal({ phase: "Crawling", pages: 3 });
      });

      it("makes no new version for an update that changes nothing", async () => {
        const created = await create();
        const same = await cluster.update<"Report">(created);
        expect(same.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);
      });

      it("does not find a deleted object", async () => {
        const created = await create();
        await cluster.delete("Report", namespace, created.metadata.name);
        await rejects(cluster.update<"Report">({ ...created, spec: { ...created.spec, shared: true } }), "NotFound");
        await rejects(cluster.updateStatus<"Report">({ ...created, status: {} }), "NotFound");
      });

      it("lets a Job's parallelism change, but not its pod template", async () => {
        const created = await createJob();
        // A Job's controller writes its status meanwhile: after a conflict, try again.
        const change = async (edit: (job: JobResource) => void): Promise<JobResource> => {
          for (;;) {
            const job = await refetch("Job", created);
            edit(job);
            try {
              return await cluster.update<"Job">(job);
            } catch (error) {
              if (!isClusterError(error, "Conflict")) throw error;
            }
          }
        };
        const wider = await change((job) => {
          job.spec.parallelism = 1;
          job.spec.suspend = true;
        });
        expect(wider.spec.parallelism).to.equal(1);
        const other = change((job) => {
          for (const container of job.spec.template.spec.containers) container.args = ["other"];
        });
        await rejects(other, "Invalid");
      });
    });

    describe("deletion", () => {
      it("succeeds for a missing object", async () => {
        await cluster.delete("Report", namespace, "missing");
      });

      it("does not delete another object of the same name", async () => {
        const created = await create();
        await rejects(
          cluster.delete("Report", namespace, created.metadata.name, { uid: "00000000-0000-4000-8000-000000000000" }),
          "Conflict",
        );
        await refetch("Report", created);
        await cluster.delete("Report", namespace, created.metadata.name, { uid: created.metadata.uid });
        expect(await cluster.get("Report", namespace, created.metadata.name)).to.equal(undefined);
      });

      it("holds a deleted object until its last finalizer is gone", async () => {
        const created = await create({ finalizers: [FINALIZER] });
        await cluster.delete("Report", namespace, created.metadata.name);
        const held = await refetch("Report", created);
        expect(held.metadata.deletionTimestamp).to.be.a("string");
        const updated = await cluster.updateStatus<"Report">({ ...held, status: { phase: "Failed" } });
        await cluster.update<"Report">({ ...updated, metadata: { ...updated.metadata, finalizers: [] } });
        expect(await cluster.get("Report", namespace, created.metadata.name)).to.equal(undefined);
      });

      it("removes dependents in the background, once their owner is gone", async () => {
        const owner = await create({ finalizers: [FINALIZER] });
        const dependent = await createJob({ ownerReferences: [ownerReference(owner)] });
        await cluster.delete("Report", namespace, owner.metadata.name);
        const held = await refetch("Report", owner);
        await refetch("Job", dependent);
        await cluster.update<"Report">({ ...held, metadata: { ...held.metadata, finalizers: [] } });
        await until(async () => (await cluster.get("Job", namespace, dependent.metadata.name)) === undefined);
      });

      it("removes a dependent that is created after its owner is gone", async () => {
        const owner = await create();
        await cluster.delete("Report", namespace, owner.metadata.name);
        const { name: orphan } = (await createJob({ ownerReferences: [ownerReference(owner)] })).metadata;
        await until(async () => (await cluster.get("Job", namespace, orphan)) === undefined);
      });
    });

    describe("the pods of a Job", () => {
      let stop: (() => Promise<void>) | undefined;

      before(() => {
        stop = runJobs?.();
      });
      after(() => stop?.());

      const scale = (made: JobResource, parallelism: number) =>
        until(async () => {
          const fresh = await refetch("Job", made);
          try {
            await cluster.update<"Job">({ ...fresh, spec: { ...fresh.spec, parallelism } });
            return true;
          } catch (error) {
            if (isClusterError(error, "Conflict")) return false;
            throw error;
          }
        });
      const has = (made: JobResource, active: number) =>
        until(async () => {
          const { status } = await refetch("Job", made);
          return (status?.active ?? 0) === active && (status?.terminating ?? 0) === 0;
        });

      it("follow its parallelism up and down; those that are ended count neither as failed nor as succeeded", async () => {
        const made = await createJob();
        await scale(made, 3);
        await has(made, 3);
        await scale(made, 1);
        await has(made, 1);
        await scale(made, 0);
        await has(made, 0);
        await scale(made, 2);
        await has(made, 2);
        const { status } = await refetch("Job", made);
        expect(status?.failed ?? 0).to.equal(0);
        expect(status?.succeeded ?? 0).to.equal(0);
        expect(status?.conditions ?? []).to.deep.equal([]);
        await cluster.delete("Job", namespace, made.metadata.name);
      });
    });

    describe("watches", () => {
      it("deliver every change after a version, in order", async () => {
        const { resourceVersion } = await cluster.list("Report", { namespace });
        const label = uniqueName("watch");
        const created = await create({ labels: { test: label } });
        const changed = await cluster.update<"Report">({ ...created, spec: { ...created.spec, shared: true } });
        await cluster.updateStatus<"Report">({ ...changed, status: { phase: "Crawling" } });
        await cluster.delete("Report", namespace, created.metadata.name);
        const events = await collect(cluster, { resourceVersion, labels: { test: label } }, 4);
        expect(events.map((event) => event.type)).to.deep.equal(["ADDED", "MODIFIED", "MODIFIED", "DELETED"]);
        expect(events[1]?.object.spec.shared).to.equal(true);
        expect(events[2]?.object.status?.phase).to.equal("Crawling");
      });

      it("deliver changes as they are made", async () => {
        const label = uniqueName("live");
        const { resourceVersion } = await cluster.list("Report", { namespace });
        const events = collect(cluster, { resourceVersion, labels: { test: label } }, 3);
        for (let n = 0; n < 3; n++) await create({ labels: { test: label } });
        expect((await events).map((event) => event.type)).to.deep.equal(["ADDED", "ADDED", "ADDED"]);
      });

      it("resume where another watch ended, without loss and without repetition", async () => {
        const label = uniqueName("resume");
        let { resourceVersion } = await cluster.list("Report", { namespace });
        const made = await Promise.all(Array.from({ length: 9 }, () => create({ labels: { test: label } })));
        const seen: string[] = [];
        while (seen.length < made.length) {
          const events = await collect(cluster, { resourceVersion, labels: { test: label } }, 3);
          for (const { object } of events) {
            seen.push(object.metadata.name);
            resourceVersion = object.metadata.resourceVersion;
          }
        }
        expect(seen).to.have.members(names(made));
      });

      it("deliver a deletion once, with its own version, to those who resume from it", async () => {
        const label = uniqueName("gone");
        const { resourceVersion } = await cluster.list("Report", { namespace });
        const created = await create({ labels: { test: label } });
        const [first] = await collect(cluster, { resourceVersion, labels: { test: label } }, 1);
        await cluster.delete("Report", namespace, created.metadata.name);
        await create({ labels: { test: label } });
        let version = first?.object.metadata.resourceVersion ?? "";
        const types: string[] = [first?.type ?? "none"];
        for (let n = 0; n < 2; n++) {
          const [next] = await collect(cluster, { resourceVersion: version, labels: { test: label } }, 1);
          version = next?.object.metadata.resourceVersion ?? "";
          types.push(next?.type ?? "none");
        }
        expect(types).to.deep.equal(["ADDED", "DELETED", "ADDED"]);
      });

      it("end when the caller aborts them", async () => {
        const { resourceVersion } = await cluster.list("Job", { namespace });
        const stop = new AbortController();
        const ended = (async () => {
          for await (const _ of cluster.watch("Job", { namespace, resourceVersion, signal: stop.signal }));
        })();
        stop.abort();
        await ended;
      });
    });

    describe("events", () => {
      it("are accepted, repeated ones too, about objects that exist and objects that are gone", async () => {
        const about = await create();
        const event = { about, type: "Normal", reason: "Started", message: "It starts." } as const;
        await cluster.record(event);
        await cluster.record(event);
        await cluster.delete("Report", namespace, about.metadata.name);
        await cluster.record({ ...event, type: "Warning", reason: "Late", message: "x".repeat(5_000) });
      });
    });

    async function collect(
      from: Cluster,
      options: { resourceVersion: string; labels?: Record<string, string> },
      count: number,
    ) {
      const stop = new AbortController();
      const events: Exclude<WatchEvent<ReportResource>, { type: "BOOKMARK" }>[] = [];
      for await (const event of from.watch("Report", { namespace, signal: stop.signal, ...options })) {
        if (event.type !== "BOOKMARK") events.push(event);
        if (events.length === count) break;
      }
      stop.abort();
      return events;
    }
  });
}

function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString("hex")}`;
}

function names(objects: (ReportResource | JobResource)[]): string[] {
  return objects.map((object) => object.metadata.name);
}

function ownerReference(owner: ReportResource) {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid };
}

async function rejects(call: Promise<unknown>, reason: ClusterErrorReason): Promise<void> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ClusterError) expect(error.reason).to.equal(reason);
  else throw new Error(`expected a ClusterError ${reason}, got ${error}`);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
