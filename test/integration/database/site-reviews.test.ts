import { expect } from "chai";
import { sql } from "kysely";
import { markReviewed, readStoredFacts, readUnreviewed } from "../../../src/database/reports/site-reviews.ts";
import type { PageFacts } from "../../../src/domain/acting/page-facts.ts";
import type { A11yIssue } from "../../../src/domain/findings/findings.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { reviewSite } from "../../../src/transactions/review-site.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { queuePages } from "../../support/queue-pages.ts";

const NOW = new Date("2026-05-05T10:00:00Z");
const acting = {
  performHtmlChecks: false,
  performA11yChecks: true,
  a11yDepth: "acting",
  storeIncompleteChecks: true,
} as const;

const facts = (title: string, n: number): PageFacts => ({
  ...{ title, heading: `Heading ${n}`, text: `text ${n}`, placed: [], hasSearch: false, links: [] },
});
const own: A11yIssue = {
  ...{
    issue_type: "error",
    rule: "image-alt",
    message: "Images",
    help_url: "https://example.org/",
    impact: "critical",
    tags: [],
  },
  html: [{ extract: "<img>", target: "img", failure_summary: "Mend it.", box: null, element: null }],
};

describe("the comparison of the pages of a site", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => emptyDatabase(database.db));

  const checkPages = async (id: string, spec: ReportSpec, titles: readonly string[]) => {
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "a11y" }, 100, "2026-05-01");
    const results = checks.map((lease) => {
      const n = Number(new URL(lease.url).pathname.slice(1));
      const engine = { name: "axe-core", version: "4" };
      const outcome = { kind: "a11y" as const, engine, issues: [own], facts: facts(titles[n] ?? "", n) };
      return { lease, outcome };
    });
    await recordOutcomes(database.db, { reportId: id, kind: "a11y", spec }, results, NOW);
  };
  const run = async (titles: readonly string[], given: Partial<ReportSpec> = acting) => {
    const spec = reportSpec(given);
    const id = await insertReport(database.db, { accountId: await insertAccount(database.db), spec });
    const pageIds = await queuePages(database.db, id, new Array(titles.length).fill(""), ["a11y"]);
    await checkPages(id, spec, titles);
    return { id, spec, pageIds };
  };
  const found = async (id: string) => {
    const { rows } = await sql<{ found: string }>`
      select concat_ws(' ', f.rule, p.url) as found from findings f join web_pages p on p.id = f.web_page_id
      where f.report_id = ${id} and f.rule <> 'image-alt' order by p.id`.execute(database.db);
    return rows.map((row) => row.found.replace("https://example.com", ""));
  };

  it("adds findings to its pages, beside their own, and to all counters", async () => {
    const { id } = await run(["Bakery", "Bread", "Bakery"]);
    await reviewSite(database.db, id, NOW);
    expect(await found(id)).to.deep.equal(["sv-same-title /0", "sv-same-title /2"]);
    await expectConsistent(database.db, id);
    const counts =
      await sql`select errors, warnings, moderate from check_counts where report_id = ${id} and kind = 'a11y'`.execute(
        database.db,
      );
    expect(counts.rows).to.deep.equal([{ errors: 3, warnings: 2, moderate: 2 }]);
  });

  it("changes nothing when it is repeated, also if the controller was killed before it had noted it", async () => {
    const { id } = await run(["Bakery", "Bakery"]);
    for (const isNoted of [false, true]) {
      await reviewSite(database.db, id, NOW);
      await sql`update reports set site_reviewed = ${isNoted} where id = ${id}`.execute(database.db);
    }
    expect(await found(id)).to.have.length(2);
    await expectConsistent(database.db, id);
  });

  it("is made again when a page is checked again: what is not true any more goes, from other pages, too", async () => {
    const { id, spec, pageIds } = await run(["Bakery", "Bakery", "Shop"]);
    await reviewSite(database.db, id, NOW);
    expect(await endReport(database.db, id, "Complete", NOW)).to.equal(true);
    await requeuePage(database.db, id, pageIds[1] ?? "", NOW);
    await checkPages(id, spec, ["Bakery", "Bread", "Shop"]);
    expect(await found(id)).to.deep.equal(["sv-same-title /0"]);
    await reviewSite(database.db, id, NOW);
    expect(await found(id)).to.deep.equal([]);
    await expectConsistent(database.db, id);
  });

  it("counts what a muting silences apart", async () => {
    const { id, spec } = await run(["Bakery", "Bakery"]);
    await sql`insert into mutings (account_id, criteria)
      select account_id, '{"rule": "sv-same-title"}' from reports where id = ${id}`.execute(database.db);
    await reviewSite(database.db, id, NOW);
    const counts =
      await sql`select warnings, muted_warnings from check_counts where report_id = ${id} and kind = 'a11y'`.execute(
        database.db,
      );
    expect(counts.rows).to.deep.equal([{ warnings: 0, muted_warnings: 2 }]);
    await expectConsistent(database.db, id);
    expect(spec.a11yDepth).to.equal("acting");
  });

  it("is made again if a page is checked again, and that ends, while it is made", async () => {
    const { id, spec, pageIds } = await run(["Bakery", "Bakery"]);
    const before = await readUnreviewed(database.db, id);
    const mark = () =>
      database.db
        .transaction()
        .execute((trx) => markReviewed(trx, id, before ?? { progress: "" }, { compared: [], waysKnown: false }));
    await requeuePage(database.db, id, pageIds[1] ?? "", NOW);
    expect(await mark(), "queued").to.equal(false);
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "a11y" }, 100, "2026-05-01");
    const outcome = { kind: "a11y" as const, engine: { name: "axe-core", version: "4" }, issues: [own] };
    const results = checks.map((lease) => ({ lease, outcome }));
    const later = new Date(NOW.getTime() + 1_000);
    await recordOutcomes(database.db, { reportId: id, kind: "a11y", spec }, results, later);
    expect(await mark(), "ended").to.equal(false);
    expect(await reviewSite(database.db, id, NOW)).to.equal(true);
    expect(await readUnreviewed(database.db, id)).to.equal(undefined);
  });

  it("forgets what a page said when a later check of it says nothing", async () => {
    const { id, spec, pageIds } = await run(["Bakery", "Bakery"]);
    await requeuePage(database.db, id, pageIds[1] ?? "", NOW);
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "a11y" }, 100, "2026-05-01");
    const outcome = { kind: "a11y" as const, engine: { name: "axe-core", version: "4" }, issues: [own] };
    const results = checks.map((lease) => ({ lease, outcome }));
    await recordOutcomes(database.db, { reportId: id, kind: "a11y", spec }, results, NOW);
    expect(await readStoredFacts(database.db, id, 10)).to.have.length(1);
    await reviewSite(database.db, id, NOW);
    expect(await found(id)).to.deep.equal([]);
  });

  it("is made again after a page is deleted, which findings of others name", async () => {
    const { id, pageIds } = await run(["Bakery", "Bakery", "Shop"]);
    await reviewSite(database.db, id, NOW);
    await deletePage(database.db, id, pageIds[0] ?? "", NOW);
    await reviewSite(database.db, id, NOW);
    expect(await found(id)).to.deep.equal([]);
    await expectConsistent(database.db, id);
  });

  it("notes the pages that were compared, and whether all ways to them were known", async () => {
    const { id, pageIds } = await run(["Bakery", "Bread", "Shop"]);
    const [, second = "", third = ""] = pageIds;
    await sql`update page_facts set facts = facts || ${JSON.stringify({ text: "x".repeat(70_000) })}::jsonb where web_page_id = ${third}`.execute(
      database.db,
    );
    const noted = async () => {
      await sql`update reports set site_reviewed = false where id = ${id}`.execute(database.db);
      await reviewSite(database.db, id, NOW);
      const { rows } = await sql<{ noted: string }>`
        select concat_ws(' ', compared, ways_compared) as noted from page_facts order by web_page_id`.execute(
        database.db,
      );
      return rows.map((row) => row.noted);
    };
    expect(await noted(), "a page says too much").to.deep.equal(["t f", "t f", "f f"]);
    await sql`update page_facts set facts = (select facts from page_facts where web_page_id = ${second}) where web_page_id = ${third}`.execute(
      database.db,
    );
    expect(await noted()).to.deep.equal(["t t", "t t", "t t"]);
    await sql`insert into excluded_urls (report_id, url, reason) values (${id}, 'https://example.com/old', 'duplicate_redirect')`.execute(
      database.db,
    );
    expect(await noted(), "an address leads elsewhere").to.deep.equal(["t f", "t f", "t f"]);
  });

  it("leaves variants of pages out, also of their number", async () => {
    const { id, pageIds } = await run(["Bakery", "Bread", "Bakery"]);
    await sql`update web_pages set url = 'https://example.com/0#:~:state=menu', state = 'menu' where id = ${pageIds[2] ?? ""}`.execute(
      database.db,
    );
    expect((await readStoredFacts(database.db, id, 10)).map(({ url }) => url)).to.deep.equal([
      ...["https://example.com/0", "https://example.com/1"],
    ]);
    expect((await readUnreviewed(database.db, id))?.numPages).to.equal(2);
  });

  it("is not made for a report that reads only, or that keeps no reviews", async () => {
    for (const given of [{ ...acting, a11yDepth: "static" } as const, { ...acting, storeIncompleteChecks: false }]) {
      const { id } = await run(["Bakery", "Bakery"], given);
      await reviewSite(database.db, id, NOW);
      expect(await found(id)).to.deep.equal([]);
    }
  });

  it("says that a site has more pages than are compared", async () => {
    const { id } = await run(["Bakery", "Bakery"]);
    await sql`insert into web_pages (report_id, url) select ${id}::uuid, 'https://example.com/more/' || n from generate_series(1, 1000) n`.execute(
      database.db,
    );
    await sql`insert into checks (report_id, web_page_id, kind, status)
      select report_id, id, 'a11y', 'checked' from web_pages where report_id = ${id} and url like '%/more/%'`.execute(
      database.db,
    );
    await sql`insert into page_facts (web_page_id, facts) select id, '{}' from web_pages where report_id = ${id} and url like '%/more/%'`.execute(
      database.db,
    );
    await reviewSite(database.db, id, NOW);
    const notices = await sql`select code, detail from report_notices where report_id = ${id}`.execute(database.db);
    expect(notices.rows).to.deep.equal([
      { code: "site_reviewed_in_part", detail: "The first 1,000 pages were compared with each other." },
    ]);
    expect(await found(id)).to.have.length(2);
  });
});
