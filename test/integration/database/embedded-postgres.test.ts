import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { UsageError } from "../../../src/domain/errors.ts";
import { postgresFolder } from "../../../src/embedded/binaries.ts";
import { initialise, openDataFolder } from "../../../src/embedded/data-folder.ts";
import { endOrphans } from "../../../src/embedded/orphans.ts";
import { passes, startPostgres } from "../../../src/embedded/postgres.ts";
import { lockStart, removeStaleLock } from "../../../src/embedded/start-lock.ts";
import { startDisposablePostgres } from "../../../src/embedded/template.ts";
import { readProcStat } from "../../../src/files/proc-stat.ts";
import { openScratch } from "../../../src/files/scratch.ts";
import { eventually } from "../../support/wait.ts";

const run = promisify(execFile);

describe("the embedded PostgreSQL", () => {
  let folder: string;

  beforeEach(async () => {
    // Closed to other users, like root's home.
    folder = await mkdtemp(path.join(tmpdir(), "sv-closed-"));
    await mkdir(path.join(folder, "schema"));
    await writeFile(path.join(folder, "schema", "1.sql"), "create table one (n integer)");
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function query(url: string, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  it("keeps its data in a folder that only this user can enter", async () => {
    const dataDir = path.join(folder, "data");
    const first = await startPostgres({ dataDir, durable: true });
    await query(first.url, "create table kept as select 42 as n");
    await first.stop();
    const second = await startPostgres({ dataDir, durable: true });
    expect(await query(second.url, "select n from kept")).to.deep.equal([{ n: 42 }]);
    await second.stop();
  });

  it("digests passwords once, as all of them are random: each connection costs as much", async () => {
    const postgres = await startPostgres({ dataDir: path.join(folder, "data"), durable: false });
    await query(postgres.url, "create role another password 'another'");
    const stored = "select rolname, split_part(rolpassword, ':', 1) as kind from pg_authid where rolpassword <> ''";
    expect(await query(postgres.url, `${stored} order by rolname`)).to.deep.equal([
      { rolname: "another", kind: "SCRAM-SHA-256$1" },
      { rolname: "site_validator", kind: "SCRAM-SHA-256$1" },
    ]);
    await postgres.stop();
  });

  it("says why a server did not start, and then lets the process end", async () => {
    const dataDir = path.join(folder, "data");
    await (await startPostgres({ dataDir, durable: true })).stop();
    await writeFile(path.join(dataDir, "postgresql.conf"), "no_such_setting = on\n");
    const script = `
      const { startPostgres } = await import(${JSON.stringify(new URL("../../../src/embedded/postgres.ts", import.meta.url).href)});
      await startPostgres({ dataDir: process.argv[1], durable: true }).catch((error) => console.log(error.message));
    `;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script, dataDir]);
    expect(stdout).to.match(/PostgreSQL did not start.*no_such_setting/s);
  });

  const startOf = (dataDir: string) => {
    const script = `
      const { startPostgres } = await import(${JSON.stringify(new URL("../../../src/embedded/postgres.ts", import.meta.url).href)});
      await startPostgres({ dataDir: process.argv[1], durable: true });
      console.log("started");
    `;
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return spawn(process.execPath, ["--input-type=module", "-e", script, dataDir], { stdio: [...stdio] });
  };

  it("ends a server that hangs while it starts, and says so", async () => {
    const dataDir = path.join(folder, "data");
    await (await startPostgres({ dataDir, durable: true })).stop();
    // It waits for whoever writes into the pipe, and for no signal.
    await rm(path.join(dataDir, "postgresql.conf"));
    await run("mkfifo", ["-m", "666", path.join(dataDir, "postgresql.conf")]);
    const socketDir = path.join(folder, "socket");
    const start = startPostgres({ dataDir, socketDir, durable: true, maxSilentMs: 500 });
    const error = await start.catch((reason: Error) => reason);
    expect(error)
      .to.be.an("error")
      .with.property("message")
      .that.matches(/^PostgreSQL did not respond for .* was ended/);
    expect(existsSync(socketDir)).to.equal(false);
    const { stdout } = await run("sh", ["-c", `ps -eo args | grep -c '[p]ostgres.*${socketDir}' || true`]);
    expect(stdout.trim()).to.equal("0");
  });

  it("tells of a process that died, for which the server ended all connections and started again", async () => {
    const postgres = await startPostgres({ dataDir: path.join(folder, "data"), durable: false });
    const client = new pg.Client({ connectionString: postgres.url });
    client.on("error", () => {});
    try {
      expect(postgres.crash()).to.equal(undefined);
      await client.connect();
      const { rows } = await client.query("select pg_backend_pid() as pid");
      process.kill(rows[0].pid, "SIGKILL");
      const said = await eventually(postgres.crash);
      expect(said).to.match(/^PostgreSQL ended all its connections\.\n.*terminated by signal 9/s);
      await eventually(() => query(postgres.url, "select").catch(() => undefined));
    } finally {
      await client.end().catch(() => {});
      await postgres.stop();
    }
  });

  const postmasterOf = async (dataDir: string) =>
    Number((await readFile(path.join(dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);

  it("keeps what its processes share in its folder, so that a server that is killed leaves nothing elsewhere", async () => {
    const dataDir = path.join(folder, "data");
    const postgres = await startPostgres({ dataDir, durable: false });
    const shared = await readFile(`/proc/${await postmasterOf(dataDir)}/maps`, "utf8");
    await postgres.stop();
    expect(shared).to.include(path.join(dataDir, "pg_dynshmem/mmap."));
    expect(shared).not.to.include("/dev/shm/PostgreSQL.");
  });

  it("starts although processes of a killed server still hold its folder, and keeps what was stored", async () => {
    const dataDir = path.join(folder, "data");
    const killed = await startPostgres({ dataDir, durable: true });
    await query(killed.url, "create table kept as select 42 as n");
    const client = new pg.Client({ connectionString: killed.url });
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query("select pg_backend_pid() as pid");
    // One that cannot notice that its postmaster is gone.
    process.kill(rows[0].pid, "SIGSTOP");
    process.kill(await postmasterOf(dataDir), "SIGKILL");
    await killed.ended;
    expect(existsSync(`/proc/${rows[0].pid}/cwd`)).to.equal(true);
    const postgres = await startPostgres({ dataDir, durable: true });
    expect(existsSync(`/proc/${rows[0].pid}/cwd`)).to.equal(false);
    expect(await query(postgres.url, "select n from kept")).to.deep.equal([{ n: 42 }]);
    await client.end().catch(() => {});
    await postgres.stop();
    await killed.stop();
  });

  it("starts although whoever would end the server of a killed start was killed, too, and keeps what was stored", async () => {
    const dataDir = path.join(folder, "data");
    for (const victims of ["the watching shell", "both shells"]) {
      const killed = startOf(dataDir);
      await once(killed.stdout as Readable, "data");
      const postmaster = await postmasterOf(dataDir);
      const supervisor = Number(readProcStat(postmaster)?.(4));
      const { stdout } = await run("pgrep", ["-P", String(supervisor), "sh"]);
      process.kill(Number(stdout), "SIGKILL");
      if (victims === "both shells") process.kill(supervisor, "SIGKILL");
      killed.kill("SIGKILL");
      await once(killed, "exit");
      expect(existsSync(`/proc/${postmaster}/cwd`), victims).to.equal(true);
      const postgres = await startPostgres({ dataDir, durable: true });
      expect(existsSync(`/proc/${postmaster}/cwd`), victims).to.equal(false);
      await query(postgres.url, "create table if not exists kept as select 42 as n");
      expect(await query(postgres.url, "select n from kept")).to.deep.equal([{ n: 42 }]);
      await postgres.stop();
    }
  });

  it("starts on no folder whose server belongs to a program that runs", async () => {
    const dataDir = path.join(folder, "data");
    const running = startOf(dataDir);
    await once(running.stdout as Readable, "data");
    const failure = await startPostgres({ dataDir, durable: true }).catch((error) => error);
    expect(failure).to.be.instanceOf(UsageError);
    expect(failure.message).to.include(`in use by a running server (process ${await postmasterOf(dataDir)})`);
    running.kill("SIGKILL");
    await once(running, "exit");
    await (await startPostgres({ dataDir, durable: true })).stop();
  });

  it("gives a new password to initdb only in its own folder, which is removed after a kill, too", async () => {
    const [dataDir, bin] = [path.join(folder, "data"), path.join(folder, "failing", "bin")];
    await mkdir(bin, { recursive: true });
    await writeFile(path.join(bin, "initdb"), '#!/bin/sh\necho "$@" >&2; exit 1\n', { mode: 0o755 });
    await chmod(folder, 0o755);
    const dataFolder = await openDataFolder(dataDir, { isKept: true });
    const drafts = path.join(folder, "drafts");
    await mkdir(drafts);
    const failure = await initialise(path.dirname(bin), dataFolder, { durable: false, drafts }).catch((error) => error);
    await dataFolder.close();
    expect(failure.message).to.include(`--pwfile ${drafts}/initdb-`);
    expect(await readdir(drafts)).to.deep.equal([]);
  });

  it("ends no process of a server that runs", async () => {
    const dataDir = path.join(folder, "data");
    const postgres = await startPostgres({ dataDir, durable: false });
    await endOrphans(dataDir);
    expect(postgres.crash()).to.equal(undefined);
    expect(await query(postgres.url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
    await postgres.stop();
  });

  it("initialises no folder in which there was data before", async () => {
    const dataDir = path.join(folder, "data");
    const failure = await startPostgres({ dataDir, durable: false, existing: true }).catch((error) => error);
    expect(failure).to.be.instanceOf(UsageError).with.property("message").that.includes("has no data any more");
    expect(await readdir(dataDir)).to.deep.equal([]);
  });

  it("starts although an earlier start was killed while it initialised the folder", async () => {
    const dataDir = path.join(folder, "data");
    for (const file of ["PG_VERSION", "global/pg_control"]) {
      const killed = startOf(dataDir);
      await eventually(() => existsSync(path.join(dataDir, file)));
      killed.kill("SIGKILL");
      await once(killed, "exit");
      expect(existsSync(path.join(dataDir, "password")), file).to.equal(false);
    }
    const postgres = await startPostgres({ dataDir, durable: true });
    expect(await query(postgres.url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
    await postgres.stop();
    expect(await readdir(folder)).to.have.members(["data", "schema"]);
  });

  it("removes nothing from a folder that it did not begin to initialise", async () => {
    const dataDir = path.join(folder, "data");
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, "PG_VERSION"), "18\n");
    const failure = await startPostgres({ dataDir, durable: true }).catch((error) => error);
    expect(failure)
      .to.be.instanceOf(UsageError)
      .with.property("message")
      .that.matches(/password.*set DATA_DIR/s);
    expect(await readdir(dataDir)).to.deep.equal(["PG_VERSION"]);
  });

  it("takes over the lock of a killed start, even when another process has its id now", async () => {
    const dataDir = path.join(folder, "data");
    for (const content of ["", String(process.ppid), `${process.ppid} 1`]) {
      await writeFile(`${dataDir}.starting`, content);
      await (await startPostgres({ dataDir, durable: true })).stop();
      expect(existsSync(`${dataDir}.starting`), content).to.equal(false);
    }
  });

  it("leaves alone the lock of another start that has taken over that of a killed one in the meantime", async () => {
    const file = path.join(folder, "data.starting");
    await writeFile(file, "1 the new holder");
    const { ctimeNs } = await stat(file, { bigint: true });
    await removeStaleLock(file, "4711 the killed holder");
    expect(await readFile(file, "utf8")).to.equal("1 the new holder");
    expect((await stat(file, { bigint: true })).ctimeNs, "it was never away").to.equal(ctimeNs);
    await removeStaleLock(file, "1 the new holder");
    expect(await readdir(folder)).to.deep.equal(["schema"]);
  });

  it("leaves alone a lock that it cannot read", async () => {
    const dataDir = path.join(folder, "data");
    const file = `${dataDir}.starting`;
    await symlink("nothing", file);
    const failure = await lockStart(dataDir).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(UsageError);
    expect(await readlink(file)).to.equal("nothing");
  });

  it("waits until nobody uses what its database is copied from", async () => {
    const postgres = await startPostgres({ dataDir: path.join(folder, "data"), durable: false });
    const user = new pg.Client({ connectionString: postgres.urlOf("template1") });
    await user.connect();
    const inUse = await query(postgres.url, "create database another").catch((error: unknown) => error);
    expect(inUse).to.have.property("code", "55006");
    expect(passes(inUse)).to.equal(true);
    await query(postgres.url, "create table one (n integer)");
    await user.end();

    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    await holder.query("begin; lock table one");
    const locked = await query(postgres.url, "begin; lock table one nowait").catch((error: unknown) => error);
    const missing = await query(postgres.url, "table two").catch((error: unknown) => error);
    expect([locked, missing].map(passes)).to.deep.equal([true, false]);
    await holder.end();
    await postgres.stop();
  });

  it("says that the stored password is not the server's, instead of trying without end", async () => {
    const dataDir = path.join(folder, "data");
    await (await startPostgres({ dataDir, durable: false })).stop();
    await writeFile(path.join(dataDir, "password"), "another");
    const failure = await startPostgres({ dataDir, durable: false }).catch((error) => error);
    expect(failure).to.be.instanceOf(UsageError);
    expect(failure.message)
      .to.include(path.join(dataDir, "password"))
      .and.match(/password authentication failed/);
  });

  it("begins again after a start that could not store the password", async () => {
    const dataDir = path.join(folder, "data");
    const real = await postgresFolder();
    const bin = path.join(folder, "failing", "bin");
    await mkdir(bin, { recursive: true });
    // After initdb a folder stands where the file of the password belongs.
    const script = `#!/bin/sh\n'${real}/bin/initdb' "$@" && mkdir "$2/password"\n`;
    await writeFile(path.join(bin, "initdb"), script, { mode: 0o755 });
    await chmod(folder, 0o755);
    const dataFolder = await openDataFolder(dataDir, { isKept: true });
    try {
      const failure = await initialise(path.dirname(bin), dataFolder, { durable: false, drafts: folder }).catch(
        (error) => error,
      );
      expect(failure).to.have.property("code", "EISDIR");
    } finally {
      await dataFolder.close();
    }
    const postgres = await startPostgres({ dataDir, durable: false });
    expect(await query(postgres.url, "select 1 as n")).to.deep.equal([{ n: 1 }]);
    await postgres.stop();
    expect(await readdir(folder)).to.have.members(["data", "failing", "schema"]);
  });

  it("is prepared once, starts as a copy, and is prepared again when the template is broken or the schema changed", async () => {
    const cacheDir = path.join(folder, "cache");
    const schemaDir = path.join(folder, "schema");
    const rights = path.join(folder, "rights.sql");
    await writeFile(rights, "grant select on one to public");
    let prepared = 0;
    const start = async () => {
      const scratch = await openScratch();
      const postgres = await startDisposablePostgres({
        cacheDir,
        sources: [schemaDir, rights],
        scratch,
        prepare: async (url) => {
          prepared++;
          await query(url, "create table one (n integer)");
        },
      });
      expect(await query(postgres.url, "insert into one values (1) returning n")).to.deep.equal([{ n: 1 }]);
      expect(await query(postgres.url, "select count(*)::int as n from one")).to.deep.equal([{ n: 1 }]);
      await postgres.stop();
      await scratch.remove();
    };
    await start();
    await start();
    expect(prepared).to.equal(1);

    const [template = ""] = await readdir(cacheDir);
    await rm(path.join(cacheDir, template, "global"), { recursive: true });
    await start();
    expect(prepared).to.equal(2);

    await writeFile(path.join(schemaDir, "2.sql"), "alter table one add column m integer");
    await start();
    expect(prepared).to.equal(3);

    await writeFile(rights, "");
    await start();
    expect(prepared).to.equal(4);
  });
});
