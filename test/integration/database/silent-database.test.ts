import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { subscribe } from "../../../src/database/connection/client.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { isConnectionLoss } from "../../../src/database/connection/errors.ts";
import { openSession } from "../../../src/database/connection/session.ts";
import { holdSingleInstanceLock } from "../../../src/database/connection/single-instance-lock.ts";
import type { Database } from "../../../src/database/tables.ts";
import { accountWithToken, startTestApi } from "../../support/api.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { createReport, startController, testLog } from "../../support/controller.ts";
import { pageOf, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openStream } from "../../support/event-stream.ts";
import { engine, fakeRunner } from "../../support/fake-runner.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

/** A fraction of the defaults: the test is about what happens, not how long it takes. */
const limits = { connectMs: 1_000, statementMs: 900, lockMs: 800, queryMs: 1_000, heartbeatMs: 50 };
const NEVER = 600_000;

/**
 * Packets vanish, and neither end of the connection notices. Then the network is back, but
 * not for the earlier connections.
 */
describe("with a database that falls silent", () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let db: Kysely<Database>;

  beforeEach(async () => {
    database = await createTestDatabase();
    proxy = await faultProxy(database.url);
    db = open();
  });
  afterEach(async () => {
    await db.destroy();
    await proxy.cut();
    await database.drop();
  });

  const open = (maxConnections = 5) =>
    connect({ url: proxy.url, applicationName: "silent", limits, maxConnections, onIdleError: () => {} });
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it("a pool gives up a connection that does not answer, and makes another", async () => {
    const single = open(1);
    try {
      await sql`select 1`.execute(single);
      proxy.swallow();
      const requests = [
        sql`select 1`.execute(single),
        single.transaction().execute((trx) => sql`select 1`.execute(trx)),
      ];
      for (const error of await Promise.all(requests.map(failure)))
        expect(isConnectionLoss(error), String(error)).to.equal(true);
      await proxy.mend();
      // On a busy machine a new connection may take longer than its limit, too.
      const { rows } = await eventually(() => sql`select 2 as two`.execute(single).catch(() => false as const));
      expect(rows).to.deep.equal([{ two: 2 }]);
    } finally {
      await single.destroy();
    }
  });

  it("a transaction whose connection does not answer reports the lost connection, once", async () => {
    const error = await failure(
      db.transaction().execute(async (trx) => {
        await sql`select 1`.execute(trx);
        proxy.swallow();
        await sql`select 1`.execute(trx);
      }),
    );
    expect(isConnectionLoss(error), String(error)).to.equal(true);
  });

  it("a statement that waits too long for a lock is ended by the server, and may be tried again", async () => {
    // Only the wait for the lock has a limit here that a busy machine could meet.
    const waiting = connect({
      ...{ url: database.url, applicationName: "silent", maxConnections: 1, onIdleError: () => {} },
      limits: { lockMs: 100, statementMs: 300_000, queryMs: 310_000 },
    });
    try {
      await database.db.transaction().execute(async (trx) => {
        await sql`lock table reports`.execute(trx);
        const error = await failure(waiting.selectFrom("reports").selectAll().execute());
        expect(error).to.have.property("code", "55P03");
        expect(isConnectionLoss(error)).to.equal(true);
      });
    } finally {
      await waiting.destroy();
    }
  });

  it("a subscription goes on with another connection", async () => {
    const stop = new AbortController();
    const heard: string[] = [];
    let connections = 0;
    const losses: unknown[] = [];
    const subscribed = subscribe(["one", "two"], {
      ...{ url: proxy.url, applicationName: "silent", limits, signal: stop.signal },
      onNotification: (payload, channel) => heard.push(`${channel} ${payload}`),
      onConnected: () => void connections++,
      onLoss: (error) => losses.push(error),
    });
    await eventually(() => connections === 1);
    proxy.swallow();
    await eventually(() => losses.length > 0);
    await proxy.mend();
    await eventually(() => connections === 2);
    await sql`select pg_notify('one', 'a'), pg_notify('two', 'b')`.execute(database.db);
    await eventually(() => heard.length === 2);
    expect(heard).to.deep.equal(["one a", "two b"]);
    stop.abort();
    await subscribed;
  });

  it("a session closes without the server's goodbye", async () => {
    const session = await openSession({ url: proxy.url, applicationName: "silent", limits });
    proxy.swallow();
    await session.close();
    await session.closed;
  });

  it("the API answers 503, and works again with the network", async () => {
    const { token } = await accountWithToken(database);
    const api = await startTestApi({ ...database, db, url: proxy.url });
    const list = () => api.as(token)("GET", "/reports");
    try {
      await eventually(async () => (await list()).status === 200);
      proxy.swallow();
      const refused = await list();
      expect([refused.status, refused.json.errors[0]?.code], refused.text).to.deep.equal([503, "unavailable"]);
      await proxy.mend();
      await eventually(async () => (await list()).status === 200);
    } finally {
      await api.close();
    }
  });

  it("the API gets notifications of changes again", async () => {
    const { token, accountId } = await accountWithToken(database);
    const id = await insertReport(database.db, { accountId });
    const watchLimits = { look: NEVER, heartbeat: NEVER, spacing: 0 };
    const options = { databaseUrl: proxy.url, databaseLimits: limits, watchLimits };
    const api = await startTestApi(database, options);
    const stream = await openStream(`${api.url}/api/v1/reports/${id}/events`, {
      accept: "text/event-stream",
      authorization: `Bearer ${token}`,
    });
    const listening = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'site-validator api (listen)'
        and query = 'select 1'`.execute(database.db);
      return rows.length === 1;
    };
    const pages = () =>
      stream.events
        .filter(({ event }) => event === "report")
        .map(({ data = "" }) => JSON.parse(data).data.attributes.num_pages);
    try {
      await eventually(async () => pages().length > 0 && (await listening()));
      proxy.swallow();
      await eventually(() =>
        api.logged.some(({ message }) => message === "cannot listen for notifications of the database"),
      );
      // Without a notification: whoever connects again has to look.
      await database.db.updateTable("reports").set({ num_pages: 7 }).where("id", "=", id).execute();
      await proxy.mend();
      await eventually(() => pages().includes(7));
    } finally {
      stream.leave();
      await api.close();
    }
  });

  it("the controller goes on", async () => {
    const account = await insertAccount(database.db);
    const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const controller = startController(database, {
      ...{ db, databaseUrl: proxy.url, databaseLimits: limits },
      cluster: createLocalCluster(db, { url: proxy.url, log: testLog, limits }),
    });
    const crawling = ({ metadata }: { metadata: { name: string } }) =>
      eventually(
        async () => (await cluster.get("Report", "default", metadata.name))?.status?.phase === "Crawling" || undefined,
      );
    try {
      await crawling(await createReport(cluster, account));
      proxy.swallow();
      const missed = await createReport(cluster, account);
      expect(await failure(sql`select 1`.execute(db))).to.be.instanceOf(Error);
      await proxy.mend();
      await crawling(missed);
    } finally {
      await controller.stop();
    }
  });

  it("a crawl goes on where it was, although the server still holds the lost connection's lock", async () => {
    const others = Array.from({ length: 30 }, (_, n) => `/${n}`);
    let requests = 0;
    const site = await serveSite({
      "/": pageOf(...others),
      "*": async (_request, response) => {
        if (++requests === 15) {
          proxy.swallow();
          expect(await failure(sql`select 1`.execute(db))).to.be.instanceOf(Error);
          await proxy.mend();
        }
        response.writeHead(200, { "content-type": "text/html" }).end(pageOf());
      },
    });
    try {
      const reportId = await insertReport(database.db, {
        spec: { startingUrl: site.url, maxPages: 0, rateLimit: 1_000 },
      });
      expect(await runCrawl({ ...database, url: proxy.url }, reportId, { limits })).to.equal(true);
      const { urls, report } = await readCrawl(database.db, reportId);
      expect(urls).to.deep.equal([site.url, ...others.map((path) => `${site.origin}${path}`)]);
      expect(report).to.include({ crawl_state: "ended", num_pages: 31 });
    } finally {
      await site.close();
    }
  });

  it("a checker stores what it found", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a", "b", "c"]);
    let fell = false;
    const runner = fakeRunner(async () => {
      if (!fell) {
        fell = true;
        proxy.swallow();
        expect(await failure(sql`select 1`.execute(db))).to.be.instanceOf(Error);
        await proxy.mend();
      }
      return { kind: "html", engine, issues: [] };
    });
    const done = await runChecker({
      ...{ db, databaseUrl: proxy.url, databaseLimits: limits, runner, log: testLog },
      context: { reportId, kind: "html", spec: reportSpec() },
      now: () => new Date(),
      signal: new AbortController().signal,
    });
    expect(done).to.equal(true);
    const checks = await database.db.selectFrom("checks").select(["status", "attempts"]).execute();
    expect(checks).to.deep.equal(Array(3).fill({ status: "checked", attempts: 1 }));
  });

  it("a service takes its lock again, and no other can take it meanwhile", async () => {
    const lost: Error[] = [];
    const lock = await holdSingleInstanceLock(proxy.url, testLog, limits);
    lock.lost.then((error) => lost.push(error));
    const holders = async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_locks l join pg_stat_activity a using (pid)
        where locktype = 'advisory' and granted and datname = current_database()`.execute(database.db);
      return rows.map(({ pid }) => pid);
    };
    const [before] = await holders();
    proxy.swallow();
    await proxy.mend();
    await eventually(async () => (await holders()).some((pid) => pid !== before));
    expect(await holders()).to.have.length(1);
    const error = await failure(holdSingleInstanceLock(database.url, testLog));
    expect(String(error)).to.include("Another site-validator runs on this database");
    expect(lost).to.deep.equal([]);
    await lock.release();
  });

  it("a subscription ends without the server's goodbye", async () => {
    const stop = new AbortController();
    let connected = () => {};
    const subscribed = subscribe(["one"], {
      ...{ url: proxy.url, applicationName: "silent", limits: { ...limits, heartbeatMs: NEVER, queryMs: NEVER } },
      signal: stop.signal,
      onNotification: () => {},
      onConnected: () => connected(),
      onLoss: () => {},
    });
    await new Promise<void>((resolve) => {
      connected = resolve;
    });
    proxy.swallow();
    stop.abort();
    await subscribed;
  });
});
