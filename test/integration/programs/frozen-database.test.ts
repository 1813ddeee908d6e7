import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Kysely } from "kysely";
import { connect } from "../../../src/database/connection/connect.ts";
import { migrate } from "../../../src/database/migrations/migrate.ts";
import type { Database } from "../../../src/database/tables.ts";
import { type EmbeddedPostgres, startPostgres } from "../../../src/embedded/postgres.ts";
import { insertReport } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { type FrozenServer, frozenServer } from "../../support/frozen-server.ts";
import { htmlPage, queuePages } from "../../support/queue-pages.ts";
import { openSandbox, type RunningProgram, type Sandbox } from "../../support/run-program.ts";
import { serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const TOKEN = "0123456789abcdef0123";

describe("programs whose database freezes", () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let server: FrozenServer;
  let db: Kysely<Database>;
  let sandbox: Sandbox;

  // A server of its own: the others must not freeze.
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-frozen-"));
    await chmod(folder, 0o755);
    const dataDir = path.join(folder, "pgdata");
    postgres = await startPostgres({ dataDir, durable: false });
    server = frozenServer(dataDir);
    db = connect({ url: postgres.url, applicationName: "test", maxConnections: 5, onIdleError: () => {} });
    await migrate(db);
    sandbox = await openSandbox();
  });
  after(async () => {
    server.thaw();
    await sandbox.close();
    await db.destroy();
    await postgres.stop();
    await rm(folder, { recursive: true });
  });
  afterEach(() => server.thaw());

  const environment = () => ({
    DATABASE_URL: postgres.url,
    DATA_DIR: path.join(folder, "data"),
    PORT: "0",
    FIRST_TOKEN: TOKEN,
    ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
  });
  const checked = async (reportId: string): Promise<number> =>
    (await db.selectFrom("reports").select("html_checked").where("id", "=", reportId).executeTakeFirstOrThrow())
      .html_checked;

  /** It ends by itself before Kubernetes would kill it. */
  async function expectEnd(program: RunningProgram, codes: (number | string)[]): Promise<void> {
    program.kill("SIGTERM");
    const grace = setTimeout(() => program.kill("SIGKILL"), 30_000);
    const { code, stderr } = await program.ended;
    clearTimeout(grace);
    expect(code, stderr).to.be.oneOf(codes);
  }

  describe("end at SIGTERM while it is frozen", () => {
    it("the checker", async () => {
      const reportId = await insertReport(db);
      await queuePages(db, reportId, Array(20).fill(htmlPage("<p>a")), ["html"], "crawling");
      const program = sandbox.start(["checker", "--report", reportId, "--engine", "html", "--run", "1"], environment());
      await eventually(async () => (await checked(reportId)) === 20);
      await server.freeze();
      await expectEnd(program, [1, 3]);
    });

    it("the crawler", async () => {
      const site = await serveSite({
        "*": (request, response) => {
          response.setHeader("content-type", "text/html");
          response.end(htmlPage(`<a href="${request.url}a">next</a>`));
        },
      });
      const spec = { startingUrl: site.url, maxPages: 1_000, rateLimit: 25 };
      const reportId = await insertReport(db, { spec });
      const program = sandbox.start(["crawler", "--report", reportId, "--run", "1"], environment());
      await eventually(() => site.requests.length > 5);
      await server.freeze();
      await expectEnd(program, [1, 3]);
      await site.close();
    });

    for (const name of ["api", "controller", "standalone"])
      it(`the ${name}`, async () => {
        const program = sandbox.start([name], environment());
        await eventually(() => /listen|controller started/.test(program.stdout() + program.stderr()));
        await server.freeze();
        await expectEnd(program, [0, 1]);
      });

    it("a service that is only starting", async () => {
      await server.freeze();
      const program = sandbox.start(["standalone"], environment());
      await expectEnd(program, [0, 1, 2, 143, "SIGTERM"]);
    });
  });

  describe("continue when it is back, with nothing lost or repeated", () => {
    /** Runs a report during which `fail` is called, in the middle. */
    async function runReport(databaseUrl: string, fail: (program: RunningProgram) => Promise<void>): Promise<void> {
      const pages = 60;
      const links = Array.from({ length: pages - 1 }, (_, i) => `<a href="/${i}">${i}</a>`).join("");
      const site = await serveSite({
        "*": (_request, response) => {
          response.setHeader("content-type", "text/html");
          response.end(htmlPage(`<p id=a foo=1>${links}`));
        },
      });
      const program = sandbox.start(["standalone"], { ...environment(), DATABASE_URL: databaseUrl });
      const failed = program.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
      failed.catch(() => {});
      await Promise.race([eventually(() => program.stdout().includes("starting_url")), failed]);
      const url = /listens on (\S+)/.exec(program.stdout())?.[1] ?? "";
      const response = await fetch(`${url}/api/v1/reports`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
        body: JSON.stringify({
          data: { type: "report", attributes: { starting_url: site.url, max_pages: pages, rate_limit: 10 } },
        }),
      });
      const { id } = ((await response.json()) as { data: { id: string } }).data;
      await Promise.race([eventually(() => site.requests.length > 10), failed]);
      await fail(program);
      const ended = eventually(async () => {
        const row = await db.selectFrom("reports").select("phase").where("id", "=", id).executeTakeFirst();
        return row?.phase === "Complete" || row?.phase === "Failed";
      });
      await Promise.race([ended, failed]);
      const report = await db.selectFrom("reports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      expect(report).to.include({ phase: "Complete", num_pages: pages, html_checked: pages, html_failed: 0 });
      await expectConsistent(db, id);
      await expectEnd(program, [0]);
      await site.close();
    }
    const lost = (program: RunningProgram) => eventually(() => program.stderr().includes("database connection lost"));

    it("a frozen server", () =>
      runReport(postgres.url, async (program) => {
        await server.freeze();
        await lost(program);
        server.thaw();
      }));

    it("a server that is frozen again as soon as it is back", () =>
      runReport(postgres.url, async (program) => {
        await server.freeze();
        await lost(program);
        server.thaw();
        await server.freeze();
        const before = program.stderr().length;
        await eventually(() => program.stderr().length > before);
        server.thaw();
      }));

    it("a network that swallows everything", async () => {
      const proxy = await faultProxy(postgres.url);
      await runReport(proxy.url, async (program) => {
        proxy.swallow();
        await lost(program);
        await proxy.mend();
      });
      await proxy.cut();
    });
  });
});
