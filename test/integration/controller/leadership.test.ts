import { once } from "node:events";
import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { runWithLeadership } from "../../../src/controller/leadership.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { setPhase } from "../../../src/database/reports/progress.ts";
import type { Database } from "../../../src/database/tables.ts";
import { insertReport } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { type LeaseServer, type LeaseStore, serveLease } from "../../support/lease-server.ts";
import { eventually } from "../../support/wait.ts";

/** No Lease is lost here, even if a test's clock runs faster. */
const times = { leaseDuration: 110_000_000, renewDeadline: 100_000_000, retryPeriod: 50 };

describe("the leadership of a controller", () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let server: LeaseServer;
  let report: string;
  let db: Kysely<Database>;
  let leaders: Kysely<Database>[];
  let stop: AbortController;
  let running: Promise<unknown>;

  beforeEach(async () => {
    database = await createTestDatabase();
    report = await insertReport(database.db);
    proxy = await faultProxy(database.url);
    const store: LeaseStore = { version: 0, created: Date.parse("2026-01-01T00:00:00Z") };
    server = await serveLease(store);
    db = connect(connection());
    leaders = [];
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await db.destroy();
    await proxy.cut();
    await server.close();
    await database.drop();
  });

  const connection = () => ({ url: proxy.url, applicationName: "leader", maxConnections: 2, onIdleError: () => {} });

  /** Leads until the test ends. */
  function start(): void {
    const lease = { config: server.config, namespace: "default", name: "controller", identity: "a" };
    const election = { ...lease, log: testLog, times, signal: stop.signal };
    running = runWithLeadership({ election, connection: connection(), db }, async (leader, leading) => {
      leaders.push(leader);
      while (!leading.aborted) {
        await sql`select 1`.execute(leader).catch(() => {});
        await Promise.race([once(leading, "abort"), new Promise((resolve) => setTimeout(resolve, 10))]);
      }
    }).catch((error: unknown) => error);
  }
  const term = async () => {
    const row = await database.db.selectFrom("leader_terms").select("term").executeTakeFirst();
    return Number(row?.term);
  };

  for (const [what, change] of [
    ["has a lower term", sql`update leader_terms set term = 1`],
    ["has no term", sql`delete from leader_terms`],
  ] as const)
    it(`starts again with a higher term when the database was restored and ${what}`, async () => {
      start();
      await eventually(() => leaders.length === 1);
      const before = await term();
      await change.execute(database.db);
      await proxy.cut();
      await proxy.mend();
      await eventually(() => leaders.length === 2);
      expect(await term()).to.be.above(before);
      await setPhase(leaders[1] as Kysely<Database>, report, "Crawling");
    });

  it("waits for a database that is unreachable for longer than a minute", async () => {
    const now = performance.now.bind(performance);
    const began = now();
    try {
      // A minute passes in 0.3 s.
      performance.now = () => began + (now() - began) * 200;
      await proxy.cut();
      start();
      const isAway = eventually(() => performance.now() - began > 600_000);
      expect(await Promise.race([running, isAway]), "still waiting").to.equal(true);
      await proxy.mend();
      await eventually(() => leaders.length === 1);
    } finally {
      performance.now = now;
    }
  });
});
