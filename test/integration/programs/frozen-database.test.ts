import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { migrate } from "../../../src/database/migrations/migrate.ts";
import type { Database } from "../../../src/database/tables.ts";
import { type EmbeddedPostgres, startPostgres } from "../../../src/embedded/postgres.ts";
import { insertReport } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { connectTo } from "../../support/database.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { type FrozenServer, frozenServer } from "../../support/frozen-server.ts";
import { htmlPage, queuePages } from "../../support/queue-pages.ts";
import { openSandbox, type RunningProgram, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

/** Programs notice a frozen server by limits of up to half a minute. */
const LIMIT_OF_CONNECTIONS = { seconds: 60 };
const TOKEN = "0123456789abcdef0123";

/** A PostgreSQL of its own, since all its databases freeze at once, and programs on it. */
type World = {
  postgres: EmbeddedPostgres;
  server: FrozenServer;
  db: Kysely<Database>;
  start(args: string[], databaseUrl?: string): RunningProgram;
  close(): Promise<void>;
};

async function openWorld(): Promise<World> {
  const folder = await mkdtemp(path.join(tmpdir(), "sv-frozen-"));
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, "pgdata");
  const postgres = await startPostgres({ dataDir, durable: false });
  const server = frozenServer(dataDir);
  const db = connectTo(postgres.url);
  await migrate(db);
  const sandbox: Sandbox = await openSandbox();
  let started = 0;
  return {
    postgres,
    server,
    db,
    start: (args, databaseUrl = postgres.url) =>
      sandbox.start(args, {
        DATABASE_URL: databaseUrl,
        DATA_DIR: path.join(folder, `data-${started++}`),
        PORT: "0",
        FIRST_TOKEN: TOKEN,
        ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
      }),
    async close() {
      server.thaw();
      await sandbox.close();
      await db.destroy();
      await postgres.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** It ends by itself before Kubernetes would kill it. */
async function end(program: RunningProgram): Promise<{ code: number | string; stderr: string }> {
  program.kill("SIGTERM");
  // A guard, long enough for a busy machine: a program has a limit of 25 s for itself (main/lifecycle/program.ts), and one
  // that needs this signal has an exit code that no test allows.
  const grace = setTimeout(() => program.kill("SIGKILL"), 120_000);
  return program.ended.finally(() => clearTimeout(grace));
}

// Most of the time is spent waiting for limits of connections, so all of them wait at once.
describe("programs whose database freezes", function () {
  this.timeout(limitOf(90));

  describe("end at SIGTERM while it is frozen", () => {
    const ends: Record<string, (number | string)[]> = {
      checker: [1, 3],
      crawler: [1, 3],
      api: [0, 1],
      controller: [0, 1],
      standalone: [0, 1],
      "service that is only starting": [0, 1, 2, 143, "SIGTERM"],
    };
    let world: World;
    let site: Site;
    const ended = new Map<string, ReturnType<typeof end>>();

    before(async () => {
      world = await openWorld();
      site = await serveSite({
        "*": (request, response) => {
          response.setHeader("content-type", "text/html");
          response.end(htmlPage(`<a href="${request.url}a">next</a>`));
        },
      });
      const atWork = { checker: startChecker, crawler: startCrawler, api: serve, controller: serve, standalone: serve };
      const programs = await Promise.all(
        Object.entries(atWork).map(async ([name, start]) => [name, await start(name)] as const),
      );
      await world.server.freeze();
      const starting = world.start(["standalone"]);
      for (const [name, program] of [...programs, ["service that is only starting", starting] as const])
        ended.set(name, end(program));
    });
    after(async () => {
      await world.close();
      await site.close();
    });

    async function startChecker(): Promise<RunningProgram> {
      const reportId = await insertReport(world.db);
      await queuePages(world.db, reportId, Array(20).fill(htmlPage("<p>a")), ["html"], "crawling");
      const engine = ["--engine", "html", "--html-engine", "conformance"];
      const program = world.start(["checker", "--report", reportId, ...engine, "--run", "1"]);
      const checked = async () => (await readReport(world.db, reportId)).html_checked;
      await eventually(async () => (await checked()) === 20);
      return program;
    }

    async function startCrawler(): Promise<RunningProgram> {
      const reportId = await insertReport(world.db, {
        spec: { startingUrl: site.url, maxPages: 0, rateLimit: 25, deepCrawl: true },
      });
      const program = world.start(["crawler", "--report", reportId, "--run", "1"]);
      await eventually(() => site.requests.length > 5);
      return program;
    }

    /** In a database of its own: where a service runs, no second one can. */
    async function serve(name: string): Promise<RunningProgram> {
      await sql`create database ${sql.id(name)}`.execute(world.db);
      const url = world.postgres.urlOf(name);
      const db: Kysely<Database> = connectTo(url, 1);
      await migrate(db);
      await db.destroy();
      const program = world.start([name], url);
      await eventually(() => /listen|controller started/.test(program.stdout() + program.stderr()));
      return program;
    }

    for (const [name, codes] of Object.entries(ends))
      it(`the ${name}`, async () => {
        const { code, stderr } = (await ended.get(name)) ?? {};
        expect(code, stderr).to.be.oneOf(codes);
      });
  });

  describe("continue when it is back, with nothing lost or repeated", () => {
    type Fault = { world: World; program: RunningProgram; proxy: FaultProxy | undefined };
    const lost = (program: RunningProgram) =>
      eventually(() => program.stderr().includes("database connection lost"), LIMIT_OF_CONNECTIONS);
    const THROUGH_PROXY = "a network that swallows everything";
    const faults: Record<string, (fault: Fault) => Promise<void>> = {
      "a frozen server": async ({ world: { server }, program }) => {
        await server.freeze();
        await lost(program);
        server.thaw();
      },
      "a server that is frozen again as soon as it is back": async ({ world: { server }, program }) => {
        await server.freeze();
        await lost(program);
        server.thaw();
        await server.freeze();
        const before = program.stderr().length;
        await eventually(() => program.stderr().length > before, LIMIT_OF_CONNECTIONS);
        server.thaw();
      },
      [THROUGH_PROXY]: async ({ proxy, program }) => {
        proxy?.swallow();
        await lost(program);
        await proxy?.mend();
      },
    };
    const runs = new Map<string, Promise<void>>();

    before(() => {
      for (const [name, fail] of Object.entries(faults)) {
        const run = runReport(fail, name === THROUGH_PROXY);
        // It may fail before its test begins.
        run.catch(() => {});
        runs.set(name, run);
      }
    });

    for (const name of Object.keys(faults)) it(name, () => runs.get(name));

    /** Runs a report during which `fail` is called, in the middle. */
    async function runReport(fail: (fault: Fault) => Promise<void>, isProxied: boolean): Promise<void> {
      const world = await openWorld();
      const { db } = world;
      const pages = 60;
      const links = Array.from({ length: pages - 1 }, (_, i) => `<a href="/${i}">${i}</a>`).join("");
      const site = await serveSite({
        "*": (_request, response) => {
          response.setHeader("content-type", "text/html");
          response.end(htmlPage(`<p id=a foo=1>${links}`));
        },
      });
      const proxy = isProxied ? await faultProxy(world.postgres.url) : undefined;
      try {
        const program = world.start(["standalone"], proxy?.url);
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
        await fail({ world, program, proxy });
        const isOver = eventually(async () => {
          const row = await db.selectFrom("reports").select("phase").where("id", "=", id).executeTakeFirst();
          return row?.phase === "Complete" || row?.phase === "Failed";
        }, LIMIT_OF_CONNECTIONS);
        await Promise.race([isOver, failed]);
        const report = await readReport(db, id);
        expect(report).to.include({ phase: "Complete", num_pages: pages, html_checked: pages, html_failed: 0 });
        await expectConsistent(db, id);
        const { code, stderr } = await end(program);
        expect(code, stderr).to.equal(0);
      } finally {
        await site.close();
        await proxy?.cut();
        await world.close();
      }
    }
  });
});
