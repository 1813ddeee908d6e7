import { expect } from "chai";
import { sql } from "kysely";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { markRuns, renewLeases } from "../../../src/database/checks/leases.ts";
import { takeSlots } from "../../../src/database/crawl/rate-limits.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { leaseChecks, leaseIsolatedCheck } from "../../../src/transactions/lease-checks.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { engine, fakeRunner } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";

const log = createLogger("error", { program: "test" });
const HOUR_MS = 3_600_000;
const month = "2026-03-01";

/** What the server's clock has set looks, after a jump, as if it had been set an hour earlier or later. */
describe("when a clock jumps by an hour", () => {
  let database: TestDatabase;
  let reportId: string;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    reportId = await insertReport(database.db, { spec: { rateLimit: 10 } });
    await queuePages(database.db, reportId, ["a", "b", "c"]);
  });
  afterEach(() => emptyDatabase(database.db));

  const queue = () => ({ reportId, kind: "html" as const });
  const context = () => ({ ...queue(), spec: reportSpec() });
  const lease = async () => (await leaseChecks(database.db, queue(), 10, month)).checks;
  const jump = (hours: number) =>
    sql`update checks set lease_until = lease_until - make_interval(hours => ${hours})
      where status = 'leased'`.execute(database.db);
  const usage = () => database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();

  for (const [which, hours] of [
    ["forward", 1],
    ["back", -1],
  ] as const) {
    it(`${which}: the database's: a dead checker's checks are free, a living one's results count once`, async () => {
      const held = await lease();
      await markRuns(database.db, held.slice(0, 1));
      await jump(hours);
      const taken = [...(await lease()), ...(await leaseIsolatedCheck(database.db, queue(), month)).checks];
      expect(taken).to.have.length(3);
      const outcome = { kind: "html" as const, engine, issues: [] };
      const record = (leases: typeof held) =>
        recordOutcomes(
          database.db,
          context(),
          leases.map((one) => ({ lease: one, outcome })),
          new Date(),
        );
      expect((await record(held)).size).to.equal(0);
      expect((await record(taken)).size).to.equal(3);
      expect(await usage()).to.deep.equal([{ reserved: 0, charged: 3 }]);
      await expectConsistent(database.db, reportId);
    });

    it(`${which}: the database's: a living checker's next heartbeat keeps its checks`, async () => {
      const held = await lease();
      await jump(hours);
      await renewLeases(database.db, held);
      expect(await lease()).to.deep.equal([]);
    });

    it(`${which}: the checker's: its pages are checked once, as at any time`, async () => {
      let time = Date.now();
      const runner = fakeRunner(() => {
        time += hours * HOUR_MS;
        return { kind: "html", engine, issues: [] };
      });
      const { db, url: databaseUrl } = database;
      const { signal } = new AbortController();
      const now = () => new Date(time);
      expect(await runChecker({ db, databaseUrl, context: context(), runner, log, now, signal })).to.equal(true);
      expect((await usage()).reduce((sum, { reserved, charged }) => sum + reserved + charged, 0)).to.equal(3);
      await expectConsistent(db, reportId);
    });

    it(`${which}: the database's: the rate limit makes nobody wait for an hour`, async () => {
      await takeSlots(database.db, reportId, 10, 1);
      await sql`update rate_limits set next_slot = next_slot - make_interval(hours => ${hours})`.execute(database.db);
      expect((await takeSlots(database.db, reportId, 10, 1)).taken).to.equal(1);
    });
  }
});
