import { expect } from "chai";
import { sql } from "kysely";
import pg from "pg";
import { connect } from "../../../src/database/connection/connect.ts";
import { accountWithToken, guestWithToken, type Reply, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

/** As many as the program `api` has. */
const POOL = 10;

describe("the API's database connections", () => {
  let database: TestDatabase;
  let api: TestApi;
  let pool: TestDatabase["db"];
  let locker: pg.Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    const url = new URL(database.url);
    // The lock below is held as long as the test needs it, on a busy machine, too.
    for (const limit of ["lock_timeout", "statement_timeout", "query_timeout"]) url.searchParams.set(limit, "600000");
    const limits = { connectMs: 600_000 };
    pool = connect({ url: url.href, applicationName: "shares", maxConnections: POOL, limits, onIdleError: () => {} });
    api = await startTestApi({ ...database, db: pool }, { databaseUrl: database.url });
    locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
  });
  afterEach(async () => {
    await locker.query("rollback");
    await locker.end();
    await api.close();
    await pool.destroy();
    await database.drop();
  });

  /** How many of the API's statements wait for a lock. */
  async function held(): Promise<number> {
    const { rows } = await sql<{ held: number }>`
      select count(*)::integer as held from pg_stat_activity
      where datname = current_database() and application_name = 'shares' and wait_event_type = 'Lock'
    `.execute(database.db);
    return rows[0]?.held ?? 0;
  }

  /** Waits until no more statements get stuck: requests that could take a connection have taken it. */
  async function untilAllAreHeld(atLeast: number): Promise<number> {
    let last = -1;
    let same = 0;
    return eventually(async () => {
      const now = await held();
      same = now === last ? same + 1 : 0;
      last = now;
      return same >= 10 && now >= atLeast && now;
    });
  }

  /** Every kind of request of one caller that needs the table of reports, many of each. */
  function flood(token: string, reports: string[]): Promise<Reply>[] {
    const call = api.as(token);
    const [report = "", other = ""] = reports;
    return Array.from({ length: 6 }, (_, number) => [
      call("POST", "/reports", {
        attributes: { starting_url: "https://example.com/" },
        headers: { "idempotency-key": `flood-${number}` },
      }),
      call("POST", `/mutings/preview?report_id=${report}`, { attributes: { rule: "r" } }),
      call("GET", `/reports/${report}/comparison?base=${other}`),
      call("GET", `/reports/${report}/findings`),
      call("GET", `/reports/${report}/export.csv`),
      call("GET", "/reports"),
    ]).flat();
  }

  async function accounts(count: number) {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const made = await accountWithToken(database);
        const reports = await Promise.all([1, 2].map(() => insertReport(database.db, { accountId: made.accountId })));
        return { ...made, reports };
      }),
    );
  }

  it("are left for others and for probes while every kind of request of three accounts is stuck", async () => {
    const [one, two, three, other] = await accounts(4);
    if (!one || !two || !three || !other) throw new Error("no accounts");
    await locker.query("begin; lock table reports in access exclusive mode");
    const stuck = [one, two, three].flatMap(({ token, reports }) => flood(token, reports));
    const stuckStatements = await untilAllAreHeld(3);
    expect(stuckStatements).to.be.lessThan(POOL);
    for (let time = 0; time < 3; time++) {
      const calls = [api.as(other.token)("GET", "/api_tokens"), api.as(other.token)("GET", "/basic_auths")];
      for (const reply of await Promise.all(calls)) expect(reply.status).to.equal(200);
      expect((await api.as(undefined)("GET", "//readyz")).status).to.equal(200);
    }
    await locker.query("rollback");
    // Nothing failed: what had to wait for a place was done, or told to come back.
    const statuses = new Set((await Promise.all(stuck)).map(({ status }) => status));
    expect([200, 201, 429]).to.include.members([...statuses]);
  });

  it("are not taken for the most part by one account, nor by its guests together what is their host's", async () => {
    const [host, other] = await accounts(2);
    if (!host || !other) throw new Error("no accounts");
    const guests = await Promise.all([1, 2, 3, 4].map(() => guestWithToken(database, host.accountId)));
    await locker.query("begin; lock table reports in access exclusive mode");
    const stuck = guests.flatMap(({ token }) => flood(token, host.reports));
    expect(await untilAllAreHeld(1)).to.be.at.most(POOL / 2);
    expect((await api.as(host.token)("GET", "/api_tokens")).status).to.equal(200);
    stuck.push(...flood(host.token, host.reports));
    await untilAllAreHeld(2);
    expect((await api.as(other.token)("GET", "/api_tokens")).status).to.equal(200);
    await locker.query("rollback");
    await Promise.all(stuck);
  });

  it("serve an account again when its statements have ended", async () => {
    const [account] = await accounts(1);
    if (!account) throw new Error("no account");
    await locker.query("begin; lock table reports in access exclusive mode");
    const stuck = Array.from({ length: 30 }, () => api.as(account.token)("GET", "/reports"));
    expect(await untilAllAreHeld(1)).to.be.at.most(POOL / 2);
    await locker.query("rollback");
    for (const { status } of await Promise.all(stuck)) expect(status).to.equal(200);
  });
});
