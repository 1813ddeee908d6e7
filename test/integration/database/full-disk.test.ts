import { Writable } from "node:stream";
import { expect } from "chai";
import { sql } from "kysely";
import winston from "winston";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { crawlReport } from "../../../src/crawler/crawl-report.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { engine, fakeRunner, htmlIssue } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { serveSite } from "../../support/site.ts";
import { mountSmallDisk, type SmallDisk } from "../../support/small-disk.ts";
import { eventually } from "../../support/wait.ts";

const PAGES = 60;

describe("on a full disk", () => {
  let disk: SmallDisk;
  let database: TestDatabase;
  let api: TestApi;
  let account: { accountId: string; token: string };
  let reportId: string;
  let lines: { message: string; error?: string }[];
  let log: winston.Logger;

  before(async function () {
    disk = await mountSmallDisk(this, 40);
    database = await createTestDatabase({ folder: disk.folder });
    account = await accountWithToken(database);
    api = await startTestApi(database);
  });
  after(async () => {
    await api?.close();
    await database?.drop();
    await disk?.unmount();
  });
  beforeEach(() => {
    lines = [];
    const stream = new Writable({
      objectMode: true,
      write(line, _encoding, done) {
        lines.push(line);
        done();
      },
    });
    log = winston.createLogger({ transports: [new winston.transports.Stream({ stream })] });
  });

  /** What needs space fails, as programs see it. What PostgreSQL gives back, such as empty ends of tables, is filled again. */
  const expectFull = async (): Promise<void> => {
    const takeSpace = async () => {
      await disk.fill();
      await sql`create table filler as select repeat(md5(i::text), 1000) from generate_series(1, 1000) i`.execute(
        database.db,
      );
      await sql`drop table filler`.execute(database.db);
    };
    const error = await eventually(() => takeSpace().catch((reason: unknown) => reason));
    expect(error).to.have.property("code", "53100");
  };
  const failures = () =>
    database.db
      .selectFrom("checks")
      .select(["failure_code", "failure_detail"])
      .where("status", "=", "failed")
      .execute();

  it("results wait until there is room, none is lost or replaced by a failure, and reading goes on", async () => {
    reportId = await insertReport(database.db, { accountId: account.accountId });
    await queuePages(database.db, reportId, Array(PAGES).fill("page"));
    let ran = 0;
    const runner = fakeRunner(async () => {
      ran += 1;
      // Pages with many findings need space; a failure would not.
      if (ran === 10) await disk.fill();
      return {
        kind: "html",
        engine,
        issues: Array.from({ length: 50 }, (_, i) => htmlIssue(`finding ${ran} ${i}`, 40)),
      };
    });
    const { signal } = new AbortController();
    const context = { reportId, kind: "html" as const, spec: reportSpec() };
    const { db, url: databaseUrl } = database;
    const running = runChecker({ db, databaseUrl, context, runner, log, now: () => new Date(), signal });
    await eventually(() => lines.some(({ message }) => message.startsWith("results cannot be stored now")));
    await expectFull();
    const call = api.as(account.token);
    for (const path of [
      "/reports",
      `/reports/${reportId}`,
      `/reports/${reportId}/web_pages`,
      `/reports/${reportId}/common_html_issues`,
    ])
      expect((await call("GET", path)).status, path).to.equal(200);
    await disk.free();
    expect(await running).to.equal(true);
    expect(await failures()).to.deep.equal([]);
    const report = await readReport(db, reportId);
    expect(report).to.include({ html_checked: PAGES, html_failed: 0, html_errors: PAGES * 50 * 40 });
    await expectConsistent(db, reportId);
  });

  it("reading goes on for a token that was never used, and writing is refused for now", async () => {
    const other = await accountWithToken(database);
    await disk.fill();
    try {
      await expectFull();
      const call = api.as(other.token);
      expect((await call("GET", "/reports")).status).to.equal(200);
      const attributes = { starting_url: "https://example.com/" };
      const reply = await call("POST", "/reports", { attributes });
      // It fits into a page that has room, or it does not.
      expect(reply.status).to.be.oneOf([201, 503]);
      if (reply.status === 503) expect(Number(reply.headers.get("retry-after"))).to.be.greaterThan(0);
    } finally {
      await disk.free();
    }
  });

  it("a crawl waits, and continues where it was", async () => {
    const links = Array.from({ length: 30 }, (_, i) => `<a href="/${i}">${i}</a>`).join("");
    // Sources that do not compress.
    const noise = () => Array.from({ length: 20_000 }, () => Math.random().toString(36).slice(2)).join(" ");
    let requests = 0;
    const site = await serveSite({
      "*": async (_request, response) => {
        if (++requests === 5) await disk.fill();
        response.setHeader("content-type", "text/html");
        response.end(`<!DOCTYPE html><html lang="en"><title>t</title>${links}<p>${noise()}</p></html>`);
      },
    });
    const id = await insertReport(database.db, {
      accountId: account.accountId,
      spec: { startingUrl: site.url, rateLimit: 0, maxPages: 100 },
    });
    const running = crawlReport({
      databaseUrl: database.url,
      reportId: id,
      policyOf: async () => addressPolicy(["127.0.0.0/8"]),
      openBrowser: () => Promise.reject(new Error("not used")),
      signal: new AbortController().signal,
      log,
    });
    await eventually(() => lines.some(({ message }) => message === "database connection lost"));
    await expectFull();
    await disk.free();
    expect(await running).to.equal(true);
    await site.close();
    const report = await readReport(database.db, id);
    expect(report).to.include({ crawl_state: "ended", num_pages: 31, html_pending: 31 });
    await expectConsistent(database.db, id);
  });
});
