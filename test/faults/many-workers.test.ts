import { expect } from "chai";
import { type Kysely, type KyselyPlugin, sql } from "kysely";
import { createRandom } from "../../packages/html-conformance/comparison/generator/random.ts";
import { runChecker } from "../../src/checker/run-checker.ts";
import { connect } from "../../src/database/connection/connect.ts";
import type { Database } from "../../src/database/tables.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { insertReport, reportSpec } from "../support/builders.ts";
import { readReport } from "../support/check-counts.ts";
import { expectConsistent } from "../support/consistency.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { engine, fakeRunner, htmlIssue } from "../support/fake-runner.ts";
import { queuePages } from "../support/queue-pages.ts";

const CHECKS = 10_000;
const WORKERS = 20;
const KILLS = 100;
const SEED = Number(process.env.SEED ?? 1);

const log = createLogger("error", {});
log.silent = true;

/** A checker's loop with connections of its own, which can die: then none of its statements is sent any more. */
type Life = { name: string; die(): Promise<void>; ended: Promise<void> };

describe("20 workers whose processes are killed 100 times", () => {
  let database: TestDatabase;
  let reportId: string;

  before(async () => {
    database = await createTestDatabase();
    reportId = await insertReport(database.db);
    for (let queued = 0; queued < CHECKS; queued += 1_000)
      await queuePages(
        database.db,
        reportId,
        Array.from({ length: 1_000 }, (_, i) => String(queued + i)),
      );
  });
  after(() => database.drop());

  it("check each of 10,000 pages, and count and charge each once", async () => {
    const random = createRandom(SEED);
    const killAt = Array.from({ length: KILLS }, () => 100 + random.below(CHECKS - 200)).sort((a, b) => a - b);
    const begun = performance.now();
    let runs = 0;
    let alone = 0;
    let births = 0;
    const lives: Life[] = [];

    const startLife = (): Life => {
      const name = `worker ${births++}`;
      const kill = new AbortController();
      let dead = false;
      const plugin: KyselyPlugin = {
        transformQuery({ node }) {
          if (dead) throw new Error("killed");
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const pool = connect({ url: database.url, applicationName: name, maxConnections: 2, onIdleError: () => {} });
      const db: Kysely<Database> = pool.withPlugin(plugin);
      const runner = fakeRunner(async ({ document }) => {
        await new Promise(setImmediate);
        runs += 1;
        const page = Number(document?.source);
        killDue();
        const issues = Array.from({ length: page % 3 }, (_, i) => htmlIssue(`issue ${i}`, 1 + (page % 2)));
        return { kind: "html", engine, issues };
      });
      const counting = {
        ...runner,
        check: (...[task, options]: Parameters<typeof runner.check>) => {
          if (options.alone) alone += 1;
          return runner.check(task, options);
        },
      };
      const ended = runChecker({
        ...{ db, databaseUrl: database.url, runner: counting, log, signal: kill.signal },
        context: { reportId, kind: "html", spec: reportSpec() },
        now: () => new Date(),
      }).then(
        () => pool.destroy(),
        async (error: unknown) => {
          await pool.destroy();
          if (!dead) throw error;
        },
      );
      return {
        name,
        ended,
        async die() {
          dead = true;
          kill.abort(new Error("killed"));
          // The server ends what was under way, as it does for a process that is gone.
          await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = ${name}`.execute(database.db);
        },
      };
    };

    const finished: Promise<void>[] = [];
    const replace = (index: number): void => {
      lives[index] = startLife();
    };
    function killDue(): void {
      while (killAt.length > 0 && runs >= (killAt[0] ?? 0)) {
        killAt.shift();
        const index = random.below(WORKERS);
        const victim = lives[index];
        if (victim) finished.push(victim.die().then(() => victim.ended));
        replace(index);
      }
    }

    for (let index = 0; index < WORKERS; index++) replace(index);
    // Until nobody lives but those that ended by themselves: each ends when no check is left.
    for (let before = -1; before !== births; ) {
      before = births;
      await Promise.all(lives.map(({ ended }) => ended));
    }
    await Promise.all(finished);

    const { db } = database;
    const report = await readReport(db, reportId);
    const usage = await db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();
    const seconds = Math.round((performance.now() - begun) / 1_000);
    console.log(
      `      seed ${SEED}: ${CHECKS} checks, ${WORKERS} workers, ${KILLS - killAt.length} kills, ${runs} runs of the engine, ` +
        `${alone} of them alone; ${report.html_checked} checked, ${report.html_failed} failed, ` +
        `${usage.map(({ charged }) => charged).join()} charged; ${seconds} s`,
    );
    const pages = Array.from({ length: CHECKS }, (_, page) => page);
    const errors = pages.reduce((sum, page) => sum + (page % 3) * (1 + (page % 2)), 0);
    expect(killAt).to.deep.equal([]);
    expect(report).to.include({ html_pending: 0, html_checked: CHECKS, html_failed: 0, html_errors: errors });
    expect(usage).to.deep.equal([{ reserved: 0, charged: CHECKS }]);
    await expectConsistent(db, reportId);
  });
});
