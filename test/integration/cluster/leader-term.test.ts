import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { connect } from "../../../src/database/connection/connect.ts";
import { isConnectionLoss } from "../../../src/database/connection/errors.ts";
import { DeposedError, registerTerm } from "../../../src/database/connection/leader-term.ts";
import { setPhase } from "../../../src/database/reports/progress.ts";
import type { Database } from "../../../src/database/tables.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("a leader's term", () => {
  let database: TestDatabase;
  let report: string;
  const pools: Kysely<Database>[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    report = await insertReport(database.db);
  });
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.destroy();
    await database.drop();
  });

  const { signal } = new AbortController();
  const of = (term: number, name = "default/controller") => ({ name, term });
  /** A leader's way to the database, once it has registered. */
  async function lead(term: number, name?: string): Promise<Kysely<Database>> {
    await registerTerm(database.db, of(term, name), signal);
    return open(term, name);
  }
  function open(term: number, name?: string): Kysely<Database> {
    const options = { applicationName: "leader", maxConnections: 3, onIdleError: () => {} };
    const db = connect({ url: database.url, ...options, leader: of(term, name) });
    pools.push(db);
    return db;
  }
  const phase = async () =>
    (await database.db.selectFrom("reports").select("phase").where("id", "=", report).executeTakeFirstOrThrow()).phase;
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it("lets the leader write", async () => {
    const db = await lead(7);
    await setPhase(db, report, "Crawling");
    expect(await phase()).to.equal("Crawling");
  });

  it("refuses the late write of a leader that was deposed", async () => {
    const former = await lead(7);
    await sql`select 1`.execute(former);
    await lead(8);
    // Its connection is gone; new ones are refused.
    await failure(setPhase(former, report, "Crawling"));
    const error = await failure(setPhase(former, report, "Crawling"));
    expect(error).to.be.instanceOf(DeposedError);
    expect(isConnectionLoss(error)).to.equal(false);
    expect(await phase()).to.equal("Pending");
  });

  it("rolls back the open transactions of a deposed leader before the next one works", async () => {
    const former = await lead(7);
    const error = await failure(
      former.transaction().execute(async (trx) => {
        await setPhase(trx, report, "Crawling");
        await lead(8);
        // Right away: the row is not locked any more.
        await sql`select id from reports for update nowait`.execute(database.db);
      }),
    );
    expect(isConnectionLoss(error), String(error)).to.equal(true);
    expect(await phase()).to.equal("Pending");
  });

  it("cannot be registered once a newer leader has registered", async () => {
    const db = await lead(8);
    const error = await failure(registerTerm(database.db, of(7), signal));
    expect(error)
      .to.be.instanceOf(DeposedError)
      .with.property(
        "message",
        "The leader of default/controller has term 8, and this process has term 7: it no longer leads and writes nothing more.",
      );
    await setPhase(db, report, "Crawling");
    expect(await phase()).to.equal("Crawling");
  });

  it("must be registered before its first connection", async () => {
    expect(await failure(setPhase(open(7), report, "Crawling"))).to.be.instanceOf(DeposedError);
  });

  it("belongs to one Lease: leaders of other Leases go on", async () => {
    const other = await lead(1, "elsewhere/controller");
    await sql`select 1`.execute(other);
    await lead(8);
    await setPhase(other, report, "Crawling");
    expect(await phase()).to.equal("Crawling");
  });

  it("may be registered twice: the response to the first time may have been lost", async () => {
    await lead(7);
    await setPhase(await lead(7), report, "Crawling");
    expect(await phase()).to.equal("Crawling");
  });
});
