import { expect } from "chai";
import { sql } from "kysely";
import type { FindingFilter } from "../../../src/database/findings/findings.ts";
import { listComponents } from "../../../src/database/findings/list-components.ts";
import { type ComponentSort, componentSortKeys } from "../../../src/domain/findings/components.ts";
import { renewComponents, storeComponents } from "../../../src/transactions/store-components.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const byPages: ComponentSort = { key: "pages", direction: "desc" };
const page = { limit: 25, offset: 0 };

/** More findings than are grouped for each request. */
const PAGES = 60;
const OF_PAGE = 100;

describe("the components of a large report", () => {
  let database: TestDatabase;
  let report: string;
  let comparisonId: string;

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    const accountId = await insertAccount(database.db);
    report = await insertReport(database.db, { accountId });
    comparisonId = await insertManyFindings();
  });
  after(() => database.drop());

  /** Findings of 37 components of five rules, of which some are muted; a third of them are new, of some only a part. */
  async function insertManyFindings(): Promise<string> {
    await sql`
      with pages as (
        insert into web_pages (report_id, url) select ${report}::uuid, 'https://example.com/' || n
        from generate_series(1, ${PAGES}::int) n returning id
      ), common as (
        insert into common_issues (report_id, kind, key, issue_type, rule, message)
        values (${report}::uuid, 'html', 'k'::bytea, 'error', 'rule', 'Message.') returning id
      ), issues as (
        insert into issues (report_id, kind, web_page_id, common_id, issue_type, rule, message, html, how_many)
        select ${report}::uuid, 'html', pages.id, common.id, 'error', 'rule', 'Message.', '[]', ${OF_PAGE}::int from pages, common
        returning id, web_page_id
      )
      insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, impact_order, fingerprint, component,
        how_many, muting_id, found_at)
      select ${report}::uuid, i.web_page_id, 'html', i.id, 'rule-' || c % 5, case c % 3 when 0 then 'warning' else 'error' end,
        nullif(c % 5, 0), substr(sha256((i.id || '-' || n)::bytea), 1, 10), substr(sha256(c::text::bytea), 1, 10), 1 + n % 3,
        case when n % 11 = 0 then 1 end, now()
      from issues i, generate_series(1, ${OF_PAGE}::int) n, lateral (select (n * 7 + i.id % 3) % 37 as c) components`.execute(
      database.db,
    );
    const base = await insertReport(database.db, { accountId: await insertAccount(database.db) });
    const { rows } = await sql<{ id: string }>`
      insert into comparisons (report_id, base_id, report_checked_at, base_checked_at)
      values (${report}, ${base}, now(), now()) returning id`.execute(database.db);
    const id = rows[0]?.id ?? "";
    await sql`
      insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
      select ${id}::bigint, f.id, s.state, s.how_many, now() from findings f, lateral (
        values ('persisting', case when f.id % 3 = 0 then f.how_many - 1 else f.how_many end),
          ('new', case when f.id % 3 = 0 then 1 else 0 end)
      ) as s (state, how_many)
      where f.report_id = ${report} and s.how_many > 0`.execute(database.db);
    await sql`update reports set comparison_id = ${id}::bigint where id = ${report}`.execute(database.db);
    // As a comparison does.
    await sql`analyze findings, compared_findings`.execute(database.db);
    return id;
  }

  const filters: [string, Partial<FindingFilter>][] = [
    ["all", {}],
    ["muted ones", { muted: true }],
    ["those of a rule", { rule: "rule-2" }],
    ["errors", { issueType: "error" }],
    ["serious ones", { impact: "serious" }],
    ["new ones", { state: "new" }],
    ["those that persist", { state: "persisting" }],
    [
      "muted warnings of a rule that persist",
      { muted: true, issueType: "warning", rule: "rule-3", state: "persisting" },
    ],
    ["those that are unknown, of which there are none", { state: "unknown" }],
  ];
  const list = async (filter: Partial<FindingFilter> = {}, sort = byPages, at = page) => {
    const { rows, ...listed } = await listComponents(
      database.db,
      report,
      { comparisonId, muted: false, ...filter },
      sort,
      at,
    );
    // Roles are known once components are stored.
    return { ...listed, rows: rows.map((row) => ({ ...row, example: { ...row.example, role: null } })) };
  };
  /** Each is shown by more pages than it has where it is read from what is stored. */
  const markStored = () => sql`update components set num_pages = num_pages + 1000`.execute(database.db);
  const pagesOf = async (filter: Partial<FindingFilter>, sort?: ComponentSort) =>
    (await list(filter, sort)).rows.map(({ num_pages }) => num_pages);

  for (const [name, filter] of filters)
    it(`are the same, stored or grouped, in every order: ${name}`, async () => {
      const sorts = componentSortKeys.flatMap((key) =>
        (["asc", "desc"] as const).map((direction) => ({ key, direction })),
      );
      const pages = [page, { limit: 5, offset: 3 }];
      const read = async () => {
        const lists = [];
        for (const sort of sorts) for (const at of pages) lists.push(await list(filter, sort, at));
        return lists;
      };
      const grouped = await read();
      await storeComponents(database.db, report, comparisonId);
      expect(await read()).to.deep.equal(grouped);
      await markStored();
      if (filter.state !== "unknown")
        expect(Math.min(...(await pagesOf(filter, { key: "impact", direction: "asc" })))).to.be.above(1000);
    });

  it("are grouped for a state of another comparison than the report's own", async () => {
    await storeComponents(database.db, report, null);
    await markStored();
    expect(Math.max(...(await pagesOf({ state: "new" })))).to.be.below(1000);
    expect(Math.min(...(await pagesOf({ rule: "rule-1" })))).to.be.above(1000);
  });

  it("are grouped by type and impact where findings of one differ in them", async () => {
    await sql`update findings set issue_type = 'warning' where id = (select min(id) from findings where report_id = ${report})`.execute(
      database.db,
    );
    await storeComponents(database.db, report, comparisonId);
    await markStored();
    expect(Math.max(...(await pagesOf({ issueType: "error" })))).to.be.below(1000);
    expect(Math.min(...(await pagesOf({ rule: "rule-1" })))).to.be.above(1000);
  });

  it("are grouped again once the report has changed, and stored when it is judged anew", async () => {
    await storeComponents(database.db, report, comparisonId);
    await markStored();
    await setReport(database.db, report, { html_errors: 7 });
    expect(Math.max(...(await pagesOf({ state: "new" })))).to.be.below(1000);
    await renewComponents(database.db, report);
    await markStored();
    expect(Math.min(...(await pagesOf({ state: "new" })))).to.be.above(1000);
  });

  it("are stored in their usual order where storing all of them takes too long", async () => {
    const grouped = await list();
    await sql`
      create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'too long' using errcode = 'query_canceled'; end $$`.execute(database.db);
    await sql`create trigger refuse before insert on components for each row execute function refuse()`.execute(
      database.db,
    );
    try {
      expect(await storeComponents(database.db, report, comparisonId)).to.equal("first");
    } finally {
      await sql`drop function refuse cascade`.execute(database.db);
    }
    await sql`update component_lists set list = jsonb_set(list, '{total}', '77')`.execute(database.db);
    expect(await list()).to.deep.equal({ ...grouped, total: 77 });
  });

  it("are stored once by whoever stores them at the same time", async () => {
    const expected = await list({ state: "persisting" });
    await Promise.all([1, 2, 3].map(() => storeComponents(database.db, report, comparisonId)));
    expect(await list({ state: "persisting" })).to.deep.equal(expected);
    await markStored();
    expect(Math.min(...(await pagesOf({ state: "persisting" })))).to.be.above(1000);
  });

  it("are gone with the report", async () => {
    await storeComponents(database.db, report, comparisonId);
    await database.db.deleteFrom("reports").where("id", "=", report).execute();
    const { rows } = await sql`select from components where report_id = ${report}`.execute(database.db);
    expect(rows).to.have.length(0);
  });

  it("are not stored when there are nearly as many as findings", async () => {
    await sql`
      insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, component, how_many, found_at)
      select report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, substr(sha256(n::text::bytea), 1, 10), 1, now()
      from (select * from findings where report_id = ${report} limit 1) one, generate_series(1, 20_001) n`.execute(
      database.db,
    );
    const expected = await list({ issueType: "error" });
    await storeComponents(database.db, report, comparisonId);
    const { rows } = await sql`select from components where report_id = ${report}`.execute(database.db);
    expect(rows).to.have.length(0);
    expect(await list({ issueType: "error" })).to.deep.equal(expected);
  });
});
