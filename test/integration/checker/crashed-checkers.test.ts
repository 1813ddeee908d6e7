import { expect } from "chai";
import { sql } from "kysely";
import type { EngineRunner, PageTask } from "../../../src/checker/engine.ts";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { type LeasedCheck, markRuns } from "../../../src/database/checks/leases.ts";
import type { CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { failCrashed } from "../../../src/transactions/end-checks.ts";
import { leaseChecks, leaseIsolatedCheck, releaseLeases } from "../../../src/transactions/lease-checks.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { engine } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";

const log = createLogger("error", { program: "test" });
const now = () => new Date("2026-03-15T12:00:00Z");
const month = "2026-03-01";

describe("checks whose checker died", () => {
  let database: TestDatabase;
  let reportId: string;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => emptyDatabase(database.db));

  const queueAs = async (sources: readonly string[]): Promise<void> => {
    reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, sources);
  };
  const queue = () => ({ reportId, kind: "html" as const });
  const lease = async (limit: number) => (await leaseChecks(database.db, queue(), limit, month)).checks;
  const leaseIsolated = async () => (await leaseIsolatedCheck(database.db, queue(), month)).checks;
  /** The holders of all leases are gone, and 20 seconds have passed. */
  const die = () =>
    sql`update checks set lease_until = now() - interval '1 s' where status = 'leased'`.execute(database.db);
  const idsOf = (checks: readonly LeasedCheck[]) => checks.map(({ checkId }) => checkId);
  const context = () => ({ reportId, kind: "html" as const, spec: reportSpec() });

  it("are innocent unless they had begun: those go on beside others, however often it happens", async () => {
    await queueAs(Array(8).fill("a"));
    for (let deaths = 0; deaths < 5; deaths++) {
      expect(await lease(8)).to.have.length(8);
      await die();
      expect(await failCrashed(database.db, context(), now())).to.equal(0);
    }
    const leased = await lease(8);
    await markRuns(database.db, leased.slice(0, 2));
    await die();
    expect(idsOf(await lease(8))).to.deep.equal(idsOf(leased.slice(2)));
  });

  it("are repeated alone when they had begun, one at a time", async () => {
    await queueAs(["a", "b", "c"]);
    const leased = await lease(3);
    await markRuns(database.db, leased.slice(0, 2));
    await die();
    expect(idsOf(await lease(3))).to.deep.equal([leased[2]?.checkId]);
    const isolated = await leaseIsolated();
    expect(isolated.map(({ checkId, alone }) => [checkId, alone])).to.deep.equal([[leased[0]?.checkId, true]]);
    expect(idsOf(await leaseIsolated())).to.deep.equal([leased[1]?.checkId]);
    expect(await leaseIsolated()).to.deep.equal([]);
  });

  it("are innocent when their result only waited to be stored", async () => {
    await queueAs(["a", "b"]);
    const [first, second] = (await lease(2)) as [LeasedCheck, LeasedCheck];
    await markRuns(database.db, [first]);
    expect(await markRuns(database.db, [second], [first])).to.deep.equal(new Set([second.checkId]));
    await die();
    expect(idsOf(await lease(2))).to.deep.equal([first.checkId]);
  });

  it("fail when their checkers died three times while they ran alone, and only then", async () => {
    await queueAs(["poison", "good"]);
    await markRuns(database.db, await lease(1));
    await die();
    for (let deaths = 0; deaths < 3; deaths++) {
      expect(await failCrashed(database.db, context(), now())).to.equal(0);
      const isolated = await leaseIsolated();
      expect(isolated).to.have.length(1);
      // Repeated, as after a connection that was cut while it was recorded.
      await markRuns(database.db, isolated);
      await markRuns(database.db, isolated);
      await die();
    }
    expect(await leaseIsolated()).to.deep.equal([]);
    expect(await failCrashed(database.db, context(), now())).to.equal(1);
    const failed = database.db
      .selectFrom("checks")
      .select(["failure_code", "failure_detail"])
      .where("status", "=", "failed");
    expect(await failed.execute()).to.deep.equal([
      {
        failure_code: "checker_crashed",
        failure_detail: "The checker ended 3 times while checking this page and no other.",
      },
    ]);
    await expectConsistent(database.db, reportId);
  });

  it("do not count a run alone that never began, or that its checker gave back", async () => {
    await queueAs(["a"]);
    await markRuns(database.db, await lease(1));
    await die();
    for (let deaths = 0; deaths < 4; deaths++) {
      expect(await leaseIsolated()).to.have.length(1);
      await die();
      const isolated = await leaseIsolated();
      await markRuns(database.db, isolated);
      await releaseLeases(database.db, isolated);
      expect(await failCrashed(database.db, context(), now())).to.equal(0);
    }
    await expectConsistent(database.db, reportId);
  });

  describe("in the checker", () => {
    /** Runs the checker; `runs` has what it gave to the engine, and what ran at the same time. */
    const run = async (answer: (task: PageTask, alone: boolean) => CheckOutcome) => {
      const runs: { source: string | undefined; alone: boolean; beside: number }[] = [];
      let running = 0;
      const runner: EngineRunner = {
        kind: "html",
        concurrency: 4,
        async check(task, { alone = false }) {
          runs.push({ source: task.document?.source, alone, beside: running });
          running += 1;
          await new Promise((resolve) => setTimeout(resolve, 1));
          running -= 1;
          return answer(task, alone);
        },
        close: async () => {},
      };
      const { signal } = new AbortController();
      const { db, url: databaseUrl } = database;
      const done = await runChecker({ db, databaseUrl, context: context(), runner, log, now, signal });
      expect(done).to.equal(true);
      return runs;
    };
    const fine = (): CheckOutcome => ({ kind: "html", engine, issues: [] });

    it("run alone, in a new process, after all others", async () => {
      await queueAs(["suspect", "suspect", ...Array(20).fill("other")]);
      await markRuns(database.db, await lease(2));
      await die();
      const runs = await run(fine);
      expect(runs.map(({ source }) => source)).to.deep.equal([...Array(20).fill("other"), "suspect", "suspect"]);
      expect(runs.slice(20)).to.deep.equal(Array(2).fill({ source: "suspect", alone: true, beside: 0 }));
      expect(runs.some(({ beside }) => beside > 0)).to.equal(true);
      await expectConsistent(database.db, reportId);
    });

    it("are tried alone at the end when they met a deadline beside others, and once only", async () => {
      await queueAs(["slow", "busy", ...Array(10).fill("other")]);
      const failure = { code: "engine_error", detail: "fake did not finish." } as const;
      const late: CheckOutcome = { kind: "html", failure, deadlineExceeded: true };
      const runs = await run(({ document }, alone) => {
        if (document?.source === "slow") return late;
        return document?.source === "busy" && !alone ? late : fine();
      });
      expect(runs.slice(-2).map(({ source, alone, beside }) => [source, alone, beside])).to.deep.equal([
        ["slow", true, 0],
        ["busy", true, 0],
      ]);
      expect(runs).to.have.length(14);
      const failed = database.db.selectFrom("checks").select("failure_detail").where("status", "=", "failed");
      expect(await failed.execute()).to.deep.equal([{ failure_detail: failure.detail }]);
      expect(await database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute()).to.deep.equal([
        { reserved: 0, charged: 11 },
      ]);
      await expectConsistent(database.db, reportId);
    });

    it("that meet their deadlines by the hundred do not take twice the time", async () => {
      await queueAs(Array(100).fill("slow"));
      const failure = { code: "engine_error", detail: "fake did not finish." } as const;
      const runs = await run(() => ({ kind: "html", failure, deadlineExceeded: true }));
      expect(runs.filter(({ alone }) => alone)).to.have.length(20);
      await expectConsistent(database.db, reportId);
    });
  });
});
