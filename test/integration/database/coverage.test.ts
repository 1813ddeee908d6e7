import { expect } from "chai";
import { sql } from "kysely";
import { writeNotices } from "../../../src/database/crawl/notices.ts";
import { findReport } from "../../../src/database/reports/read-reports.ts";
import { type Coverage, tallyPages } from "../../../src/domain/coverage/coverage.ts";
import type { ExclusionReason, Failure } from "../../../src/domain/failure.ts";
import { describeResult } from "../../../src/domain/findings/gate.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { engine } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";

const NOW = new Date("2026-05-05T10:00:00Z");

describe("what a report covers", () => {
  let database: TestDatabase;
  let accountId: string;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    accountId = await insertAccount(database.db);
  });
  afterEach(() => emptyDatabase(database.db));

  /** Checks the queued pages; a failure for each that has one. */
  const check = async (id: string, spec: ReportSpec, pages: readonly (Failure | undefined)[]) => {
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "html" }, 100, "2026-05-01");
    const results = checks.map((lease) => {
      const failure = pages[Number(new URL(lease.url).pathname.slice(1))];
      return {
        lease,
        outcome: failure ? { kind: "html" as const, failure } : { kind: "html" as const, engine, issues: [] },
      };
    });
    await recordOutcomes(database.db, { reportId: id, kind: "html", spec }, results, NOW);
  };

  const run = async (pages: readonly (Failure | undefined)[], given: Partial<ReportSpec> = {}) => {
    const spec = reportSpec(given);
    const id = await insertReport(database.db, { accountId, spec });
    const pageIds = await queuePages(database.db, id, new Array(pages.length).fill(""), ["html"]);
    await check(id, spec, pages);
    return { id, spec, pageIds };
  };
  const exclude = (report_id: string, reason: ExclusionReason, ...urls: string[]) =>
    database.db
      .insertInto("excluded_urls")
      .values(urls.map((url) => ({ report_id, url, reason, linked_from: "https://example.com/" })))
      .execute();
  const end = (id: string) => endReport(database.db, id, "Complete", NOW);
  const covered = async (id: string): Promise<Coverage | null> => (await findReport(database.db, id))?.coverage ?? null;
  const codes = (coverage: Coverage | null) =>
    coverage?.notices.map(({ code, how_many, examples }) => [code, how_many, examples[0]?.url]);

  it("takes another page of a template for one on which acting failed, and says like which it really is", async () => {
    const spec = reportSpec({ performHtmlChecks: false, performA11yChecks: true, a11yDepth: "acting" });
    const id = await insertReport(database.db, { accountId, spec });
    await queuePages(database.db, id, new Array(5).fill(""), ["a11y"]);
    await database.db.updateTable("web_pages").set({ template: "one", like_others: true }).execute();
    const first = sql`update web_pages set like_others = false where url ~ '/[01]$'`;
    await first.execute(database.db);
    const check = async (pages: number, fails: (place: number) => boolean) => {
      const { checks } = await leaseChecks(database.db, { reportId: id, kind: "a11y" }, pages, "2026-05-01");
      const results = checks.map((lease) => {
        const failure: Failure = { code: "browser_crashed", detail: "It did not end." };
        const isFailed = fails(Number(new URL(lease.url).pathname.slice(1)));
        const outcome = isFailed ? { failure } : { engine: { name: "axe-core", version: "4" }, issues: [] };
        return { lease, outcome: { kind: "a11y" as const, ...outcome } };
      });
      await recordOutcomes(database.db, { reportId: id, kind: "a11y", spec }, results, NOW);
      return checks.map(({ likeOthers }) => likeOthers);
    };
    expect(await check(2, (place) => place === 0)).to.deep.equal([false, false]);
    expect(await check(3, () => false)).to.deep.equal([false, true, true]);
    await end(id);
    const notices = (await covered(id))?.notices.find(({ code }) => code === "acted_on_examples");
    expect(notices?.examples).to.deep.equal([
      { url: "https://example.com/3", detail: "like https://example.com/1" },
      { url: "https://example.com/4", detail: "like https://example.com/1" },
    ]);
  });

  it("says which pages acting left out, and which one they are like", async () => {
    const { id, pageIds } = await run(new Array(9).fill(undefined));
    for (const [place, pageId] of pageIds.entries())
      await database.db
        .updateTable("web_pages")
        .set({ template: place % 2 === 0 ? "even" : "odd", like_others: place > 5 })
        .where("id", "=", pageId)
        .execute();
    await end(id);
    expect((await covered(id))?.notices).to.deep.equal([
      {
        ...{ code: "acted_on_examples", how_many: 3, num_urls: 3, more: false },
        examples: [
          { url: "https://example.com/6", detail: "like https://example.com/0" },
          { url: "https://example.com/7", detail: "like https://example.com/1" },
          { url: "https://example.com/8", detail: "like https://example.com/0" },
        ],
      },
    ]);
  });

  it("is known from its end on, and not while a page is checked again", async () => {
    const { id, spec, pageIds } = await run([undefined, undefined]);
    expect(await covered(id)).to.equal(null);
    await end(id);
    const whole = {
      complete: true,
      pages: { found: 2, checked: 2, failed: 0, without_page: 0, left_out: {} },
      notices: [],
    };
    expect(await covered(id)).to.deep.equal(whole);
    await requeuePage(database.db, id, pageIds[0] ?? "", NOW);
    expect(await covered(id)).to.equal(null);
    await check(id, spec, []);
    await end(id);
    expect(await covered(id)).to.deep.equal(whole);
  });

  it("counts what was left out by reason, and has a gap for what a limit left out", async () => {
    const { id } = await run([undefined]);
    await exclude(id, "off_site", "https://other.example/");
    await exclude(id, "page_limit", "https://example.com/8", "https://example.com/9");
    await end(id);
    const coverage = await covered(id);
    expect(coverage?.pages.left_out).to.deep.equal({ off_site: 1, page_limit: 2 });
    expect(codes(coverage)).to.deep.equal([["page_limit", 2, "https://example.com/8"]]);
    expect(coverage?.notices[0]?.examples[0]?.detail).to.equal("linked from https://example.com/");
    expect(coverage?.complete).to.equal(false);
  });

  it("has a gap for pages that failed, but not for addresses that the crawl found to be no page", async () => {
    const timeout = { code: "timeout", detail: "Too slow." } as const;
    const redirected = { code: "redirected", detail: "It leads on." } as const;
    const { id, pageIds } = await run([undefined, timeout, { code: "not_html", detail: "A PDF." }, redirected]);
    const ofCrawl = database.db.updateTable("web_pages").set({ fetched: false });
    await ofCrawl.where("id", "=", pageIds[2] ?? "").execute();
    await end(id);
    const failed = await covered(id);
    expect(failed?.pages).to.deep.equal({ found: 4, checked: 1, failed: 3, without_page: 1, left_out: {} });
    expect(failed?.notices).to.deep.equal([
      {
        ...{ code: "pages_failed", how_many: 2, num_urls: 2, more: false },
        examples: [
          { url: "https://example.com/1", detail: "Too slow." },
          { url: "https://example.com/3", detail: "It leads on." },
        ],
      },
    ]);
    for (const gone of [pageIds[1], pageIds[3]]) await deletePage(database.db, id, gone ?? "", NOW);
    const after = await covered(id);
    expect(after?.complete).to.equal(true);
    expect(after?.pages).to.deep.equal({ found: 2, checked: 1, failed: 1, without_page: 1, left_out: { deleted: 2 } });
  });

  it("has one gap for a page on which an engine did not end", async () => {
    const slow = { code: "engine_error", detail: "It took more than 30 s." } as const;
    const { id, pageIds, spec } = await run([undefined, slow, slow]);
    await requeuePage(database.db, id, pageIds[1] ?? "", NOW);
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "html" }, 1, "2026-05-01");
    const results = checks.map((lease) => {
      return { lease, outcome: { kind: "html", failure: slow, deadlineExceeded: true } as const };
    });
    await recordOutcomes(database.db, { reportId: id, kind: "html", spec }, results, NOW);
    await end(id);
    const coverage = await covered(id);
    expect(codes(coverage)).to.deep.equal([
      ["pages_failed", 1, "https://example.com/2"],
      ["engine_did_not_end", 1, "https://example.com/1"],
    ]);
    expect(coverage && tallyPages(coverage)).to.deep.equal({ pages: 3, checked: 1, failed: 2, withoutPage: 0 });
  });

  for (const [status, isGap] of [
    [404, false],
    [410, false],
    [500, true],
  ] as const)
    it(`has ${isGap ? "a gap" : "none"} for a page whose server responded with ${status}`, async () => {
      const { id, pageIds } = await run([undefined, { code: "http_error", detail: `${status}` }]);
      await database.db
        .updateTable("web_pages")
        .set({ http_status: status })
        .where("id", "=", pageIds[1] ?? "")
        .execute();
      await end(id);
      expect((await covered(id))?.complete).to.equal(!isGap);
    });

  it("has what the crawl stored, and exclusions that matched nothing", async () => {
    const { id } = await run([undefined], { exclusions: ["/print", "/draft"] });
    await exclude(id, "exclusion", "https://example.com/print/1");
    await writeNotices(database.db, id, [
      { code: "sitemap_failed", url: "https://example.com/sitemap.xml", howMany: 1, detail: "404" },
      { code: "same_document", url: "https://example.com/index.html", howMany: 1, detail: "" },
    ]);
    await end(id);
    expect(codes(await covered(id))).to.deep.equal([
      ["sitemap_failed", 1, "https://example.com/sitemap.xml"],
      ["same_document", 1, "https://example.com/index.html"],
      ["exclusion_unused", 1, ""],
    ]);
  });

  it("forgets what the crawl said of a page that is deleted", async () => {
    const { id, pageIds } = await run([undefined, undefined]);
    const url = "https://example.com/1";
    await writeNotices(database.db, id, [
      { code: "hash_routes_not_opened", url, howMany: 3, detail: "#/a" },
      { code: "canonical_not_checked", url, howMany: 1, detail: "" },
    ]);
    await end(id);
    expect(codes(await covered(id))).to.deep.equal([["hash_routes_not_opened", 3, url]]);
    await deletePage(database.db, id, pageIds[1] ?? "", NOW);
    expect(codes(await covered(id))).to.deep.equal([]);
  });

  it("says that nothing was checked", async () => {
    const { id } = await run([{ code: "dns_error", detail: "No such host." }]);
    await endReport(database.db, id, "Failed", NOW);
    expect(codes(await covered(id))?.map(([code]) => code)).to.deep.equal(["nothing_checked", "pages_failed"]);
  });

  it("fails a gate that requires that nothing is left out", async () => {
    const judged = async (...reasons: ExclusionReason[]) => {
      const { id } = await run([undefined], { gate: { requireComplete: true } });
      for (const reason of reasons) await exclude(id, reason, `https://example.com/${reason}`);
      await end(id);
      const report = await findReport(database.db, id);
      return [report?.passed, ...(report?.gate_results ?? []).map(describeResult)];
    };
    expect(await judged("off_site")).to.deep.equal([true, "gaps in what was checked: 0, at most 0 allowed"]);
    expect(await judged("page_limit")).to.deep.equal([false, "gaps in what was checked: 1, at most 0 allowed"]);
  });
});
