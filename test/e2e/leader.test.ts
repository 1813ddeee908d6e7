import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { expect } from "chai";
import type { ApiServerConfig } from "../../src/cluster/kubernetes/api-server-config.ts";
import { runAsLeader } from "../../src/cluster/kubernetes/leader.ts";
import { createApiServer } from "../../src/cluster/kubernetes/request.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { testApiServer } from "./support/api-server.ts";
import { createNamespace, deleteNamespaces } from "./support/commands.ts";

const log = createLogger("error", { program: "test" });
/** A tenth of the real times: the order of events is under test, not their speed. */
const times = { leaseDuration: 1_500, renewDeadline: 1_000, retryPeriod: 200 };

describe("leader election", () => {
  let config: ApiServerConfig;
  const namespace = `leader-${randomBytes(4).toString("hex")}`;

  before(async () => {
    config = testApiServer();
    await createNamespace(namespace);
  });
  after(() => deleteNamespaces(namespace));

  /** A replica that records when it leads; `crash` stops its renewals without releasing the Lease. */
  function replica(name: string, identity: string, journal: string[]) {
    const stop = new AbortController();
    const events = new EventTarget();
    const leads = once(events, "leads");
    const done = runAsLeader({ config, namespace, name, identity, log, signal: stop.signal, times }, async (signal) => {
      journal.push(`${identity} leads`);
      events.dispatchEvent(new Event("leads"));
      if (!signal.aborted) await once(signal, "abort");
      journal.push(`${identity} stops`);
    });
    return { leads, done, stop: () => stop.abort() };
  }

  it("lets one replica lead, and another at once when it ends", async () => {
    const journal: string[] = [];
    const first = replica("handover", "a", journal);
    await first.leads;
    const second = replica("handover", "b", journal);
    first.stop();
    await first.done;
    await second.leads;
    second.stop();
    await second.done;
    expect(journal).to.deep.equal(["a leads", "a stops", "b leads", "b stops"]);
  });

  it("takes over from a replica that stopped renewing, but only after its Lease has expired", async () => {
    const server = createApiServer(config);
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await server.request("POST", path, {
      body: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "abandoned", namespace },
        // A clock far ahead: the times of other machines must not matter.
        spec: { holderIdentity: "gone", leaseDurationSeconds: 2, renewTime: "2099-01-01T00:00:00.000000Z" },
      },
    });
    const journal: string[] = [];
    const next = replica("abandoned", "b", journal);
    await next.leads;
    next.stop();
    await next.done;
    expect(journal).to.deep.equal(["b leads", "b stops"]);
  });

  it("stops leading when another replica holds the Lease", async () => {
    const journal: string[] = [];
    const robbed = replica("robbed", "a", journal);
    await robbed.leads;
    const server = createApiServer(config);
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/robbed`;
    await server.request("PATCH", path, {
      contentType: "application/merge-patch+json",
      body: { spec: { holderIdentity: "thief" } },
    });
    while (!journal.includes("a stops")) await new Promise((resolve) => setTimeout(resolve, 20));
    robbed.stop();
    await robbed.done;
    expect(journal.slice(0, 2)).to.deep.equal(["a leads", "a stops"]);
  });
});
