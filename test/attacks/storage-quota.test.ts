import { expect } from "chai";
import { sql } from "kysely";
import { createEncryptor } from "../../src/domain/accounts/encryption.ts";
import { deletePage } from "../../src/transactions/change-pages.ts";
import { recordOutcomes } from "../../src/transactions/end-checks.ts";
import { accountWithToken, startTestApi, type TestApi } from "../support/api.ts";
import { insertReport, reportSpec } from "../support/builders.ts";
import { setReport } from "../support/check-counts.ts";
import { createReport, type RunningService, startController, testSettings } from "../support/controller.ts";
import { runCrawl } from "../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { serveSite } from "../support/site.ts";
import { eventually } from "../support/wait.ts";

const LIMIT = 100_000;

describe("an account's storage", () => {
  let database: TestDatabase;
  let api: TestApi;
  let accountId: string;
  let token: string;
  let controller: RunningService | undefined;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { maxAccountBytes: LIMIT, encryptor: createEncryptor("secret") });
  });
  beforeEach(async () => {
    ({ accountId, token } = await accountWithToken(database));
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const bytes = async () =>
    (await api.as(token)("GET", "/usage")).json.data.attributes.storage as { bytes: number; limit: number | null };
  const post = () => api.as(token)("POST", "/reports", { attributes: { starting_url: "https://example.com/" } });

  /** A report with one page whose screenshot has that many bytes. */
  async function fill(size: number, page?: { reportId: string; pageId: string }) {
    const spec = reportSpec({ storeScreenshot: true });
    const reportId = page?.reportId ?? (await insertReport(database.db, { accountId, spec }));
    const { db } = database;
    const pageId =
      page?.pageId ??
      (
        await db
          .insertInto("web_pages")
          .values({ report_id: reportId, url: "https://example.com/", http_status: 200, linked_from: null })
          .returning("id")
          .executeTakeFirstOrThrow()
      ).id;
    const leased = { status: "leased", lease_token: "7", lease_until: new Date(Date.now() + 3_600_000) } as const;
    const { id: checkId } = await db
      .insertInto("checks")
      .values({ report_id: reportId, web_page_id: pageId, kind: "html", ...leased })
      .onConflict((conflict) => conflict.columns(["web_page_id", "kind"]).doUpdateSet(leased))
      .returning("id")
      .executeTakeFirstOrThrow();
    await setReport(db, reportId, { html_pending: 1, num_pages: 1 });
    const lease = { checkId, token: "7" } as Parameters<typeof recordOutcomes>[2][number]["lease"];
    const screenshot = { png: Buffer.alloc(size), width: 1, height: 1, scale: 1 };
    const engine = { name: "test", version: "1" };
    const outcome = { kind: "html", engine, issues: [], screenshot } as const;
    await recordOutcomes(
      db,
      { reportId, kind: "html", spec },
      [{ lease, outcome: { ...outcome, issues: [] } }],
      new Date(),
    );
    return { reportId, pageId };
  }

  it("is shown, and counts a page that is checked again once, and a deleted one not at all", async () => {
    expect(await bytes()).to.deep.equal({ bytes: 0, limit: LIMIT });
    const page = await fill(50_000);
    expect((await bytes()).bytes).to.be.within(50_000, 50_100);
    await fill(20_000, page);
    expect((await bytes()).bytes).to.be.within(20_000, 20_100);
    await deletePage(database.db, page.reportId, page.pageId, new Date());
    expect((await bytes()).bytes).to.equal(0);
  });

  it("counts the URLs that a crawl stores, pages, excluded ones and those that link to them, once", async () => {
    const links = Array.from({ length: 100 }, (_, index) => `<a href="//other.example/${"x".repeat(1_900)}${index}">`);
    const planned = Array.from({ length: 50 }, (_, index) => `<a href="/${"y".repeat(1_000)}${index}">`);
    const site = await serveSite({ "*": `<!DOCTYPE html><title>t</title>${[...links, ...planned].join("")}` });
    const spec = { startingUrl: site.url, maxPages: 2, rateLimit: 0 };
    const id = await insertReport(database.db, { accountId, spec });
    await runCrawl(database, id);
    await site.close();
    const { rows } = await sql<{ bytes: string }>`
      select sum(octet_length(url) + coalesce(octet_length(linked_from), 0) + coalesce(octet_length(title), 0)) as bytes
      from (select report_id, url, linked_from, title from web_pages union all
            select report_id, url, linked_from, null from excluded_urls union all
            select report_id, url, array_to_string(pages, ''), null from inbound_links) stored
      where report_id = ${id}`.execute(database.db);
    expect((await bytes()).bytes)
      .to.equal(Number(rows[0]?.bytes))
      .and.to.be.within(530_000, 560_000);
  });

  it("once used up, admits no report over the API, and says why", async () => {
    expect((await post()).status).to.equal(201);
    const page = await fill(LIMIT);
    const { status, json } = await post();
    expect([status, json.errors[0]?.code]).to.deep.equal([402, "storage_quota_exceeded"]);
    expect(json.errors[0]?.detail).to.match(/delete reports/);
    const other = await accountWithToken(database);
    const theirs = await api.as(other.token)("POST", "/reports", {
      attributes: { starting_url: "https://example.com/" },
    });
    expect(theirs.status, "another account").to.equal(201);
    await deletePage(database.db, page.reportId, page.pageId, new Date());
    expect((await post()).status).to.equal(201);
  });

  it("once used up, starts no report by a deploy hook, and queues none", async () => {
    const made = await api.as(token)("POST", "/schedules", {
      attributes: { starting_url: "https://example.com/", periodicity: null },
    });
    const { pathname } = new URL(made.json.data.attributes.deploy_hook_url as string);
    const page = await fill(LIMIT);
    const deploy = () => api.as(undefined)("POST", pathname.replace("/api/v1", ""));
    const refused = await deploy();
    expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([409, "schedule_inactive"]);
    expect(refused.json.errors[0]?.detail).to.match(/delete reports/);
    await deletePage(database.db, page.reportId, page.pageId, new Date());
    const started = await deploy();
    expect([started.status, (started.json.meta as unknown as { queued: boolean }).queued]).to.deep.equal([202, false]);
  });

  it("once used up, admits no report that is applied as a resource", async () => {
    await fill(LIMIT);
    const settings = { ...testSettings, maxAccountBytes: LIMIT };
    controller = startController(database, { settings, accountOf: async () => accountId });
    const report = await createReport(api.deps.cluster, accountId);
    const refused = await eventually(async () => {
      const { name, namespace } = report.metadata;
      const found = await api.deps.cluster.get("Report", namespace, name);
      return found?.status?.conditions?.find(({ reason }) => reason === "StorageQuotaExceeded");
    });
    expect(refused.message).to.match(/delete reports/);
  });

  it("has no limit unless the operator sets one", async () => {
    const free = await startTestApi(database);
    try {
      await fill(LIMIT);
      const call = free.as(token);
      expect((await call("GET", "/usage")).json.data.attributes.storage).to.have.property("limit", null);
      expect(
        (await call("POST", "/reports", { attributes: { starting_url: "https://example.com/" } })).status,
      ).to.equal(201);
    } finally {
      await free.close();
    }
  });
});
