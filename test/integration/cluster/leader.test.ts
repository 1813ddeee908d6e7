import { once } from "node:events";
import { expect } from "chai";
import { runAsLeader } from "../../../src/cluster/kubernetes/leader.ts";
import { testLog } from "../../support/controller.ts";
import { type LeaseServer, type LeaseStore, serveLease } from "../../support/lease-server.ts";
import { eventually } from "../../support/wait.ts";

/** Faults that a real API server does not show on request; with a real one: test/e2e/leader.test.ts. */
describe("leader election", () => {
  /** So long that a busy machine does not lose a Lease. */
  const LONG = { leaseDuration: 110_000, renewDeadline: 100_000, retryPeriod: 50 };
  /** For the tests in which a Lease is lost. */
  const SHORT = { leaseDuration: 1_050, renewDeadline: 1_000, retryPeriod: 200 };
  let store: LeaseStore;
  let journal: string[];
  let terms: number[];
  const servers: LeaseServer[] = [];
  const replicas: { stop(): Promise<void> }[] = [];

  beforeEach(() => {
    store = { version: 0, created: Date.parse("2026-01-01T00:00:00Z") };
    journal = [];
    terms = [];
  });
  afterEach(async () => {
    for (const server of servers) server.answer();
    for (const replica of replicas.splice(0)) await replica.stop();
    for (const server of servers.splice(0)) await server.close();
  });

  async function serve(): Promise<LeaseServer> {
    const server = await serveLease(store);
    servers.push(server);
    return server;
  }

  function start({ config }: LeaseServer, identity: string, times = LONG) {
    const stop = new AbortController();
    const options = { config, namespace: "default", name: "controller", identity, log: testLog, times };
    const running = runAsLeader({ ...options, signal: stop.signal }, async (signal, term) => {
      journal.push(`${identity} leads`);
      terms.push(term);
      if (!signal.aborted) await once(signal, "abort");
      journal.push(`${identity} stops`);
    });
    const replica = {
      stop: () => {
        stop.abort();
        return running;
      },
    };
    replicas.push(replica);
    return replica;
  }
  const leads = (times: number) => eventually(() => terms.length >= times);

  it("stops work at the renew deadline even during an attempt: there are never two leaders", async () => {
    const [slow, quick] = [await serve(), await serve()];
    start(slow, "a", SHORT);
    await leads(1);
    start(quick, "b", SHORT);
    slow.hang();
    await eventually(() => journal.includes("b leads"));
    // On a busy machine each may lose the Lease and take it again.
    for (let at = 0; at < journal.length; at += 2) {
      expect(journal[at], journal.join()).to.match(/^[ab] leads$/);
      if (at + 1 < journal.length)
        expect(journal[at + 1], journal.join()).to.equal(journal[at]?.replace("leads", "stops"));
    }
    expect(journal.slice(0, 2)).to.deep.equal(["a leads", "a stops"]);
  });

  describe("gives each leader a higher term than all before it", () => {
    const first = Date.parse("2026-01-01T00:00:00Z") * 1_000;

    it("after a release, another holder and the same one", async () => {
      const server = await serve();
      for (const identity of ["a", "b", "b"]) {
        const replica = start(server, identity);
        await leads(terms.length + 1);
        await replica.stop();
      }
      expect(terms).to.deep.equal([first, first + 1, first + 2]);
    });

    it("a process that lost the Lease and takes it again, although nobody else had it", async () => {
      const server = await serve();
      start(server, "a", SHORT);
      await leads(1);
      server.hang();
      await eventually(() => journal.includes("a stops"));
      server.answer();
      await leads(2);
      expect(terms.slice(0, 2)).to.deep.equal([first, first + 1]);
    });

    it("a process that is restarted under the same name", async () => {
      const server = await serve();
      start(server, "a");
      await leads(1);
      start(server, "a");
      await leads(2);
      expect(terms).to.deep.equal([first, first + 1]);
    });

    it("but the same one as long as the Lease is renewed", async () => {
      const server = await serve();
      start(server, "a");
      await leads(1);
      const { version } = store;
      await eventually(() => store.version > version + 2);
      expect([terms.length, store.lease?.spec.leaseTransitions]).to.deep.equal([1, 0]);
    });

    it("also after the Lease was deleted and created again", async () => {
      const server = await serve();
      const replica = start(server, "a");
      await leads(1);
      await replica.stop();
      store.lease = undefined;
      store.created += 60_000;
      start(server, "b");
      await leads(2);
      expect(terms).to.deep.equal([first, first + 60_000_000]);
    });
  });
});
