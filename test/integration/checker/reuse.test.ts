import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createReuse } from "../../../src/checker/reuse.ts";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { findRawCheck } from "../../../src/database/reports/web-pages.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { requeuePage } from "../../../src/transactions/change-pages.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { startEngine } from "../../support/identified.ts";
import { htmlPage, queuePages } from "../../support/queue-pages.ts";

const log = createLogger("error", { program: "test" });
const now = () => new Date("2026-03-15T12:00:00Z");

/** Pages with faults of several kinds. */
const page = (number: number) =>
  htmlPage(`<h1>Page ${number}</h1>
<p class=a>Some text <b><i>here</b></i> and <font color=red>there</font>.</p>
<img src="${number}.png"><style>p { color: red }</style>
<ul><li>one</li><div>two</div></ul><script>let a = ${number};</script>`);

/** Each changes a page's source, and what may be found on it or where. */
const edits: Record<string, (source: string) => string> = {
  nothing: (source) => source,
  text: (source) => source.replace("Some text", "Another text, which is longer"),
  attribute: (source) => source.replace("class=a", 'class="a" align="left"'),
  "element added": (source) => source.replace("<ul>", "<center>new</center><ul>"),
  "element removed": (source) => source.replace(/<img[^>]*>/, ""),
  "element moved": (source) => source.replace(/(<img[^>]*>)([\s\S]*<ul>)/, "$2$1"),
  head: (source) => source.replace("<title>t</title>", "<title></title>"),
  style: (source) => source.replace("color: red", "color: redd"),
  script: (source) => source.replace("let a", "let b"),
  language: (source) => source.replace('lang="en"', 'lang="xx-yy-zz"'),
};

type Page = { source: string; contentType?: string; url?: string };

describe("a page that has not changed", () => {
  let database: TestDatabase;
  let engine: EngineRunner;
  before(async () => {
    database = await createTestDatabase();
    engine = await startEngine("conformance");
  });
  after(async () => {
    await engine.close();
    await database.drop();
  });
  afterEach(() => emptyDatabase(database.db));

  /** Checks pages as a report of an account. @returns its id, and how many of them the engine was given */
  async function reportOf(
    pages: readonly Page[],
    { accountId, spec = {}, code = "1" }: { accountId: string; spec?: Partial<ReportSpec>; code?: string },
  ) {
    const { db } = database;
    const reportId = await insertReport(db, { accountId, spec });
    const ids = await queuePages(
      db,
      reportId,
      pages.map(({ source }) => source),
    );
    for (const [index, { contentType, url }] of pages.entries()) {
      if (contentType !== undefined)
        await sql`update page_sources set content_type = ${contentType} where web_page_id = ${ids[index]}`.execute(db);
      if (url !== undefined) await sql`update web_pages set url = ${url} where id = ${ids[index]}`.execute(db);
    }
    return { reportId, ids, checked: await check(reportId, spec, code) };
  }

  async function check(reportId: string, spec: Partial<ReportSpec> = {}, code = "1"): Promise<number> {
    let checked = 0;
    const runner: EngineRunner = {
      ...engine,
      check: (...given) => {
        checked += 1;
        return engine.check(...given);
      },
      close: async () => {},
    };
    const context = { reportId, kind: "html" as const, spec: reportSpec(spec) };
    await runChecker({
      ...{ db: database.db, databaseUrl: database.url, context, runner, log, now },
      ...{ reuse: createReuse(database.db, context, Promise.resolve(code)), signal: new AbortController().signal },
    });
    return checked;
  }

  /** All that a report stores of its pages, without what differs in each report. */
  async function storedOf(reportId: string): Promise<unknown> {
    const { rows } = await sql`
      select w.url, to_jsonb(c) - array['id', 'report_id', 'web_page_id', 'duration_ms', 'reused', 'lease_until', 'inserted_at', 'attempts'] as check,
        (select count(*) from page_sources s where s.web_page_id = w.id and s.kept) as sources,
        (select json_agg(to_jsonb(i) - array['id', 'report_id', 'web_page_id', 'common_id', 'inserted_at', 'updated_at'] order by i.rule, i.message)
          from issues i where i.web_page_id = w.id) as issues,
        (select json_agg(to_jsonb(f) - array['id', 'report_id', 'web_page_id', 'issue_id', 'inserted_at'] order by f::text) is not null
          from findings f where f.web_page_id = w.id) as has_findings,
        (select json_agg(encode(f.fingerprint, 'hex') order by f.fingerprint) from findings f where f.web_page_id = w.id) as fingerprints
      from web_pages w join checks c on c.web_page_id = w.id where w.report_id = ${reportId} order by w.url`.execute(
      database.db,
    );
    return rows;
  }

  const charged = async () => {
    const rows = await database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();
    return rows.map((row) => [row.reserved, row.charged]);
  };

  it("is not checked again, costs no credit, and has the same result", async () => {
    const accountId = await insertAccount(database.db, { monthly_credits: 100 });
    const pages = [1, 2, 3].map((number) => ({ source: page(number) }));
    const first = await reportOf(pages, { accountId });
    expect(first.checked).to.equal(3);
    const changed = pages.map((one, index) => (index === 1 ? { source: page(7) } : one));
    const second = await reportOf(changed, { accountId });
    expect(second.checked).to.equal(1);
    expect(await readReport(database.db, second.reportId)).to.include({ html_checked: 3, html_reused: 2 });
    expect(await charged()).to.deep.equal([[0, 4]]);
    await expectConsistent(database.db, second.reportId);
    // Also in a third, by what the second has kept.
    await database.db.deleteFrom("reports").where("id", "=", first.reportId).execute();
    expect((await reportOf(changed, { accountId })).checked).to.equal(0);
  });

  it("is checked again where anything has changed: by random edits, the result is that of a full run", async () => {
    const edit = fc.constantFrom(...Object.keys(edits));
    const site = fc.array(fc.record({ edit, charset: fc.boolean(), moved: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(site, async (changes) => {
        const accountId = await insertAccount(database.db);
        const was = changes.map((_, index) => ({ source: page(index), url: `https://example.com/${index}` }));
        const is = was.map((one, index): Page => {
          const { edit: name = "", charset, moved } = changes[index] ?? {};
          return {
            ...{ source: edits[name]?.(one.source) ?? "", url: moved ? `${one.url}/moved` : one.url },
            ...(charset && { contentType: "text/html; charset=windows-1252" }),
          };
        });
        await reportOf(was, { accountId });
        const spec = { storeRawHtmlChecks: false };
        const again = await reportOf(is, { accountId, spec });
        const whole = await reportOf(is, { accountId: await insertAccount(database.db), spec });
        const isAsBefore = ({ edit: name, charset, moved }: (typeof changes)[number]) =>
          name === "nothing" && !charset && !moved;
        expect(again.checked).to.equal(changes.filter((change) => !isAsBefore(change)).length);
        expect(whole.checked).to.equal(changes.length);
        expect(await storedOf(again.reportId)).to.deep.equal(await storedOf(whole.reportId));
      }),
      { numRuns: 12 },
    );
  });

  it("is checked again where a page differs at each request", async () => {
    const accountId = await insertAccount(database.db);
    const withNonce = (nonce: string) => [{ source: page(1).replace("<script>", `<script nonce="${nonce}">`) }];
    await reportOf(withNonce("a1"), { accountId });
    const again = await reportOf(withNonce("b2"), { accountId });
    const whole = await reportOf(withNonce("b2"), { accountId: await insertAccount(database.db) });
    expect(again.checked).to.equal(1);
    expect(await storedOf(again.reportId)).to.deep.equal(await storedOf(whole.reportId));
  });

  it("is checked again after a change of the program or of a setting, and for others", async () => {
    const accountId = await insertAccount(database.db);
    const pages = [{ source: page(1) }];
    await reportOf(pages, { accountId });
    const checked = async (options: Parameters<typeof reportOf>[1]) => (await reportOf(pages, options)).checked;
    expect(await checked({ accountId, code: "2" })).to.equal(1);
    expect(await checked({ accountId, spec: { storeRawHtmlChecks: true } })).to.equal(1);
    expect(await checked({ accountId, spec: { startingUrl: "https://example.com/docs/" } })).to.equal(1);
    expect(await checked({ accountId: await insertAccount(database.db) })).to.equal(1);
    // What people call a report, and who may see it, has no effect on what is found.
    expect(await checked({ accountId, spec: { tags: ["daily"], shared: true } })).to.equal(0);
  });

  it("keeps its raw result", async () => {
    const accountId = await insertAccount(database.db);
    const spec = { storeRawHtmlChecks: true };
    const first = await reportOf([{ source: page(1) }], { accountId, spec });
    const second = await reportOf([{ source: page(1) }], { accountId, spec });
    expect(second.checked).to.equal(0);
    expect(await storedOf(second.reportId)).to.deep.equal(await storedOf(first.reportId));
    const rawOf = async ({ ids }: typeof first) => (await findRawCheck(database.db, ids[0] ?? "", "html"))?.raw;
    expect(await rawOf(second))
      .to.be.an("object")
      .and.deep.equal(await rawOf(first));
  });

  it("counts as reused once, however often it is checked again", async () => {
    const accountId = await insertAccount(database.db);
    await reportOf([{ source: page(1) }], { accountId });
    const { reportId, ids } = await reportOf([{ source: page(1) }], { accountId });
    await requeuePage(database.db, reportId, ids[0] ?? "", now());
    expect(await readReport(database.db, reportId)).to.include({ html_pending: 1, html_reused: 0 });
    // Its source is fetched again then, which this checker cannot.
    await check(reportId);
    await expectConsistent(database.db, reportId);
  });
});
