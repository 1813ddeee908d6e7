import { chmod, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import winston from "winston";
import { UsageError } from "../../../src/domain/errors.ts";
import { explainEnd } from "../../../src/embedded/explain-end.ts";
import { type KeptPostgres, keepRunning } from "../../../src/embedded/keep-running.ts";
import { type EmbeddedPostgres, startPostgres } from "../../../src/embedded/postgres.ts";
import { mountSmallDisk, type SmallDisk } from "../../support/small-disk.ts";
import { eventually } from "../../support/wait.ts";

const log = winston.createLogger({ silent: true });

describe("an embedded PostgreSQL that is kept running", () => {
  let folder: string;
  let kept: KeptPostgres | undefined;
  let starts: (Error | undefined)[];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-kept-"));
    await chmod(folder, 0o755);
    starts = [];
  });
  afterEach(async () => {
    await kept?.stop();
    kept = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  /** Keeps a server running, and counts its starts with their errors. */
  async function keep(dataDir: string): Promise<EmbeddedPostgres> {
    const options = { dataDir, socketDir: path.join(folder, "socket"), durable: true };
    const first = await startPostgres(options);
    const start = async (signal: AbortSignal) => {
      try {
        const next = await startPostgres({ ...options, existing: true, signal });
        starts.push(undefined);
        return next;
      } catch (error) {
        starts.push(error as Error);
        throw error;
      }
    };
    kept = keepRunning(first, start, log);
    return first;
  }

  async function killServer(dataDir: string, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    process.kill(Number((await readFile(path.join(dataDir, "postmaster.pid"), "utf8")).split("\n")[0]), signal);
  }

  async function query(url: string, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  it("is back after a SIGTERM, although connections that stay open would keep it from ending", async () => {
    const dataDir = path.join(folder, "data");
    const { url } = await keep(dataDir);
    const idle = new pg.Client({ connectionString: url });
    idle.on("error", () => {});
    await idle.connect();
    await killServer(dataDir, "SIGTERM");
    await eventually(async () => starts.length > 0);
    expect(await query(url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
    await idle.end().catch(() => {});
  });

  it("is reached whatever port and TLS the environment has for other servers", async () => {
    const others = { PGPORT: "1", PGSSLMODE: "require" };
    Object.assign(process.env, others);
    try {
      const { url } = await keep(path.join(folder, "data"));
      expect(await query(url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
    } finally {
      for (const name of Object.keys(others)) delete process.env[name];
    }
  });

  it("is back under the same URL after each kill", async () => {
    const dataDir = path.join(folder, "data");
    const { url } = await keep(dataDir);
    await query(url, "create table kept as select 42 as n");
    for (let time = 1; time <= 3; time++) {
      await killServer(dataDir);
      await eventually(() => starts.length === time);
      expect(await eventually(() => query(url, "select n from kept").catch(() => undefined))).to.deep.equal([
        { n: 42 },
      ]);
    }
    expect(starts).to.deep.equal([undefined, undefined, undefined]);
  });

  it("explains no lost connection by the end of a server before the one that runs", async () => {
    const dataDir = path.join(folder, "data");
    const first = await keep(dataDir);
    await killServer(dataDir);
    await first.ended;
    await eventually(() => kept?.latest() !== first);
    const loss = Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" });
    expect(await explainEnd(loss, first, 0)).not.to.equal(loss);
    expect(await explainEnd(loss, kept?.latest(), 0)).to.equal(loss);
  });

  it("waits on a full disk until there is room, and has lost nothing then", async function () {
    const disk: SmallDisk = await mountSmallDisk(this, 60);
    try {
      const { url } = await keep(path.join(disk.folder, "data"));
      await query(url, "create table kept as select 42 as n");
      await disk.fill();
      await killServer(path.join(disk.folder, "data"));
      // Its lock file needs room already.
      await eventually(() => starts.length >= 2);
      for (const error of starts) expect(error?.message).to.match(/no space left on device/i);
      await disk.free();
      expect(await eventually(() => query(url, "select n from kept").catch(() => undefined))).to.deep.equal([
        { n: 42 },
      ]);
    } finally {
      await kept?.stop();
      kept = undefined;
      await disk.unmount();
    }
  });

  it("says what the server said when its files are damaged, and stops even during the pause between two starts", async () => {
    const dataDir = path.join(folder, "data");
    await keep(dataDir);
    await rename(path.join(dataDir, "global", "pg_control"), path.join(dataDir, "global", "moved"));
    await killServer(dataDir);
    await eventually(() => starts.length >= 2);
    expect(starts[0]?.message).to.match(/pg_control.*restore the folder from a backup, or set DATA_DIR/s);
  });

  it("is given up at once for what only the user can change", async () => {
    const dataDir = path.join(folder, "data");
    await keep(dataDir);
    await rename(path.join(dataDir, "password"), path.join(dataDir, "moved"));
    await killServer(dataDir);
    const failure = await kept?.failed;
    expect(failure).to.be.instanceOf(UsageError).with.property("message").that.includes("Restore that file");
    expect(starts).to.have.length(1);
  });

  it("ends the server that runs, and starts no other, when it is stopped", async () => {
    const dataDir = path.join(folder, "data");
    const { url } = await keep(dataDir);
    await kept?.stop();
    expect(starts).to.deep.equal([]);
    expect(await query(url, "select").catch((error: NodeJS.ErrnoException) => error.code)).to.equal("ENOENT");
  });
});
