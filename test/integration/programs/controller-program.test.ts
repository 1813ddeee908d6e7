import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { insertAccount } from "../../support/builders.ts";
import { createReport, ended, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openSandbox, type RunningProgram, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

describe("the controller as a program, with the real Jobs", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let site: Site;
  let sandbox: Sandbox;
  let release: () => void;

  before(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    site = await serveSite({
      "/": page(`<a href="/two">Two</a> <a href="/slow">Slow</a>`),
      "/two": page(`<img src="/x.png">`),
      "/slow": async (_, response) => {
        await held;
        response.writeHead(200, { "content-type": "text/html" }).end(page(""));
      },
    });
  });
  beforeEach(async () => {
    sandbox = await openSandbox();
  });
  afterEach(() => sandbox.close());
  after(async () => {
    release();
    await site.close();
    await database.drop();
  });

  function start(environment: Record<string, string> = {}): RunningProgram {
    return sandbox.start(["controller"], {
      DATABASE_URL: database.url,
      ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
      METRICS_PORT: "0",
      ...environment,
    });
  }

  it("completes a report although it is killed and restarted in the middle, and leaves no process behind", async () => {
    const account = await insertAccount(database.db);
    const first = start();
    const report = await createReport(cluster, account, {
      spec: { startingUrl: site.url, rateLimit: 25 },
    });
    const row = () => readProgress(database.db, report.metadata.uid);
    await eventually(async () => (await row())?.checks.html.checked === 2);
    first.kill("SIGKILL");
    await first.ended;
    await eventually(() => sandbox.leftProcesses().length === 0);

    const second = start();
    await eventually(async () => {
      const { items } = await cluster.list("Job");
      return items.length === 2 && sandbox.leftProcesses().length >= 3;
    });
    release();
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Complete", pages: 3, checks: { pending: 0, checked: 3, failed: 0 } });
    expect(status?.runs).to.deep.equal({ crawler: 1, "html-checker": 1 });
    const [, metricsUrl = ""] = /"metrics":"([^"]+)"/.exec(second.stderr()) ?? [];
    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
    expect(metrics).to.match(/controller_reconciles_total{result="done"} [1-9]/);
    expect(metrics).to.include('controller_reports_ended_total{phase="Complete"} 1');
    second.kill("SIGTERM");
    expect((await second.ended).code).to.equal(0);
    await eventually(() => sandbox.leftProcesses().length === 0);
  });

  it("ends with a message when the port of its metrics is taken", async () => {
    const { port } = new URL(site.url);
    const taken = await start({ HOST: "127.0.0.1", METRICS_PORT: port }).ended;
    expect(taken.code).to.not.equal(0);
    expect(taken.stderr).to.include("EADDRINUSE").and.include(port);
    // The lock is free again.
    const next = start();
    await eventually(() => next.stderr().includes("controller started"));
    next.kill("SIGTERM");
    expect((await next.ended).code).to.equal(0);
  });

  it("does not run twice on one database", async () => {
    const first = start();
    await eventually(() => first.stderr().includes("controller started"));
    const second = await start().ended;
    expect(second.code).to.equal(2);
    expect(second.stderr).to.include("Another site-validator runs on this database");
    first.kill("SIGTERM");
    expect((await first.ended).code).to.equal(0);
  });
});

function page(body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>A page</title></head><body><h1>A page</h1>${body}</body></html>`;
}
