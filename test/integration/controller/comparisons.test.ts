import { expect } from "chai";
import { sql } from "kysely";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import type { ControllerDeps } from "../../../src/controller/deps.ts";
import { withLongStatements } from "../../../src/controller/long-statements.ts";
import { createRecounter } from "../../../src/controller/muting-recounter.ts";
import { type Comparisons, createComparisons } from "../../../src/controller/report/comparisons.ts";
import { DeposedError, registerTerm } from "../../../src/database/connection/leader-term.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { listOutdatedReports } from "../../../src/database/reports/recounts.ts";
import { upsertReport } from "../../../src/database/reports/reports.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import {
  controllerDeps,
  createReport,
  type RunningService,
  startController,
  testLog,
  testSettings,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("a controller's comparisons", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;
  let base: string;
  const running: RunningService[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
    base = await overReport();
    await endReport(database.db, base, "Complete", new Date());
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
    await database.drop();
  });

  /** A report of which nothing is left to do but to end it. @returns its id */
  async function overReport(spec: Parameters<typeof createReport>[2] = {}): Promise<string> {
    const report = await createReport(cluster, account, spec);
    const id = report.metadata.uid;
    await upsertReport(database.db, report, account);
    await sql`update reports set crawl_state = 'ended', phase = 'Crawling' where id = ${id}`.execute(database.db);
    return id;
  }
  const get = (report: ReportResource) => cluster.get("Report", "default", report.metadata.name);
  const row = (id: string) => readProgress(database.db, id);
  const comparisonsOf = async (id: string) =>
    (await sql<{ base_id: string }>`select base_id from comparisons where report_id = ${id}`.execute(database.db)).rows;

  const urlWith = (parameters: Record<string, number>): string => {
    const url = new URL(database.url);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
    return url.href;
  };
  /** Where a statement may wait for as long as a test takes. */
  const patient = () => urlWith({ statement_timeout: 600_000, lock_timeout: 600_000, query_timeout: 600_000 });

  /** While no comparison can be stored, which others can read all the same. */
  const whileStuck = (body: () => Promise<void>): Promise<void> =>
    database.db.transaction().execute(async (trx) => {
      await sql`lock table comparisons in share row exclusive mode`.execute(trx);
      await body();
    });
  const waiting = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database()
        and application_name = 'site-validator comparison' and wait_event_type = 'Lock'`.execute(database.db);
    return rows.length;
  };

  /** Comparisons alone. */
  function compare(options: Partial<ControllerDeps> = {}): { comparisons: Comparisons; woken: string[] } {
    const woken: string[] = [];
    const comparisons = createComparisons(controllerDeps(database, options), (id) => woken.push(id));
    const stop = new AbortController();
    const done = comparisons.run(stop.signal);
    running.push({
      async stop() {
        stop.abort();
        await done;
      },
    });
    return { comparisons, woken };
  }

  it("leave the controller to other reports while they take long, and then end theirs", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await overReport());
    await whileStuck(async () => {
      running.push(startController(database, { databaseUrl: patient() }));
      await eventually(async () => (await waiting()) === 4);
      const other = await createReport(cluster, account);
      const crawling = await eventually(async () => {
        const found = await get(other);
        return found?.status?.phase === "Crawling" && found;
      });
      await cluster.update<"Report">({ ...crawling, spec: { ...crawling.spec, cancelled: true } });
      await eventually(async () => (await get(other))?.status?.stopReason === "Cancelled");
      for (const id of ids) expect((await row(id))?.phase).to.equal("Crawling");
    });
    for (const id of ids) {
      await eventually(async () => (await row(id))?.phase === "Complete");
      expect(await comparisonsOf(id)).to.have.length(1);
    }
  });

  it("leave their slot to other reports while they take long, and say what they do", async () => {
    const id = await overReport();
    await setReport(database.db, id, { num_pages: 3, html_checked: 2, html_failed: 1, html_errors: 7 });
    const resourceOf = async () => {
      const found = await row(id);
      return found && cluster.get("Report", "default", found.name);
    };
    await whileStuck(async () => {
      const settings = { ...testSettings, maxRunningReports: 1 };
      running.push(startController(database, { databaseUrl: patient(), settings }));
      await eventually(async () => (await waiting()) === 1);
      const other = await createReport(cluster, account);
      await eventually(async () => (await get(other))?.status?.phase === "Crawling");
      // The one that has the slot now keeps it.
      const third = await createReport(cluster, account);
      await eventually(async () => (await get(third))?.status?.phase === "Pending");
      const shown = await eventually(async () => {
        const found = await resourceOf();
        return found?.status?.conditions?.some(({ reason }) => reason === "Comparing") && found;
      });
      expect(shown.status).to.deep.include({
        ...{ phase: "Crawling", pages: 3, errors: 7, checks: { pending: 0, checked: 2, failed: 1 } },
      });
      expect(shown.status?.conditions?.find(({ type }) => type === "Complete")).to.deep.include({
        ...{ status: "False", reason: "Comparing" },
        message: "Every page was processed; the report is being compared with the one before it.",
      });
      expect((await row(id))?.completedAt).to.equal(null);
    });
    await eventually(async () => (await resourceOf())?.status?.phase === "Complete");
  });

  it("are made once, however often the report is looked at meanwhile", async () => {
    const id = await overReport();
    const { comparisons, woken } = compare();
    for (let n = 0; n < 3; n++) expect(await comparisons.resultOf(id, testLog)).to.equal(undefined);
    await eventually(() => woken.length > 0);
    expect(await comparisons.resultOf(id, testLog)).to.deep.include({ baseId: base });
    expect(woken).to.deep.equal([id]);
  });

  it("are made again when the report was checked again since", async () => {
    const id = await overReport();
    const { comparisons, woken } = compare();
    await comparisons.resultOf(id, testLog);
    await eventually(() => woken.length === 1);
    await sql`update reports set last_checked_at = now() where id = ${id}`.execute(database.db);
    expect(await comparisons.resultOf(id, testLog)).to.equal(undefined);
    await eventually(() => woken.length === 2);
    expect(await comparisons.resultOf(id, testLog)).to.deep.include({ baseId: base });
  });

  it("are left out where one takes too long, once for each end", async () => {
    const id = await overReport();
    const { comparisons, woken } = compare({ databaseUrl: urlWith({ statement_timeout: 300 }) });
    await database.db.transaction().execute(async (trx) => {
      await sql`lock table comparisons in access exclusive mode`.execute(trx);
      await comparisons.resultOf(id, testLog);
      await eventually(() => woken.length === 1);
    });
    for (let n = 0; n < 2; n++) expect(await comparisons.resultOf(id, testLog)).to.equal("not_compared");
    // On a busy machine the next one may take too long as well.
    const result = await eventually(async () => {
      const before = woken.length;
      comparisons.forget(id);
      expect(await comparisons.resultOf(id, testLog)).to.equal(undefined);
      await eventually(() => woken.length === before + 1);
      const compared = await comparisons.resultOf(id, testLog);
      return compared !== "not_compared" && compared;
    });
    expect(result).to.deep.include({ baseId: base });
  });

  it("do not keep a report from its end when one takes too long: it is not compared, and its gate not passed", async () => {
    const id = await overReport({ spec: { gate: { maxNewErrors: 0 } } });
    await setReport(database.db, id, { html_checked: 1 });
    await whileStuck(async () => {
      running.push(startController(database, { databaseUrl: urlWith({ statement_timeout: 300 }) }));
      await eventually(async () => (await row(id))?.phase === "Complete");
    });
    const { rows } = await sql`
      select comparison_id, gate_results from reports where id = ${id}`.execute(database.db);
    const result = { condition: "max_new_errors", limit: 0, counted: null, passed: null, reason: "not_compared" };
    expect(rows).to.deep.equal([{ comparison_id: null, gate_results: [result] }]);
  });

  it("are made when a page was being checked again at first", async () => {
    const id = await overReport();
    const pending = (count: number) => setReport(database.db, id, { html_pending: count, last_checked_at: new Date() });
    await pending(1);
    const { comparisons, woken } = compare();
    const said: string[] = [];
    await comparisons.resultOf(id, Object.assign(Object.create(testLog), { info: (text: string) => said.push(text) }));
    await eventually(() => said.some((text) => text.startsWith("comparison put off")));
    await pending(0);
    await eventually(() => woken.length === 1);
    expect(await comparisons.resultOf(id, testLog)).to.deep.include({ baseId: base });
  });

  it("are left out where one needs more than there is, after some tries", async () => {
    const id = await overReport();
    await sql`
      create function refuse() returns trigger language plpgsql as $$
        begin raise 'temporary file size exceeds temp_file_limit' using errcode = '53400'; end $$`.execute(database.db);
    await sql`create trigger refuse before insert on comparisons execute function refuse()`.execute(database.db);
    const { comparisons, woken } = compare();
    await comparisons.resultOf(id, testLog);
    await eventually(() => woken.length === 1);
    expect(await comparisons.resultOf(id, testLog)).to.equal("not_compared");
  });

  it("are not used when their report was forgotten meanwhile", async () => {
    const id = await overReport();
    const { comparisons, woken } = compare();
    await whileStuck(async () => {
      await comparisons.resultOf(id, testLog);
      await eventually(async () => (await waiting()) === 1);
      comparisons.forget(id);
    });
    await eventually(async () => (await comparisonsOf(id)).length === 1);
    expect(await comparisons.resultOf(id, testLog)).to.equal(undefined);
    await eventually(() => woken.length === 1);
    expect(await comparisons.resultOf(id, testLog)).to.deep.include({ baseId: base });
  });

  it("are counted again with as much time, when mutings have changed", async () => {
    const id = await overReport();
    const { comparisons, woken } = compare();
    await comparisons.resultOf(id, testLog);
    await eventually(() => woken.length === 1);
    await sql`update accounts set muting_revision = muting_revision + 1`.execute(database.db);
    const stop = new AbortController();
    let recounter: Promise<void> | undefined;
    try {
      await database.db.transaction().execute(async (trx) => {
        await sql`lock table compared_issues in exclusive mode`.execute(trx);
        // Not before the lock: the recount would be over on a busy machine, and nothing would wait.
        recounter = createRecounter(controllerDeps(database)).run(stop.signal);
        await eventually(async () => (await waiting()) === 1);
      });
      await eventually(async () => (await listOutdatedReports(database.db)).length === 0);
    } finally {
      stop.abort();
      await recounter;
    }
  });

  describe("of a leader", () => {
    const { signal } = new AbortController();
    const leader = (term: number) => ({ name: "default/controller", term });

    it("are ended by the next leader: the former one stores nothing, and begins no other", async () => {
      const id = await overReport();
      const { promise: deposed, resolve: onDeposed } = Promise.withResolvers<DeposedError>();
      const term = { leader: leader(7), onDeposed };
      await registerTerm(database.db, leader(7), signal);
      await whileStuck(async () => {
        const { comparisons } = compare({ term, databaseUrl: patient() });
        await comparisons.resultOf(id, testLog);
        await eventually(async () => (await waiting()) === 1);
        // Resolves when the connections of the former leader are closed.
        await registerTerm(database.db, leader(8), signal);
        expect(await waiting()).to.equal(0);
      });
      // It tries again, and is refused.
      expect(await deposed).to.be.instanceOf(DeposedError);
      expect(await comparisonsOf(id)).to.deep.equal([]);
    });

    it("are made while it leads", async () => {
      const id = await overReport();
      await registerTerm(database.db, leader(7), signal);
      const { comparisons, woken } = compare({ term: { leader: leader(7), onDeposed: () => {} } });
      await comparisons.resultOf(id, testLog);
      await eventually(() => woken.length === 1);
      expect(await comparisonsOf(id)).to.have.length(1);
    });
  });

  it("keep to the limits of the controller's connections, but for the time that a statement may take", async () => {
    const databaseLimits = { statementMs: 1_000, lockMs: 2_000 };
    const limits = await withLongStatements(controllerDeps(database, { databaseLimits }), async (db) => {
      const { rows } = await sql`select current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock`.execute(db);
      return rows[0];
    });
    expect(limits).to.deep.equal({ statement: "40s", lock: "2s" });
  });
});
