import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { openSession } from "../../../src/database/connection/session.ts";
import type { Database } from "../../../src/database/tables.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase, testLimits } from "../../support/database.ts";

/** Findings that are compared, and those of other reports. */
const FINDINGS = 6_000;
const OTHERS = 60_000;
const PER_PAGE = 20;

describe("what is done with the findings of two reports", () => {
  let database: TestDatabase;
  let accountId: string;
  let base: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    accountId = await insertAccount(database.db);
    base = await insertEnded(FINDINGS, PER_PAGE, 1);
    report = await insertEnded(FINDINGS, PER_PAGE, 2);
    await insertEnded(OTHERS, 2, 3);
    await sql`vacuum analyze`.execute(database.db);
  });
  after(() => database.drop());

  /** Pages with one issue each, whose elements are findings; in every run a tenth of them are others. */
  async function insertEnded(findings: number, perPage: number, run: number): Promise<string> {
    const id = await insertReport(database.db, { accountId });
    await sql`update reports set crawl_state = 'ended', last_checked_at = now() where id = ${id}`.execute(database.db);
    await sql`
      with pages as (
        insert into web_pages (report_id, url) select ${id}::uuid, 'https://example.com/' || n
        from generate_series(1, ${findings / perPage}::int) n returning id, url
      ), checks as (
        insert into checks (report_id, web_page_id, kind, status, finished_at)
        select ${id}::uuid, id, 'html', 'checked', now() from pages
      ), common as (
        insert into common_issues (report_id, kind, key, issue_type, rule, message)
        values (${id}::uuid, 'html', 'k'::bytea, 'error', 'rule', 'Message.') returning id
      ), issues as (
        insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many)
        select ${id}::uuid, 'html', pages.id, common.id, 'error', 'rule', 'Message.', '[]', ${perPage}::int from pages, common
        returning id, web_page_id
      )
      insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, tag, path, fingerprint, component, how_many, found_at)
      select ${id}::uuid, i.web_page_id, 'html', i.id, 'rule', 'error', element, element, substr(sha256(concat(p.url, n)::bytea || element), 1, 10),
        element, 1, now()
      from issues i join pages p on p.id = i.web_page_id, generate_series(1, ${perPage}::int) n,
        lateral (select substr(sha256(concat(n, '-', case when n % 10 = 0 then ${run}::int end)::bytea), 1, 10) as element) e`.execute(
      database.db,
    );
    return id;
  }

  /** The tables of which more rows are read one by one than all that the two reports have. */
  async function readAsAWhole(work: (db: Kysely<Database>) => Promise<unknown>): Promise<string[]> {
    const rowsRead = async () => {
      const { rows } = await sql<{ name: string; read: string }>`
        select relname as name, seq_tup_read as read from pg_stat_user_tables`.execute(database.db);
      return new Map(rows.map(({ name, read }) => [name, Number(read)]));
    };
    const before = await rowsRead();
    // Its end reports what it has read.
    const session = await openSession({ ...database, applicationName: "test", limits: testLimits });
    try {
      await work(session.db);
    } finally {
      await session.close();
    }
    const after = await rowsRead();
    const most = (name: string) => (/findings|components/.test(name) ? 4 * FINDINGS : (4 * FINDINGS) / PER_PAGE);
    return [...after].flatMap(([name, read]) => (read - (before.get(name) ?? 0) > most(name) ? [name] : []));
  }

  it("reads nothing of other reports", async () => {
    let compared: Awaited<ReturnType<typeof compareReports>>;
    const whole = await readAsAWhole(async (db) => {
      compared = await compareReports(db, report, base);
      await storeComponents(db, report, compared?.id ?? null);
    });
    expect(compared?.counts.map(({ state }) => state)).to.have.members(["fixed", "new", "persisting"]);
    const { rows } = await sql`select from components where report_id = ${report}`.execute(database.db);
    expect(rows.length).to.be.above(PER_PAGE / 2);
    expect(whole).to.deep.equal([]);
  });
});
