import { expect } from "chai";
import type { Cluster, WatchEvent } from "../../../src/cluster/port.ts";
import { followChanges } from "../../../src/controller/follow-changes.ts";
import { admittedMetadata } from "../../../src/controller/report/admit.ts";
import type { ObjectMeta, ReportResource } from "../../../src/schema/resources.ts";
import { reportResource } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";

/** A Report as a user created it, with nothing of ours. */
const created = reportResource({}, { name: "new", annotations: { a: "1" }, resourceVersion: "2" });
const admitted = { ...created, metadata: { ...admittedMetadata(created.metadata), resourceVersion: "3" } };
/** As an API server sends it: with the names of annotations in order. */
const sorted = (metadata: ObjectMeta) => ({
  ...metadata,
  annotations: Object.fromEntries(Object.entries(metadata.annotations ?? {}).sort()),
});
const last = reportResource({}, { name: "last", resourceVersion: "9" });

/** The keys that may need work, after these versions of a Report. */
async function changesOf(versions: ReportResource[], listed: ReportResource[] = []): Promise<string[]> {
  const stop = new AbortController();
  const keys: string[] = [];
  const fake = {
    list: async () => ({ items: listed, resourceVersion: "1" }),
    async *watch(): AsyncGenerator<WatchEvent<ReportResource>> {
      for (const [index, object] of [...versions, last].entries())
        yield { type: index === 0 ? "ADDED" : "MODIFIED", object: { ...object, metadata: sorted(object.metadata) } };
    },
  };
  await followChanges(fake as unknown as Cluster, "Report", stop.signal, {
    ...{ namespace: "default", log: testLog, afterAdmission: admittedMetadata },
    onChange: (key) => (key === "default/last" ? stop.abort() : keys.push(key)),
  });
  return keys;
}

describe("the changes of Reports", () => {
  it("are told once for a new one, and not for what the controller writes into it", async () => {
    const status = { ...admitted, status: { phase: "Crawling" as const } };
    expect(await changesOf([created, admitted, status])).to.deep.equal(["default/new"]);
  });

  it("are not told for what the controller writes into a listed one", async () => {
    expect(await changesOf([admitted], [created])).to.deep.equal(["default/new"]);
  });

  it("are told when somebody removes what the controller has written", async () => {
    expect(await changesOf([created, admitted, created])).to.deep.equal(["default/new", "default/new"]);
  });

  it("are told for a change of the spec, of labels and of a deletion", async () => {
    const change = (metadata: Partial<ObjectMeta>) => ({
      ...admitted,
      metadata: { ...admitted.metadata, ...metadata },
    });
    const versions = [
      admitted,
      change({ generation: 2 }),
      change({ generation: 2, labels: { x: "y" } }),
      change({ generation: 2, labels: { x: "y" }, deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ];
    expect(await changesOf(versions)).to.have.length(4);
  });
});
