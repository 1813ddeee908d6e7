import { expect } from "chai";
import { sql } from "kysely";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { findKeptSource } from "../../../src/database/crawl/page-sources.ts";
import { MAX_SOURCE_LENGTH, MAX_STORED_BYTES } from "../../../src/domain/findings/bound-findings.ts";
import type { CheckOutcome, HtmlIssue } from "../../../src/domain/findings/findings.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { purgeWorkingRows } from "../../../src/transactions/purge.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { engine, fakeRunner } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";

const issue: HtmlIssue = {
  ...{ issue_type: "error", rule: "img/alt", message: "No alt", help_url: null, tags: [] },
  html: [
    {
      extract: "<img>",
      coordinates: {
        ...{ first_line: 1, last_line: 1, first_column: 1, last_column: 5 },
        hilite_start: 0,
        hilite_length: 5,
      },
    },
  ],
};

/** An engine to which every image is wrong, and that fails where it says so. */
const html = () =>
  fakeRunner(({ document }): CheckOutcome => {
    const source = document?.source ?? "";
    if (source.includes("FAIL")) return { kind: "html", failure: { code: "engine_error", detail: "It failed." } };
    return { kind: "html", engine, issues: source.includes("<img>") ? [issue] : [] };
  });

const wrong = (text: string) => `<img>${text.repeat(400)}`;

describe("The source of a page, when its check has ended,", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => emptyDatabase(database.db));

  type Given = { spec?: Partial<ReportSpec>; keepsSources?: boolean; fetched?: string };

  async function check(reportId: string, { spec = {}, keepsSources = true, fetched }: Given = {}): Promise<void> {
    await runChecker({
      ...{ db: database.db, databaseUrl: database.url, runner: html(), keepsSources },
      context: { reportId, kind: "html", spec: reportSpec(spec) },
      fetchSource: async () => {
        if (fetched === undefined) throw new Error("Nothing is fetched in this test.");
        return { source: fetched, contentType: "text/html" };
      },
      log: createLogger("error", {}),
      now: () => new Date(),
      signal: new AbortController().signal,
    });
    await expectConsistent(database.db, reportId);
  }

  async function checked(sources: readonly string[], given: Given = {}) {
    const reportId = await insertReport(database.db);
    const pages = await queuePages(database.db, reportId, sources);
    await check(reportId, given);
    return { reportId, pages };
  }

  const kept = (pages: readonly string[]) => Promise.all(pages.map((page) => findKeptSource(database.db, page)));
  const rows = async () => (await database.db.selectFrom("page_sources").selectAll().execute()).length;
  const bytesOf = async (reportId: string) => {
    const { stored_bytes } = await database.db
      .selectFrom("reports")
      .select("stored_bytes")
      .where("id", "=", reportId)
      .executeTakeFirstOrThrow();
    return Number(stored_bytes);
  };

  it("stays if the page has findings, and goes if it has none or its check failed", async () => {
    const { pages } = await checked([wrong("a"), "<p>Fine", `FAIL ${wrong("b")}`]);
    expect(await kept(pages)).to.deep.equal([wrong("a"), undefined, undefined]);
    expect(await rows()).to.equal(1);
  });

  it("counts as storage of the account, until the page is deleted", async () => {
    const text = Array.from({ length: 3_000 }, (_, i) => `${(i * 7_919) % 9_973}`).join("");
    const { reportId, pages } = await checked([`<img>${text}`]);
    const { body } = await database.db.selectFrom("page_sources").select("body").executeTakeFirstOrThrow();
    const without = await checked([`<img>${text}`], { keepsSources: false });
    expect((await bytesOf(reportId)) - (await bytesOf(without.reportId))).to.equal(body.byteLength);
    await deletePage(database.db, reportId, pages[0] ?? "", new Date());
    expect([await bytesOf(reportId), await rows()]).to.deep.equal([0, 0]);
  });

  it("goes where the operator keeps none", async () => {
    await checked([wrong("a")], { keepsSources: false });
    expect(await rows()).to.equal(0);
  });

  it("goes if it takes more than its share, compressed or as text", async () => {
    // Noise is not compressed: each character of base64 takes six bits.
    const noise = (length: number) => Buffer.from(Array.from({ length }, () => Math.random() * 256)).toString("base64");
    const { pages } = await checked([
      `<img>${noise(MAX_STORED_BYTES.source * 0.9)}`,
      `<img>${noise(MAX_STORED_BYTES.source * 1.1)}`,
      `<img>${"x".repeat(MAX_SOURCE_LENGTH - 5)}`,
      `<img>${"x".repeat(MAX_SOURCE_LENGTH)}`,
    ]);
    expect((await kept(pages)).map((source) => source !== undefined)).to.deep.equal([true, false, true, false]);
  });

  it("is the one of the last check: a page that is checked again is fetched again", async () => {
    const { reportId, pages } = await checked([wrong("a")]);
    const [page = ""] = pages;
    const before = await bytesOf(reportId);
    await requeuePage(database.db, reportId, page, new Date());
    expect(await kept(pages), "with the findings that still stand").to.deep.equal([wrong("a")]);
    await check(reportId, { fetched: wrong("b") });
    expect(await kept(pages)).to.deep.equal([wrong("b")]);
    expect(await bytesOf(reportId)).to.be.within(before - 10, before + 10);
    await requeuePage(database.db, reportId, page, new Date());
    await check(reportId, { fetched: "<p>Mended" });
    expect([await kept(pages), await bytesOf(reportId)]).to.deep.equal([[undefined], 0]);
  });

  it("is no working row: what waits for no check is deleted with the report's end, what is kept is not", async () => {
    const { reportId, pages } = await checked([wrong("a")]);
    const [waiting] = await queuePages(database.db, reportId, [wrong("b")]);
    await sql`update checks set status = 'failed' where web_page_id = ${waiting}`.execute(database.db);
    await sql`update reports set phase = 'Complete' where id = ${reportId}`.execute(database.db);
    expect(await purgeWorkingRows(database.db, new AbortController().signal)).to.equal(1);
    expect(await kept(pages)).to.deep.equal([wrong("a")]);
  });
});
