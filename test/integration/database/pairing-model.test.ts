import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import { insertAccount } from "../../support/builders.ts";
import { NOW, type Page, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type ModelFinding, modelComparison } from "../../support/pairing-model.ts";

const finding = fc
  .tuple(fc.constantFrom("rule", "other"), fc.constantFrom("<a>", "<b>"), fc.constantFrom("1", "2"))
  .map((parts) => parts.join(" "));
const page: fc.Arbitrary<Page> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.oneof({ weight: 8, arbitrary: finding }, fc.constant("*")), { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.record({ failed: fc.constantFrom(404, null) }) },
);
const site: fc.Arbitrary<Site> = fc.dictionary(fc.constantFrom("/a", "/b", "/c", "/d"), page, { minKeys: 1 });

describe("the statements that pair findings", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  /** The rows that a comparison was made from, and what it stored. */
  async function read(reportId: string, baseId: string) {
    const { db } = database;
    const both = sql`(${reportId}::uuid, ${baseId}::uuid)`;
    const { rows: findings } = await sql<ModelFinding>`
      select f.id::integer, f.report_id = ${reportId}::uuid as "isOwn", encode(f.fingerprint, 'hex') as fingerprint,
        encode(p.page_key, 'hex') as page_key, f.kind, f.rule, coalesce(encode(f.tag, 'hex'), '') as tag,
        coalesce(encode(f.path, 'hex'), '') as path, f.how_many as amount
      from findings f join web_pages p on p.id = f.web_page_id where f.report_id in ${both}`.execute(db);
    const { rows: pages } = await sql<{ isOwn: boolean; key: string; page: "checked" | "gone" | "failed" }>`
      select p.report_id = ${reportId}::uuid as "isOwn", encode(p.page_key, 'hex') as key,
        case when c.status = 'checked' then 'checked' when p.http_status = 404 then 'gone' else 'failed' end as page
      from web_pages p join checks c on c.web_page_id = p.id where p.report_id in ${both}`.execute(db);
    const { rows: stored } = await sql<{ text: string }>`
      select concat_ws(' ', c.finding_id, c.state, c.how_many) as text
      from compared_findings c join comparisons k on k.id = c.comparison_id
      where k.report_id = ${reportId} and k.base_id = ${baseId}`.execute(db);
    const of = (side: boolean) =>
      new Map(pages.filter(({ isOwn }) => isOwn === side).map(({ key, page: state }) => [key, state]));
    return { findings, pages: { own: of(true), base: of(false) }, stored: stored.map(({ text }) => text).sort() };
  }

  it("store what the plainest model of their steps says, for any two sites", async () => {
    await fc.assert(
      fc.asyncProperty(site, site, async (before, now) => {
        const account = await insertAccount(database.db);
        const base = await runReport(database.db, account, before);
        const report = await runReport(database.db, account, now, { at: new Date(NOW.getTime() + 60_000) });
        const { findings, pages, stored } = await read(report, base);
        expect(stored).to.deep.equal(modelComparison(findings, pages));
      }),
      { numRuns: 40 },
    );
  });
});
