import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { exportPages } from "../../../src/database/findings/export.ts";
import type { Database } from "../../../src/database/tables.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { connectTo, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

const SMALL_REPORTS = 10;
const PAGES = 300;
const ISSUES_OF_PAGE = 20;
const FINDINGS_OF_ISSUE = 5;
const FINDINGS = PAGES * ISSUES_OF_PAGE * FINDINGS_OF_ISSUE;

describe("what is read part by part of a report that is so new that the planner has not counted it", () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let accountId: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    // One connection, whose statistics can be asked for.
    db = connectTo(database.url, 1);
    for (const table of ["findings", "issues", "web_pages", "checks", "compared_findings"])
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db);
    accountId = await insertAccount(db);
    // The planner knows a few pages, and takes those that follow for as few.
    for (let n = 0; n < SMALL_REPORTS; n += 1) await fillReport(db, accountId, 5);
    await sql`analyze`.execute(db);
    const base = await fillReport(db, accountId, PAGES);
    report = await fillReport(db, accountId, PAGES);
    const compared = await compareReports(db, report, base);
    expect(await endReport(db, report, "Complete", new Date(), compared?.id)).to.equal(true);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** How many rows of findings, their states and their issues something reads. */
  async function rowsRead(run: () => Promise<unknown>): Promise<number> {
    const before = await counted();
    await run();
    return (await counted()) - before;
  }
  async function counted(): Promise<number> {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: string }>`
      select sum(seq_tup_read + idx_tup_fetch) as read from pg_stat_user_tables
      where relname in ('findings', 'compared_findings', 'issues')`.execute(database.db);
    return Number(rows[0]?.read);
  }

  it("is exported in one pass", async () => {
    let findings = 0;
    const read = await rowsRead(async () => {
      for await (const page of exportPages(db, report, { muted: false })) findings += page.findings.length;
    });
    expect(findings).to.equal(FINDINGS);
    expect(read).to.be.below(3 * FINDINGS);
  });

  it("is recounted in few passes", async () => {
    await addMuting(db, { accountId, guestToken: null }, mutingOf({ selector: "img.c3" }));
    expect(await rowsRead(() => recountAll(db))).to.be.below(20 * FINDINGS);
  });
});

/** A report that has ended: each page has the same issues, and each of these the same findings. */
async function fillReport(db: Kysely<Database>, accountId: string, pages: number): Promise<string> {
  const id = await insertReport(db, { accountId });
  await sql`
    insert into web_pages (report_id, url)
    select ${id}, 'https://example.com/' || n from generate_series(1, ${pages}::integer) n`.execute(db);
  await sql`
    insert into checks (report_id, web_page_id, kind, status, finished_at, errors, stored_bytes, muting_revision)
    select ${id}, id, 'html', 'checked', now(), ${ISSUES_OF_PAGE * FINDINGS_OF_ISSUE}::integer, 100000, 0
    from web_pages where report_id = ${id}`.execute(db);
  await sql`
    insert into common_issues (report_id, kind, key, issue_type, rule, message, how_many)
    select ${id}, 'html', n::text::bytea, 'error', 'rule-' || n, 'm', ${pages * FINDINGS_OF_ISSUE}::integer
    from generate_series(1, ${ISSUES_OF_PAGE}::integer) n`.execute(db);
  const element = sql`jsonb_build_object('extract', '<img class="c' || k || '">', 'selector', 'img.c' || k,
    'coordinates', jsonb_build_object('first_line', k, 'first_column', 1, 'last_line', k, 'last_column', 9,
      'hilite_start', 0, 'hilite_length', 14))`;
  await sql`
    insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many)
    select ${id}, 'html', w.id, c.id, 'error', c.rule, 'm',
      (select jsonb_agg(${element}) from generate_series(1, ${FINDINGS_OF_ISSUE}::integer) k),
      ${FINDINGS_OF_ISSUE}::integer
    from web_pages w, common_issues c where w.report_id = ${id} and c.report_id = ${id}`.execute(db);
  await sql`
    insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, component,
      how_many, found_at, selector)
    select ${id}, i.web_page_id, 'html', i.id, i.rule, 'error',
      substr(sha256((w.url || i.rule || k)::bytea), 1, 10),
      substr(sha256((i.rule || k)::bytea), 1, 10), 1, now(), 'img.c' || k
    from issues i join web_pages w on w.id = i.web_page_id, generate_series(1, ${FINDINGS_OF_ISSUE}::integer) k
    where i.report_id = ${id}`.execute(db);
  const html_errors = pages * ISSUES_OF_PAGE * FINDINGS_OF_ISSUE;
  await setReport(db, id, { crawl_state: "ended", num_pages: pages, html_checked: pages, html_errors });
  return id;
}
