import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { sql } from "kysely";
import { type CrawlBatch, emptyBatch } from "../../../src/database/crawl/crawl.ts";
import { beginCrawl, endCrawl, storeBatch } from "../../../src/transactions/crawl.ts";
import { insertReport } from "../../support/builders.ts";
import { compileCache } from "../../support/cache.ts";
import { readCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Route, type Site, serveSite } from "../../support/site.ts";

const program = fileURLToPath(new URL("../../../bin/run.js", import.meta.url));
const page = (...links: number[]): string =>
  `<!DOCTYPE html><title>A page</title>${links.map((link) => `<a href="/${link}">x</a>`).join("")}`;

/** Page n links to its two children; 120 pages in all, from `/0`. */
const PAGES = 120;
function tree(n: number): string {
  return page(...[2 * n + 1, 2 * n + 2].filter((child) => child < PAGES), 0, n);
}

describe("the crawler's process", () => {
  let database: TestDatabase;
  let site: Site | undefined;
  const children = new Set<ChildProcess>();

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(async () => {
    for (const child of children) child.kill("SIGKILL");
    children.clear();
    await site?.close();
    site = undefined;
  });

  function start(...args: string[]) {
    const child = spawn(process.execPath, [program, "crawler", ...args], {
      env: {
        ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
        LOG_LEVEL: "error",
        PARENT_PIPE: "stdin",
        ...compileCache,
      },
      stdio: ["pipe", "ignore", "pipe"],
    });
    children.add(child);
    child.stdin.write(`${JSON.stringify({ DATABASE_URL: database.url })}\n`);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = once(child, "close").then(([code, signal]) => {
      children.delete(child);
      return { code, signal, stderr };
    });
    return { child, ended };
  }

  /** Serves the tree; `onRequest` is called with the number of each request, before the response. */
  async function serveTree(onRequest: (count: number) => Promise<void> | void): Promise<Site> {
    let count = 0;
    const route: Route = async (request, response) => {
      await onRequest(++count);
      response.writeHead(200, { "content-type": "text/html" }).end(tree(Number(request.url?.slice(1))));
    };
    site = await serveSite({ "*": route });
    return site;
  }

  function insertTreeReport({ origin }: Site, rateLimit = 0): Promise<string> {
    return insertReport(database.db, {
      spec: { startingUrl: `${origin}/0`, maxPages: 100, rateLimit, performA11yChecks: true },
    });
  }

  /** A disturbed crawl must have the same result as an undisturbed one. */
  async function expectWholeTree(reportId: string, { origin }: Site): Promise<void> {
    const crawled = await readCrawl(database.db, reportId);
    expect(crawled.urls).to.deep.equal(Array.from({ length: 100 }, (_, n) => `${origin}/${n}`));
    expect(Object.keys(crawled.sources)).to.have.length(100);
    expect(crawled.sources[`${origin}/7`]).to.equal(tree(7));
    expect(crawled.checks).to.have.length(200);
    expect(crawled.report).to.include({ crawl_state: "ended", num_pages: 100, html_pending: 100, a11y_pending: 100 });
    expect(crawled.excluded.map(({ url }) => url)).to.deep.equal(
      Array.from({ length: PAGES - 100 }, (_, n) => `${origin}/${100 + n}`),
    );
  }

  it("continues where it was killed: no page is lost, none is stored twice", async () => {
    let running = { child: undefined as ChildProcess | undefined };
    const tree = await serveTree((count) => {
      // In the middle of the start, of a batch, and near the end.
      if ([1, 30, 75, 110].includes(count)) running.child?.kill("SIGKILL");
    });
    const reportId = await insertTreeReport(tree);
    let kills = 0;
    for (;;) {
      const run = start("--report", reportId, "--run", "1");
      running = run;
      const { code, signal, stderr } = await run.ended;
      if (signal === "SIGKILL") kills++;
      else {
        expect(code, stderr).to.equal(0);
        break;
      }
    }
    expect(kills).to.be.at.least(3);
    await expectWholeTree(reportId, tree);
  });

  it("continues when its database connections are cut repeatedly", async () => {
    let cut = 0;
    const tree = await serveTree(async (count) => {
      if (count % 25 !== 0) return;
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'site-validator crawler'`.execute(database.db);
      cut += rows.length;
    });
    const reportId = await insertTreeReport(tree, 1_000);
    const { code, stderr } = await start("--report", reportId, "--run", "1").ended;
    expect(code, stderr).to.equal(0);
    expect(cut).to.be.at.least(4);
    await expectWholeTree(reportId, tree);
  });

  for (const [name, stop] of [
    ["asked to stop", (child: ChildProcess) => child.kill("SIGTERM")],
    ["its parent ends", (child: ChildProcess) => child.stdin?.end()],
  ] as const)
    it(`ends with code 1 when ${name}, keeps the stored pages, and can be restarted`, async () => {
      const holder: { child?: ChildProcess } = {};
      const tree = await serveTree(async (count) => {
        if (count < 40 || !holder.child) return;
        const { child } = holder;
        delete holder.child;
        stop(child);
      });
      const reportId = await insertTreeReport(tree);
      const run = start("--report", reportId, "--run", "1");
      holder.child = run.child;
      const { code, stderr } = await run.ended;
      expect(code, stderr).to.equal(1);
      const stored = await readCrawl(database.db, reportId);
      expect(stored.report.crawl_state).to.equal("crawling");
      expect(stored.pages.length).to.be.within(20, 100);
      expect((await start("--report", reportId, "--run", "1").ended).code).to.equal(0);
      await expectWholeTree(reportId, tree);
    });

  it("finds links that scripts create if it renders pages, and still reads lists", async () => {
    const script = "<!DOCTYPE html><title>x</title><script>document.write('<a href=\"/2\">x</a>')</script>";
    site = await serveSite({
      ...{ "/1": script, "/2": page(), "/3": page() },
      "/list": (request, response) => {
        response.writeHead(200, { "content-type": "text/plain" }).end(`http://${request.headers.host}/3`);
      },
    });
    const { origin } = site;
    const reportId = await insertReport(database.db, {
      spec: { startingUrl: `${origin}/1`, initialUrls: [`${origin}/list`], dynamicCrawler: true, rateLimit: 0 },
    });
    const { code, stderr } = await start("--report", reportId, "--run", "1").ended;
    expect(code, stderr).to.equal(0);
    const crawled = await readCrawl(database.db, reportId);
    expect(crawled.urls).to.deep.equal([`${origin}/1`, `${origin}/2`, `${origin}/3`]);
    expect(crawled.sources[`${origin}/1`]).to.equal(script);
  });

  it("rejects wrong use with code 2 and a message", async () => {
    const id = "5ae01b06-1f6d-4c0f-9b1c-000000000000";
    const wrong: [args: string[], message: string][] = [
      [[], "--report"],
      [["--report", "x", "--run", "1"], '--report is "x"'],
      [["--report", id], "--run"],
      [["--report", id, "--run", "-1x"], "--run"],
      [["--report", id, "--run", "1", "--fast"], "--fast"],
    ];
    const results = await Promise.all(wrong.map(([args]) => start(...args).ended));
    for (const [index, { code, stderr }] of results.entries()) {
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include(wrong[index]?.[1]).and.not.include("    at ");
    }
  });

  it("ends with code 0 when the report no longer exists", async () => {
    const run = start("--report", "5ae01b06-1f6d-4c0f-9b1c-000000000000", "--run", "1");
    expect((await run.ended).code).to.equal(0);
  });
});

describe("a batch of the crawl", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it("counts once if it is stored twice, as after a connection that was cut during COMMIT", async () => {
    const { db } = database;
    const reportId = await insertReport(db, {});
    await beginCrawl(db, reportId);
    const source = { encoding: "identity" as const, body: Buffer.from("x"), contentType: "", charset: null };
    const failure = { code: "timeout" as const, detail: "too slow" };
    const batch: CrawlBatch = {
      frontier: [
        { url: "https://a/1", position: 0, depth: 0, linkedFrom: null, done: true },
        { url: "https://a/2", position: 1, depth: 1, linkedFrom: "https://a/1", done: false },
      ],
      pages: [
        { url: "https://a/1", linkedFrom: null, httpStatus: 200, source, failure: undefined },
        { url: "https://a/0", linkedFrom: null, httpStatus: null, source: undefined, failure },
      ],
      excluded: [{ url: "https://b/", linkedFrom: "https://a/1", reason: "off_site" }],
      notices: [{ code: "sitemap_failed", url: "https://a/s.xml", howMany: 1, detail: "It responded with 500." }],
      inbound: [],
      seen: [],
      answers: [],
      startFailure: undefined,
    };
    for (let time = 0; time < 2; time++) await storeBatch(db, reportId, ["html", "a11y"], batch);
    const stored = await readCrawl(db, reportId);
    expect(stored.report).to.include({
      num_pages: 2,
      html_pending: 1,
      html_failed: 1,
      a11y_pending: 1,
      a11y_failed: 1,
    });
    expect(stored.urls).to.deep.equal(["https://a/1", "https://a/0"]);
    expect(stored.checks).to.have.length(4);
    expect(stored.excluded).to.have.length(1);
    expect(stored.waiting).to.equal(1);

    await endCrawl(db, reportId, [], emptyBatch(), {
      ...{ state: "ended", failure: undefined, maxExcluded: 10 },
    });
    const error = await storeBatch(db, reportId, ["html"], batch).catch((thrown: unknown) => thrown);
    expect(error).to.have.property("name", "CrawlGoneError");
    expect((await readCrawl(db, reportId)).reasons).to.deep.equal({
      "https://b/": "off_site",
      "https://a/2": "page_limit",
    });
  });
});
