import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { addCounts, readCounts } from "../../../src/database/reports/check-counts.ts";
import { listUnfinished, readProgress } from "../../../src/database/reports/progress.ts";
import type { Database } from "../../../src/database/tables.ts";
import { type CountChanges, noCounts } from "../../../src/domain/findings/check-counts.ts";
import { checkKinds } from "../../../src/domain/findings/findings.ts";
import { endReport, judgeReport } from "../../../src/transactions/end-report.ts";
import { insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("a report's counters", () => {
  let database: TestDatabase;
  let id: string;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    id = await insertReport(database.db, { spec: { gate: { maxErrors: 0 } } });
  });

  const add = (db: Kysely<Database>, changes: CountChanges) =>
    sql`
      with report as (update reports set updated_at = now() where id = ${id} returning id)
      ${addCounts(changes)}`.execute(db);
  const isWaiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      database.db,
    );
    return rows.length > 0;
  };

  /** What `work` returns that waits for a transaction, which changes the counters meanwhile. */
  async function whileOthersCount<Result>(changes: CountChanges, work: () => Promise<Result>): Promise<Result> {
    const waiting = await database.db.transaction().execute(async (trx) => {
      await sql`select from reports where id = ${id} for no key update`.execute(trx);
      const result = work();
      await eventually(isWaiting);
      await add(trx, changes);
      // In an array: this transaction must end first.
      return [result];
    });
    return waiting[0] as Promise<Result>;
  }

  it("are zeros of every kind at first, also of those that it does not perform", async () => {
    expect(await readCounts(database.db, id)).to.deep.equal(noCounts());
    const rows = await database.db.selectFrom("check_counts").select("kind").where("report_id", "=", id).execute();
    expect(rows.map(({ kind }) => kind)).to.have.members([...checkKinds]);
    const unfinished = await listUnfinished(database.db);
    expect(unfinished.find((report) => report.id === id)?.pending).to.deep.equal({ html: 0 });
  });

  it("are zeros where a row is missing", async () => {
    await setReport(database.db, id, { html_errors: 3 });
    await database.db.deleteFrom("check_counts").where("kind", "=", "a11y").where("report_id", "=", id).execute();
    const { html, a11y } = await readCounts(database.db, id);
    expect([html.errors, a11y]).to.deep.equal([3, noCounts().a11y]);
    expect(await readProgress(database.db, id)).to.deep.include({ errors: 3, warnings: 0 });
  });

  it("are exact when many change those of one and of several kinds at once", async () => {
    const both = { html: { pending: 2, errors: 3 }, a11y: { pending: 1, serious: 5 } };
    const { html, a11y } = both;
    const changes: CountChanges[] = [both, { a11y, html }, { html }, { a11y }];
    await Promise.all(Array.from({ length: 40 }, (_, n) => add(database.db, changes[n % changes.length] ?? {})));
    const counts = noCounts();
    Object.assign(counts.html, { pending: 60, errors: 90 });
    Object.assign(counts.a11y, { pending: 30, serious: 150 });
    expect(await readCounts(database.db, id)).to.deep.equal(counts);
  });

  it("are never below zero", async () => {
    const failure = await add(database.db, { html: { pending: -1 } }).catch((error: Error) => error.message);
    expect(failure).to.include("check_counts_pending_check");
  });

  it("keep a report from its end that waited while somebody queued a check", async () => {
    await setReport(database.db, id, { crawl_state: "ended" });
    const end = () => endReport(database.db, id, "Complete", new Date());
    expect(await whileOthersCount({ html: { pending: 1 } }, end)).to.equal(false);
    await add(database.db, { html: { pending: -1 } });
    expect(await end()).to.equal(true);
  });

  it("are judged as they are once those who changed them are done", async () => {
    await setReport(database.db, id, { crawl_state: "ended", phase: "Complete", html_checked: 1 });
    await whileOthersCount({ html: { errors: 4 } }, () =>
      database.db.transaction().execute((trx) => judgeReport(trx, id)),
    );
    const { gate_results } = await database.db
      .selectFrom("reports")
      .select("gate_results")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(gate_results?.map(({ counted, passed }) => ({ counted, passed }))).to.deep.equal([
      { counted: 4, passed: false },
    ]);
  });
});
