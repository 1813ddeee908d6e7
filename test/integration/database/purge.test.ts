import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { markReportDeleted } from "../../../src/database/reports/reports.ts";
import type { Database } from "../../../src/database/tables.ts";
import { purgeDeletedReports } from "../../../src/transactions/purge.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { insertManyFindings } from "../../support/many-findings.ts";

/** What the rows of a report are in. */
const tables = [
  ...["reports", "web_pages", "checks", "page_sources", "common_issues", "issues", "findings"],
  ...["excluded_urls", "frontier", "comparisons", "compared_issues", "component_lists", "components"],
];

describe("A deleted report is purged", () => {
  let database: TestDatabase;
  const { signal } = new AbortController();

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => emptyDatabase(database.db));

  /** Of two reports of an account, the first is deleted. */
  async function deletedReport(findings: { pages: number; issuesOfPage: number; findingsOfIssue: number }) {
    const accountId = await insertAccount(database.db);
    const [gone, kept] = [
      await insertReport(database.db, { accountId }),
      await insertReport(database.db, { accountId }),
    ];
    await insertManyFindings(database.db, gone, findings);
    await insertManyFindings(database.db, kept, { pages: 2, issuesOfPage: 2, findingsOfIssue: 2 });
    await markReportDeleted(database.db, gone, new Date(0));
    return { gone, kept };
  }
  /** How many rows each table has. */
  async function rows(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const found = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
        database.db,
      );
      counts[table] = found.rows[0]?.count ?? 0;
    }
    return counts;
  }
  /** From now on a statement that deletes more rows of the table than this is cancelled, as by its time limit. */
  async function limit(table: string, rowsPerStatement: number): Promise<void> {
    const count = `nullif(split_part(current_setting('test.deleted', true), '|', 2), '')::int`;
    await sql`create function limit_${sql.raw(table)}() returns trigger language plpgsql as ${sql.lit(`
      declare
        statement text := statement_timestamp()::text;
        n int := 1;
      begin
        if split_part(current_setting('test.deleted', true), '|', 1) = statement then n := ${count} + 1; end if;
        if n > ${rowsPerStatement} then
          raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
        end if;
        perform set_config('test.deleted', statement || '|' || n, false);
        return old;
      end`)}`.execute(database.db);
    await sql`create trigger limited before delete on ${sql.table(table)} for each row
      execute function limit_${sql.raw(table)}()`.execute(database.db);
  }
  const unlimit = (table: string) => sql`drop trigger limited on ${sql.table(table)}`.execute(database.db);
  const purge = (db: Kysely<Database>) => purgeDeletedReports(db, new Date(1), signal);

  it("although deleting all that one page has takes longer than a statement may", async () => {
    const { kept } = await deletedReport({ pages: 1, issuesOfPage: 8, findingsOfIssue: 8 });
    await limit("findings", 39);
    expect(await purge(database.db)).to.equal(1);
    await unlimit("findings");
    const left = await database.db.selectFrom("reports").select("id").execute();
    expect(left).to.deep.equal([{ id: kept }]);
    expect(await rows()).to.include({ web_pages: 2, checks: 2, page_sources: 2, issues: 4, findings: 8 });
    expect(await rows()).to.include({ common_issues: 2 });
  });

  it("although each of its pages takes nearly as long as a statement may", async () => {
    await deletedReport({ pages: 6, issuesOfPage: 1, findingsOfIssue: 1 });
    await limit("web_pages", 1);
    expect(await purge(database.db)).to.equal(1);
    await unlimit("web_pages");
  });

  it("with all that it has, and nothing of others", async () => {
    const { gone, kept } = await deletedReport({ pages: 120, issuesOfPage: 3, findingsOfIssue: 2 });
    for (const [report, base] of [
      [gone, kept],
      [kept, gone],
    ])
      await sql`
        with c as (
          insert into comparisons (report_id, base_id, report_checked_at, base_checked_at)
          values (${report}, ${base}, now(), now()) returning id
        )
        insert into compared_issues (comparison_id, common_id, is_muted, state, how_many, first_seen_at)
        select id, 1, false, 'new', 1, now() from c`.execute(database.db);
    await sql`insert into frontier (report_id, url, position, depth) select ${gone}, n::text, n, 0
      from generate_series(1, 12000) n`.execute(database.db);
    expect(await purge(database.db)).to.equal(1);
    expect(await rows()).to.deep.equal({
      ...{ reports: 1, web_pages: 2, checks: 2, page_sources: 2, common_issues: 2, issues: 4, findings: 8 },
      ...{ excluded_urls: 0, frontier: 0, comparisons: 0, compared_issues: 0, component_lists: 0, components: 0 },
    });
  });

  it("by the next call, where a signal has stopped one", async () => {
    await deletedReport({ pages: 3, issuesOfPage: 2, findingsOfIssue: 2 });
    const stop = new AbortController();
    const stopping = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        stop.abort();
        return result;
      },
    });
    expect(await purgeDeletedReports(stopping, new Date(1), stop.signal)).to.equal(0);
    expect((await rows()).reports).to.equal(2);
    expect(await purge(database.db)).to.equal(1);
  });
});
