import { spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import pg from "pg";
import { createTestDatabase } from "../../support/database.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { eventually } from "../../support/wait.ts";

describe("standalone at its limits", () => {
  let sandbox: Sandbox;
  let frozen: ReturnType<typeof stopOnFrozenServer>;

  // It waits for half a minute: the other tests run meanwhile.
  before(() => {
    frozen = stopOnFrozenServer();
    frozen.catch(() => {});
  });
  beforeEach(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    await sandbox.close();
  });

  const dataDir = () => path.join(sandbox.folder, "data");
  const start = (env: Record<string, string> = {}) =>
    sandbox.start(["standalone"], { DATA_DIR: dataDir(), PORT: "0", ...env });

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  it("is ready only when its first token works", async () => {
    const database = await createTestDatabase();
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    try {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      await locker.query("begin; lock table api_tokens in access exclusive mode");
      // On a busy machine the lock may be held for longer than the service waits for one.
      const waiting = new URL(database.url);
      for (const limit of ["lock_timeout", "statement_timeout", "query_timeout"])
        waiting.searchParams.set(limit, "600000");
      const program = start({ DATABASE_URL: waiting.href, PORT: String(port) });
      const answers: number[] = [];
      const ready = async () => {
        const status = await fetch(`${url}/readyz`).then(
          (reply) => reply.status,
          () => 0,
        );
        answers.push(status);
        return status === 200;
      };
      // It waits for the lock, to store the token.
      await eventually(async () => {
        const { rows } = await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%api_tokens%'`.execute(
          database.db,
        );
        return rows.length > 0;
      });
      for (let asked = 0; asked < 5; asked += 1) expect(await ready()).to.equal(false);
      await locker.query("rollback");
      await eventually(ready);
      const file = await eventually(() => / (\S+first-token\S*)$/m.exec(program.stdout())?.[1]);
      const token = (await readFile(file, "utf8")).trim();
      const reply = await fetch(`${url}/api/v1/reports`, { headers: { authorization: `Bearer ${token}` } });
      expect(reply.status).to.equal(200);
      program.kill("SIGTERM");
      expect((await program.ended).code).to.equal(0);
    } finally {
      await locker.end().catch(() => {});
      await database.drop();
    }
  });

  it("started twice at the same moment on one data folder runs once, and the other says why in one line", async () => {
    const programs = [start(), start()];
    const lost = await Promise.race(programs.map(async (program) => ({ program, ...(await program.ended) })));
    const winner = programs.find((program) => program !== lost.program);
    await eventually(() => winner?.stdout().includes("starting_url"));
    expect(lost.code).to.equal(2);
    expect(lost.stderr.trim().split("\n")).to.have.length(1);
    expect(lost.stderr).to.match(/data folder|data directory/i);
    winner?.kill("SIGTERM");
    expect((await winner?.ended)?.code).to.equal(0);
  });

  for (const size of ["10m", "36m"])
    it(`on a disk of ${size} ends with one line that says that there is no space`, async function () {
      await mkdir(dataDir());
      // Only root may mount; elsewhere the test cannot make a small disk.
      if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", dataDir()]).status !== 0)
        return this.skip();
      try {
        const { code, stderr } = await start().ended;
        expect(code).to.equal(1);
        // What the service logs while its database ends are lines of JSON.
        const lines = stderr
          .trim()
          .split("\n")
          .filter((line) => !line.startsWith("{"));
        expect(lines, stderr).to.have.length(1);
        expect(lines[0]).to.match(/^There is no space left where the data or temporary files are: .*No space left/);
      } finally {
        spawnSync("umount", [dataDir()]);
      }
    });

  it("serves its metrics on a port of their own only, and on none unless told to", async () => {
    const database = await createTestDatabase();
    try {
      const [port, metricsPort] = [await freePort(), await freePort()];
      for (const own of [false, true]) {
        const program = start({
          ...{ DATABASE_URL: database.url, PORT: String(port) },
          ...(own && { METRICS_PORT: String(metricsPort) }),
        });
        await eventually(() => program.stdout().includes("starting_url"));
        expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).to.equal(404);
        const reply = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
        expect(reply?.status).to.equal(own ? 200 : undefined);
        if (reply) expect(await reply.text()).to.include("http_requests_total");
        program.kill("SIGTERM");
        expect((await program.ended).code).to.equal(0);
      }
    } finally {
      await database.drop();
    }
  });

  it("ends on SIGTERM although its database server is frozen", async () => {
    const { code, stderr } = await frozen;
    expect(code).to.equal(1);
    expect(stderr).to.match(/Ended, because stopping took more than 25 seconds \(received SIGTERM\)\./);
  });
});

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Starts the service, freezes its server, and stops it. Resolves when none of its processes is left. */
async function stopOnFrozenServer(): Promise<{ code: number | string; stderr: string }> {
  const sandbox = await openSandbox();
  try {
    const program = sandbox.start(["standalone"], { DATA_DIR: path.join(sandbox.folder, "data"), PORT: "0" });
    await eventually(() => program.stdout().includes("starting_url"));
    const servers = sandbox.processes().filter(({ command }) => /bin\/postgres|postgres:/.test(command));
    expect(servers).to.not.be.empty;
    const signal = (name: NodeJS.Signals) => {
      // The postmaster first, so that it starts no more. Its helpers may end meanwhile.
      for (const { pid } of servers.sort(
        (a, b) => Number(/bin\/postgres/.test(b.command)) - Number(/bin\/postgres/.test(a.command)),
      ))
        tryKill(pid, name);
    };
    signal("SIGSTOP");
    program.kill("SIGTERM");
    const end = await program.ended;
    signal("SIGCONT");
    await eventually(() => sandbox.leftProcesses().length === 0);
    return end;
  } finally {
    await sandbox.close();
  }
}
