import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type KyselyPlugin, sql } from "kysely";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { engineOf } from "../../../src/checker/engines/html/versions.ts";
import { runChecker } from "../../../src/checker/run-checker.ts";
import { subscribe } from "../../../src/database/connection/client.ts";
import { findRawCheck } from "../../../src/database/reports/web-pages.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import type { CheckKind } from "../../../src/domain/findings/findings.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { compileCache } from "../../support/cache.ts";
import { readReport } from "../../support/check-counts.ts";
import { childrenOf } from "../../support/child-processes.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine, fakeRunner, htmlIssue } from "../../support/fake-runner.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { htmlPage, queuePages } from "../../support/queue-pages.ts";
import { serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const entry = fileURLToPath(new URL("../../../bin/run.js", import.meta.url));
const log = createLogger("error", { program: "test" });
const now = () => new Date("2026-03-15T12:00:00Z");

type Ended = { code: number | null; signal: string | null; stderr: string };

describe("the checker", () => {
  let database: TestDatabase;
  const children = new Set<ChildProcess>();

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(async () => {
    // The checkers of a failed test may still run.
    for (const child of children) child.kill("SIGKILL");
    await Promise.all([...children].map((child) => new Promise((resolve) => child.once("close", resolve))));
    await emptyDatabase(database.db);
  });

  const statuses = async (reportId: string): Promise<Record<string, number>> => {
    const rows = await database.db
      .selectFrom("checks")
      .select(["status", sql<number>`count(*)::integer`.as("count")])
      .where("report_id", "=", reportId)
      .groupBy("status")
      .execute();
    return Object.fromEntries(rows.map((row) => [row.status, row.count]));
  };

  const usage = () => database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();

  /** A checker in this process, with the test's own engine. */
  const run = (
    reportId: string,
    runner: EngineRunner,
    options: { spec?: Partial<ReportSpec>; signal?: AbortSignal; db?: TestDatabase["db"] } = {},
  ) =>
    runChecker({
      db: options.db ?? database.db,
      databaseUrl: database.url,
      context: { reportId, kind: runner.kind, spec: reportSpec(options.spec) },
      runner,
      log,
      now,
      signal: options.signal ?? new AbortController().signal,
    });

  const start = (
    reportId: string,
    {
      kind = "html",
      args,
      url,
      env,
    }: { kind?: CheckKind; args?: string[]; url?: string; env?: NodeJS.ProcessEnv } = {},
  ) => {
    const engine = kind === "html" ? ["--html-engine", "conformance"] : [];
    const given = args ?? ["--report", reportId, "--engine", kind, "--run", "1", ...engine];
    const child = spawn(process.execPath, [entry, "checker", ...given], {
      env: { DATABASE_URL: url ?? database.url, LOG_LEVEL: "error", PATH: process.env.PATH, ...compileCache, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.add(child);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (code, signal) => {
        children.delete(child);
        resolve({ code, signal, stderr });
      });
    });
    return { child, ended };
  };

  const dirty = (count: number): string[] =>
    Array.from({ length: count }, (_, i) =>
      htmlPage(`<p id=a foo=bar>${"x".repeat(2_000)}</p>${"<p id=a>".repeat(i % 5)}`),
    );

  describe("as a program", () => {
    // Each test starts several processes.

    const expected = {
      conformance: [
        {
          message: 'Another element before this one has the ID "a" already; an ID is for one element.',
          how_many: 60,
          tags: ["references"],
        },
        { message: 'The attribute "foo" is not allowed on <p> here.', how_many: 30, tags: ["attributes"] },
      ],
      "html-validate": [
        { message: 'Attribute "foo" is not allowed on <p> element', how_many: 30, tags: ["attributes"] },
        { message: 'Duplicate ID "a"', how_many: 60, tags: ["references"] },
      ],
    };
    for (const htmlEngine of ["conformance", "html-validate"] as const)
      it(`checks all pages of a report with ${htmlEngine}, and ends`, async () => {
        const reportId = await insertReport(database.db, { spec: { htmlEngine } });
        await queuePages(database.db, reportId, dirty(30));
        const args = ["--report", reportId, "--engine", "html", "--run", "1", "--html-engine", htmlEngine];
        expect(await start(reportId, { args }).ended).to.deep.include({
          code: 0,
          stderr: "",
        });
        expect(await statuses(reportId)).to.deep.equal({ checked: 30 });
        await expectConsistent(database.db, reportId);
        const report = await readReport(database.db, reportId);
        expect(report).to.include({ html_checked: 30, html_errors: 30 + 60, html_warnings: 0 });
        expect(report.engines).to.deep.equal({ html: engineOf(htmlEngine) });
        const common = await database.db
          .selectFrom("common_issues")
          .select(["message", "how_many", "tags"])
          .orderBy("message")
          .execute();
        expect(common).to.deep.equal(expected[htmlEngine]);
        const kept = await database.db.selectFrom("page_sources").select("kept").distinct().execute();
        expect(kept).to.deep.equal([{ kept: true }]);
      });

    it("shares a report with a second checker", async () => {
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, dirty(60));
      const ends = await Promise.all([start(reportId).ended, start(reportId).ended]);
      expect(ends.map(({ code, stderr }) => [code, stderr])).to.deep.equal([
        [0, ""],
        [0, ""],
      ]);
      expect(await statuses(reportId)).to.deep.equal({ checked: 60 });
      await expectConsistent(database.db, reportId);
    });

    it("that is killed during its work is replaced by another, and each page counts once", async () => {
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, dirty(600));
      const first = start(reportId);
      await eventually(async () => ((await statuses(reportId)).checked ?? 0) > 20);
      const workers = await childrenOf(first.child.pid ?? 0, "html/conformance-worker");
      expect(workers).not.to.deep.equal([]);
      first.child.kill("SIGKILL");
      await first.ended;
      await eventually(() => workers.every(({ pid }) => !existsSync(`/proc/${pid}`)));
      const left = await statuses(reportId);
      expect(left.leased).to.be.above(0);
      await expectConsistent(database.db, reportId);
      // A minute later.
      await sql`update checks set lease_until = now() - interval '1 second' where status = 'leased'`.execute(
        database.db,
      );
      expect(await start(reportId).ended).to.deep.include({ code: 0 });
      expect(await statuses(reportId)).to.deep.equal({ checked: 600 });
      expect(await usage()).to.deep.equal([{ reserved: 0, charged: 600 }]);
      await expectConsistent(database.db, reportId);
    });

    it("releases its unfinished checks when it gets a stop signal", async () => {
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, dirty(600));
      const checker = start(reportId);
      await eventually(async () => ((await statuses(reportId)).checked ?? 0) > 20);
      checker.child.kill("SIGTERM");
      expect(await checker.ended).to.deep.include({ code: 1 });
      const left = await statuses(reportId);
      expect(left.leased).to.equal(undefined);
      expect(left.queued).to.be.above(0);
      const attempts = await database.db
        .selectFrom("checks")
        .select("attempts")
        .where("status", "=", "queued")
        .where("attempts", ">", 0)
        .execute();
      expect(attempts).to.deep.equal([]);
      await expectConsistent(database.db, reportId);
    });

    /** Locked in the order of the pages, as the programs do. */
    const expireFirstLeases = () =>
      sql`
        with leased as materialized (
          select id from checks where status = 'leased' and attempts < 2 order by web_page_id, id for update
        )
        update checks c set lease_until = now() from leased where c.id = leased.id`.execute(database.db);

    it("continues when its database connections are cut, and counts nothing twice", async () => {
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, dirty(200));
      const checker = start(reportId);
      let ended = false;
      checker.ended.then(() => {
        ended = true;
      });
      for (let cuts = 0; cuts < 4 && !ended; cuts++) {
        const before = (await statuses(reportId)).checked ?? 0;
        await eventually(async () => ended || ((await statuses(reportId)).checked ?? 0) > before);
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'site-validator checker%'`.execute(database.db);
        // When the connection is cut during leasing, nobody knows the lease, so it must expire.
        await expireFirstLeases();
      }
      expect(await checker.ended).to.deep.include({ code: 0 });
      expect(await statuses(reportId)).to.deep.equal({ checked: 200 });
      expect(await usage()).to.deep.equal([{ reserved: 0, charged: 200 }]);
      await expectConsistent(database.db, reportId);
    });

    it("waits while the database is unreachable", async () => {
      const proxy = await faultProxy(database.url);
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, dirty(200));
      const checker = start(reportId, { url: proxy.url });
      await eventually(async () => ((await statuses(reportId)).checked ?? 0) > 20);
      await proxy.cut();
      const done = (await statuses(reportId)).checked ?? 0;
      await proxy.mend();
      await eventually(async () => ((await statuses(reportId)).checked ?? 0) > Math.min(done, 199));
      // When the connection is cut during leasing, nobody knows the lease, so it must expire.
      let over = false;
      void checker.ended.finally(() => {
        over = true;
      });
      await eventually(async () => {
        await expireFirstLeases();
        return over;
      });
      expect(await checker.ended).to.deep.include({ code: 0 });
      await proxy.cut();
      expect(await statuses(reportId)).to.deep.equal({ checked: 200 });
      expect(await usage()).to.deep.equal([{ reserved: 0, charged: 200 }]);
      await expectConsistent(database.db, reportId);
    });

    it("stops at once at a stop signal, with or without a database", async () => {
      const proxy = await faultProxy(database.url);
      const reportId = await insertReport(database.db);
      // While the crawl goes on there may be more to check: the checker does not end by itself.
      await queuePages(database.db, reportId, dirty(40), ["html"], "crawling");
      const checker = start(reportId, { url: proxy.url });
      await eventually(async () => ((await statuses(reportId)).checked ?? 0) > 20);
      await proxy.cut();
      checker.child.kill("SIGTERM");
      expect(await checker.ended).to.deep.include({ code: 1, signal: null });
      await expectConsistent(database.db, reportId);
    });

    it("checks accessibility in a browser", async () => {
      const site = await serveSite({
        "*": '<!DOCTYPE html><html lang="en"><title>t</title><main><h1>a</h1><img src="data:,"><img src="data:,x"></main>',
      });
      const reportId = await insertReport(database.db, {
        spec: { startingUrl: site.url, performA11yChecks: true, rateLimit: 0 },
      });
      await queuePages(database.db, reportId, ["", "", ""], ["a11y"]);
      await sql`update web_pages set url = ${site.url} || id`.execute(database.db);
      const env = { ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8", HOME: process.env.HOME ?? "" };
      expect(await start(reportId, { kind: "a11y", env }).ended).to.deep.include({ code: 0, stderr: "" });
      await site.close();
      await expectConsistent(database.db, reportId);
      const report = await readReport(database.db, reportId);
      expect(report).to.include({ a11y_checked: 3, a11y_errors: 6, a11y_critical: 6 });
    });

    it("rejects wrong arguments with exit code 2 and names the allowed ones", async () => {
      const wrong = [
        [],
        ["--report", "x", "--engine", "html", "--run", "1"],
        ["--report", "00000000-0000-4000-8000-000000000000", "--engine", "css", "--run", "1"],
        ["--report", "00000000-0000-4000-8000-000000000000", "--engine", "html", "--run", "one"],
        ["--report", "00000000-0000-4000-8000-000000000000", "--engine", "html", "--run", "1", "--html-engine", "w3c"],
        ["--report", "00000000-0000-4000-8000-000000000000", "--engine", "html", "--run", "1"],
        ["--report", "00000000-0000-4000-8000-000000000000", "--engine", "a11y", "--run", "1", "--more"],
        ["--report", "00000000-0000-4000-8000-000000000000", "--engine", "a11y", "--run", "1"],
      ];
      for (const args of wrong) {
        const { code, stderr } = await start("", { args }).ended;
        expect(code, args.join(" ")).to.equal(2);
        expect(stderr).to.match(/^(--[\w-]+ is .*Use: |Unknown option .*Use: |There is no report )/);
      }
    });
  });

  it("waits during the crawl, and checks pages as they are found", async () => {
    const reportId = await insertReport(database.db);
    await sql`update reports set crawl_state = 'crawling' where id = ${reportId}`.execute(database.db);
    const running = run(
      reportId,
      fakeRunner(() => ({ kind: "html", engine, issues: [htmlIssue("a")] })),
    );
    await queuePages(database.db, reportId, ["a"], ["html"], "crawling");
    await sql`select pg_notify('site_validator', ${reportId})`.execute(database.db);
    await eventually(async () => (await statuses(reportId)).checked === 1);
    await queuePages(database.db, reportId, ["b"]);
    expect(await running).to.equal(true);
    expect(await statuses(reportId)).to.deep.equal({ checked: 2 });
    await expectConsistent(database.db, reportId);
  });

  it("checks a page that is announced while it looks for pages and finds none, without waiting for its next poll", async () => {
    const reportId = await insertReport(database.db);
    await sql`update reports set crawl_state = 'crawling' where id = ${reportId}`.execute(database.db);
    const listens = async () => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database() and state = 'idle'
        and application_name = 'site-validator checker (listen)' and query like 'listen%'`.execute(database.db);
      return rows.length > 0;
    };
    const heard = Promise.withResolvers<void>();
    const stop = new AbortController();
    const listening = Promise.withResolvers<void>();
    const subscribed = subscribe(["site_validator"], {
      ...{ url: database.url, applicationName: "test", signal: stop.signal, onLoss: () => {} },
      onNotification: () => heard.resolve(),
      onConnected: listening.resolve,
    });
    await listening.promise;
    const looks = new WeakSet<object>();
    const { setTimeout } = globalThis;
    const withoutPolls = (call: () => void, ms?: number) => setTimeout(call, ms === 1_000 ? 2 ** 30 : ms);
    let announced = false;
    const announceLate: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        if (node.kind === "RawNode" && node.sqlFragments.join("").includes("queued as materialized"))
          looks.add(queryId);
        return node;
      },
      async transformResult({ queryId, result }) {
        if (!looks.has(queryId) || announced || !(await listens())) return result;
        announced = true;
        // It looks once before it listens, and again when it does. From now on it never polls.
        globalThis.setTimeout = withoutPolls as typeof setTimeout;
        await queuePages(database.db, reportId, ["a"]);
        await sql`select pg_notify('site_validator', ${reportId})`.execute(database.db);
        await heard.promise;
        // The checker's own connection is read, too.
        await sql`select 1`.execute(database.db);
        await setImmediate();
        return result;
      },
    };
    const runner = fakeRunner(() => ({ kind: "html", engine, issues: [] }));
    try {
      expect(await run(reportId, runner, { db: database.db.withPlugin(announceLate) })).to.equal(true);
    } finally {
      globalThis.setTimeout = setTimeout;
      stop.abort();
      await subscribed;
    }
    expect([announced, await statuses(reportId)]).to.deep.equal([true, { checked: 1 }]);
  });

  it("counts severities for each affected element, reviews as warnings", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a", "b"], ["a11y"]);
    const issues = [a11yIssue("serious", 2), a11yIssue("minor", 3, true), a11yIssue("critical", 1)];
    const spec = { performA11yChecks: true, rateLimit: 0, storeScreenshot: true, storeRawA11yChecks: true };
    const screenshot = { png: Buffer.from("png"), width: 390, height: 1_200, scale: 2.625 };
    const outcome = { kind: "a11y" as const, engine, issues, raw: { nul: "\0\ud800" }, screenshot };
    expect(
      await run(
        reportId,
        fakeRunner(() => outcome, { kind: "a11y" }),
        { spec },
      ),
    ).to.equal(true);
    await expectConsistent(database.db, reportId);
    const report = await readReport(database.db, reportId);
    expect(report).to.include({ a11y_errors: 6, a11y_warnings: 6, a11y_minor: 6, a11y_serious: 4, a11y_critical: 2 });
    const pages = await database.db.selectFrom("raw_checks").select(["web_page_id", "kind"]).execute();
    expect(pages.map(({ kind }) => kind)).to.deep.equal(["a11y", "a11y"]);
    for (const { web_page_id } of pages)
      expect(await findRawCheck(database.db, web_page_id, "a11y")).to.deep.include({ raw: { nul: "\ufffd\ufffd" } });
    const pictures = await database.db.selectFrom("screenshots").select(["png", "width", "height", "scale"]).execute();
    expect(pictures).to.deep.equal([screenshot, screenshot]);
  });

  it("fails only the page whose engine throws or whose result cannot be stored", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["throws", "unstorable", "good", "good"]);
    const quiet = createLogger("error", {});
    quiet.silent = true;
    const runner = fakeRunner(({ document }) => {
      const source = document?.source;
      if (source === "throws") throw new Error("bug");
      if (source !== "unstorable") return { kind: "html", engine, issues: [htmlIssue("a")] };
      return { kind: "html", engine, issues: [{ ...htmlIssue("b"), issue_type: "neither" as "error" }] };
    });
    const context = { reportId, kind: "html" as const, spec: reportSpec() };
    const { signal } = new AbortController();
    await runChecker({ db: database.db, databaseUrl: database.url, context, runner, log: quiet, now, signal });
    const checks = await database.db.selectFrom("checks").select("failure_code").orderBy("id").execute();
    expect(checks.map((check) => check.failure_code)).to.deep.equal(["engine_error", "engine_error", null, null]);
    await expectConsistent(database.db, reportId);
  });

  it("releases its pages and ends when its browser cannot be reached, without failing a page", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a", "b", "c"]);
    const broken = fakeRunner(() => {
      throw new BrokenEnvironmentError("No browser can be reached.");
    });
    const error = await run(reportId, broken).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(BrokenEnvironmentError);
    const checks = await database.db.selectFrom("checks").select(["status", "attempts"]).execute();
    expect(checks).to.deep.equal(Array(3).fill({ status: "queued", attempts: 0 }));
    const whole = fakeRunner(() => ({ kind: "html", engine, issues: [] }));
    expect(await run(reportId, whole)).to.equal(true);
    expect(await statuses(reportId)).to.deep.equal({ checked: 3 });
    await expectConsistent(database.db, reportId);
  });

  it("stops when its report is deleted; late results are rejected and their credits released", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a", "b", "c"]);
    let deleted = false;
    const runner = fakeRunner(async () => {
      if (!deleted) await sql`update reports set deleted_at = now() where id = ${reportId}`.execute(database.db);
      deleted = true;
      return { kind: "html", engine, issues: [htmlIssue("a")] };
    });
    expect(await run(reportId, runner)).to.equal(true);
    expect((await statuses(reportId)).checked).to.equal(undefined);
    expect(await database.db.selectFrom("issues").selectAll().execute()).to.deep.equal([]);
    await expectConsistent(database.db, reportId);
    const [usage] = await database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();
    expect(usage).to.deep.equal({ reserved: 0, charged: 0 });
  });

  it("never uses more credits than the account has, with two checkers at once", async () => {
    const accountId = await insertAccount(database.db, { monthly_credits: 25 });
    const reportId = await insertReport(database.db, { accountId });
    await queuePages(
      database.db,
      reportId,
      Array.from({ length: 60 }, (_, i) => (i % 10 === 0 ? "fails" : "good")),
    );
    let most = 0;
    const runner = () =>
      fakeRunner(async ({ document }) => {
        const [usage] = await database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();
        most = Math.max(most, (usage?.reserved ?? 0) + (usage?.charged ?? 0));
        if (document?.source === "fails") return { kind: "html", failure: { code: "engine_error", detail: "x" } };
        return { kind: "html", engine, issues: [] };
      });
    expect(await Promise.all([run(reportId, runner()), run(reportId, runner())])).to.deep.equal([true, true]);
    expect(most).to.be.within(1, 25);
    const [usage] = await database.db.selectFrom("credit_usage").selectAll().execute();
    const checked = (await statuses(reportId)).checked ?? 0;
    expect(usage).to.include({ reserved: 0, charged: checked });
    expect(checked).to.be.within(1, 25);
    const codes = await database.db
      .selectFrom("checks")
      .select("failure_code")
      .distinct()
      .where("status", "=", "failed")
      .execute();
    expect(codes.map((row) => row.failure_code).sort()).to.deep.equal(["credits_exhausted", "engine_error"]);
    await expectConsistent(database.db, reportId);
  });
});
