import { expect } from "chai";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { createSourceFetcher } from "../../../src/crawler/source-fetcher.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import type { CheckKind, CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { leaseChecks } from "../../../src/transactions/lease-checks.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { startController, testLog, testSettings } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine, fakeRunner, htmlIssue } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const now = new Date();
const month = `${now.toISOString().slice(0, 7)}-01`;
const pending = { status: "pending" };

describe("checking a page again, and deleting one", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let call: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    owner = await accountWithToken(database);
    call = api.as(owner.token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function checkAll(reportId: string, kind: CheckKind, elements = 2): Promise<void> {
    const { checks } = await leaseChecks(database.db, { reportId, kind }, 1_000, month);
    const outcome: CheckOutcome =
      kind === "html"
        ? { kind, engine, issues: [htmlIssue("m", elements)] }
        : { kind, engine, issues: [a11yIssue("serious", elements)] };
    const results = checks.map((lease) => ({ lease, outcome }));
    await recordOutcomes(database.db, { reportId, kind, spec: reportSpec() }, results, now);
  }
  const lastJob = (run: number) => ({ run, attempt: 1, done: 0 });
  const endedReport = async (pages = 3) => {
    const id = await insertReport(database.db, { accountId: owner.accountId, spec: { performA11yChecks: true } });
    const pageIds = await queuePages(database.db, id, new Array(pages).fill("p"), ["html", "a11y"]);
    for (const kind of ["html", "a11y"] as const) await checkAll(id, kind);
    await database.db
      .updateTable("reports")
      .set({
        phase: "Complete",
        completed_at: now,
        last_jobs: JSON.stringify({ crawler: lastJob(1), "html-checker": lastJob(4), "a11y-checker": lastJob(4) }),
      })
      .where("id", "=", id)
      .execute();
    return { id, pageIds, path: `/reports/${id}/web_pages/${pageIds[0]}` };
  };
  const report = async (id: string) => (await call("GET", `/reports/${id}`)).json.data.attributes;

  it("queues the page's checks, which is visible at once", async () => {
    const { id, path } = await endedReport();
    const reply = await call("PATCH", path, { attributes: pending });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.json.data.attributes).to.include({ status: "pending" });
    const { checks, phase } = await report(id);
    expect(phase).to.equal("Checking");
    expect(checks).to.have.nested.property("html.status").that.deep.equals({ pending: 1, checked: 2, failed: 0 });
    expect(checks).to.have.nested.property("a11y.status").that.deep.equals({ pending: 1, checked: 2, failed: 0 });
    await expectConsistent(database.db, id);
    // Requested again while it waits: it is queued once.
    expect((await call("PATCH", path, { attributes: pending })).status).to.equal(200);
    await expectConsistent(database.db, id);
    for (const kind of ["html", "a11y"] as const) await checkAll(id, kind, 5);
    expect((await report(id)).checks).to.have.nested.property("html.issues.errors", 9);
    await expectConsistent(database.db, id);
  });

  it("keeps the deadline and the attempts of a report that has not ended", async () => {
    const { id, path } = await endedReport();
    await database.db
      .updateTable("reports")
      .set({ phase: "Checking", completed_at: null })
      .where("id", "=", id)
      .execute();
    expect((await call("PATCH", path, { attributes: pending })).status).to.equal(200);
    expect(await readProgress(database.db, id)).to.deep.include({ phase: "Checking", runBase: null });
  });

  it("queues a failed page again", async () => {
    const { id, path, pageIds } = await endedReport(1);
    await database.db
      .updateTable("checks")
      .set({ status: "queued" })
      .where("web_page_id", "=", pageIds[0] ?? "")
      .where("kind", "=", "html")
      .execute();
    await setReport(database.db, id, { html_pending: 1, html_checked: 0 });
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "html" }, 1, month);
    const outcome: CheckOutcome = { kind: "html", failure: { code: "timeout", detail: "Too slow." } };
    const results = checks.map((lease) => ({ lease, outcome }));
    await recordOutcomes(database.db, { reportId: id, kind: "html", spec: reportSpec() }, results, now);
    expect((await call("GET", path)).json.data.attributes.status).to.equal("failed");
    const again = (await call("PATCH", path, { attributes: pending })).json.data.attributes;
    expect(again).to.have.nested.property("html_check.failure", null);
    await checkAll(id, "html");
    await checkAll(id, "a11y");
    expect((await call("GET", path)).json.data.attributes.status).to.equal("checked");
    await expectConsistent(database.db, id);
  });

  it("needs a credit", async () => {
    const { id, path } = await endedReport(1);
    await database.db.updateTable("accounts").set({ monthly_credits: 1 }).where("id", "=", owner.accountId).execute();
    const reply = await call("PATCH", path, { attributes: pending });
    expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([402, "credits_exhausted"]);
    expect((await report(id)).phase).to.equal("Complete");
    await database.db
      .updateTable("accounts")
      .set({ monthly_credits: null })
      .where("id", "=", owner.accountId)
      .execute();
  });

  it("accepts only `pending`", async () => {
    const { path } = await endedReport(1);
    for (const attributes of [{}, { status: "checked" }, { status: "pending", url: "x" }]) {
      const reply = await call("PATCH", path, { attributes });
      expect(reply.status, reply.text).to.equal(422);
    }
  });

  it("removes a page and subtracts its counts", async () => {
    const { id, path } = await endedReport();
    const { url } = (await call("GET", path)).json.data.attributes;
    expect((await call("DELETE", path)).status).to.equal(204);
    expect((await call("DELETE", path)).status).to.equal(404);
    await expectConsistent(database.db, id);
    expect(await report(id)).to.deep.include({ num_pages: 2, phase: "Complete" });
    expect((await report(id)).checks).to.have.nested.property("html.issues.errors", 4);
    const excluded = (await call("GET", `/reports/${id}/excluded_urls`)).json.data;
    expect(excluded.map(({ attributes }) => [attributes.url, attributes.reason])).to.deep.equal([[url, "deleted"]]);
    const common = (await call("GET", `/reports/${id}/common_html_issues`)).json.data;
    expect(common.map(({ attributes }) => attributes.how_many)).to.deep.equal([4]);
  });

  it("rejects the result of a page that was deleted meanwhile, and releases its credit", async () => {
    const { id, path } = await endedReport();
    await call("PATCH", path, { attributes: pending });
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "html" }, 1, month);
    expect((await call("DELETE", path)).status).to.equal(204);
    await expectConsistent(database.db, id);
    const outcome: CheckOutcome = { kind: "html", engine, issues: [htmlIssue("late", 9)] };
    const results = checks.map((lease) => ({ lease, outcome }));
    const context = { reportId: id, kind: "html" as const, spec: reportSpec() };
    expect((await recordOutcomes(database.db, context, results, now)).size).to.equal(0);
    await expectConsistent(database.db, id);
  });

  it("keeps the counters right while checkers work: pages are deleted, queued again and recorded at once", async () => {
    const { id, pageIds } = await endedReport(20);
    const paths = pageIds.map((page) => `/reports/${id}/web_pages/${page}`);
    const requeue = async () => {
      for (const path of paths)
        expect((await call("PATCH", path, { attributes: pending })).status).to.be.oneOf([200, 404]);
    };
    const remove = async () => {
      for (const path of paths.toReversed().slice(0, 10)) expect((await call("DELETE", path)).status).to.equal(204);
    };
    const check = async () => {
      for (let i = 0; i < 10; i++) for (const kind of ["html", "a11y"] as const) await checkAll(id, kind, i + 1);
    };
    await Promise.all([requeue(), remove(), check(), check()]);
    await expectConsistent(database.db, id);
    expect((await report(id)).num_pages).to.equal(10);
  });

  it("fetches the page again for its HTML check, twice if the site is busy: only the first check's source is stored", async () => {
    let asked = 0;
    const site = await serveSite({
      "/page": (_request, response) => {
        asked += 1;
        if (asked === 1) response.writeHead(503, { "retry-after": "0" }).end();
        else response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><title>New</title>");
      },
      "/gone": { status: 410, body: "<p>gone" },
      "/closed": (_request, response) => void response.destroy(),
      "/away": { status: 302, headers: { location: "http://localhost:1/" } },
    });
    const id = await insertReport(database.db, { accountId: owner.accountId, spec: { rateLimit: 0 } });
    const pageIds = await queuePages(database.db, id, ["old", "old", "old", "old"]);
    const sources = createSourceFetcher({ db: database.db, reportId: id, policy: addressPolicy(["127.0.0.0/8"]) });
    try {
      for (const [index, path] of ["page", "gone", "away", "closed"].entries())
        await database.db
          .updateTable("web_pages")
          .set({ url: `${site.origin}/${path}`, http_status: 200 })
          .where("id", "=", pageIds[index] ?? "")
          .execute();
      const seen: (string | undefined)[] = [];
      const run = () =>
        runChecker({
          db: database.db,
          databaseUrl: database.url,
          context: { reportId: id, kind: "html", spec: reportSpec({ rateLimit: 0 }) },
          runner: fakeRunner(({ document }) => {
            seen.push(document?.source);
            return { kind: "html", engine, issues: [] };
          }),
          fetchSource: async (url, options) => (await sources.readAgain(url, options)).document,
          log: testLog,
          now: () => now,
          signal: new AbortController().signal,
        });
      await run();
      expect([seen, site.requests]).to.deep.equal([["old", "old", "old", "old"], []]);
      for (const page of pageIds) await call("PATCH", `/reports/${id}/web_pages/${page}`, { attributes: pending });
      await run();
      expect([seen.slice(4), asked]).to.deep.equal([["<!DOCTYPE html><title>New</title>"], 2]);
      const pages = (await call("GET", `/reports/${id}/web_pages`)).json.data.map(({ attributes }) => attributes);
      expect(
        pages.map((page) => (page.html_check as { failure: { code: string } | null }).failure?.code),
      ).to.deep.equal([undefined, "http_error", "off_site", "unreachable"]);
      expect(pages.map((page) => page.http_status)).to.deep.equal([200, 410, 200, null]);
      await expectConsistent(database.db, id);
    } finally {
      await sources.close();
      await site.close();
    }
  });

  for (const [performHtmlChecks, expected] of [
    [false, [404, null, 200]],
    [true, [200, 200, 200]],
  ] as const)
    it(`${performHtmlChecks ? "shows the HTTP status that the crawler received, not the browser's" : "shows the HTTP status that the browser received, without HTML checks"}`, async () => {
      const spec = { rateLimit: 0, performHtmlChecks, performA11yChecks: true };
      const id = await insertReport(database.db, { accountId: owner.accountId, spec });
      const kinds = performHtmlChecks ? (["html", "a11y"] as const) : (["a11y"] as const);
      await queuePages(database.db, id, ["p", "p", "p"], [...kinds]);
      await database.db.updateTable("web_pages").set({ http_status: 200 }).where("report_id", "=", id).execute();
      const { checks } = await leaseChecks(database.db, { reportId: id, kind: "a11y" }, 10, month);
      const failure = (code: "http_error" | "unreachable" | "browser_crashed") => ({ code, detail: "It failed." });
      const outcomes: CheckOutcome[] = [
        { kind: "a11y", failure: failure("http_error"), httpStatus: 404 },
        { kind: "a11y", failure: failure("unreachable"), httpStatus: null },
        { kind: "a11y", failure: failure("browser_crashed") },
      ];
      const results = checks
        .toSorted((a, b) => Number(a.checkId) - Number(b.checkId))
        .flatMap((lease, index) => {
          const outcome = outcomes[index];
          return outcome ? [{ lease, outcome }] : [];
        });
      await recordOutcomes(database.db, { reportId: id, kind: "a11y", spec: reportSpec(spec) }, results, now);
      const pages = (await call("GET", `/reports/${id}/web_pages`)).json.data;
      expect(pages.map(({ attributes }) => attributes.http_status)).to.deep.equal(expected);
    });

  it("reopens an ended report whose resource is gone, with new runs", async () => {
    const { id, path } = await endedReport();
    const cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const controller = startController(database, { cluster, settings: testSettings });
    const prefix = `report-${id.slice(0, 8)}-`;
    // Other tests may leave reports with pages to check, which get Jobs too.
    const jobs = async () =>
      (await cluster.list("Job")).items.filter(({ metadata }) => metadata.name.startsWith(prefix));
    const names = async () => (await jobs()).map(({ metadata }) => metadata.name).sort();
    const of = (stage: string, run: number) => `${prefix}${stage}-${run}`;
    try {
      await call("PATCH", path, { attributes: pending });
      const made = [of("a11y-checker", 5), of("html-checker", 5)];
      await eventually(async () => (await names()).join() === made.join());
      for (const { metadata } of await jobs()) expect(metadata.ownerReferences).to.equal(undefined);
      for (const kind of ["html", "a11y"] as const) await checkAll(id, kind, 1);
      await database.db
        .selectNoFrom((eb) => eb.fn("pg_notify", [eb.val("site_validator"), eb.val(id)]).as("n"))
        .execute();
      await eventually(async () => (await report(id)).phase === "Complete");
      expect(await names()).to.deep.equal(made);
      await expectConsistent(database.db, id);
    } finally {
      await controller.stop();
    }
  });
});
