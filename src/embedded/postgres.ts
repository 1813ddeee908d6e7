import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { UsageError } from "../domain/errors.ts";
import { postgresFolder } from "./binaries.ts";

const run = promisify(execFile);

/** PostgreSQL refuses to run as root; then it runs as nobody, who exists on every Linux. */
const NOBODY = 65534;
const USER = "site_validator";
export const DATABASE = "site_validator";

export type EmbeddedPostgres = {
  /** For `pg`: a Unix socket in a private folder, with a password. */
  url: string;
  /** The url of another database of the same server. */
  urlOf(database: string): string;
  /** Resolves with a message when the server ends without `stop`. */
  ended: Promise<string>;
  /** Ends connections, flushes, and waits for the server to be gone. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** Folder of the database files; made and initialised when empty. As root, nobody must be able to enter it. */
  dataDir: string;
  /** false: no fsync, for data that may be lost with the machine (tests, one-off checks). */
  durable: boolean;
};

/**
 * Starts npm's PostgreSQL on a folder. It listens on a Unix socket only, and it
 * ends with this process, however this process ends.
 *
 * @throws UsageError when the folder is in use by a server of another live process
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await postgresFolder();
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const password = await initialise(folder, options.dataDir, owner);
  await endForgottenServer(options.dataDir);

  // Short: a socket's path may have 107 bytes at the most.
  const socketDir = await mkdtemp(path.join(tmpdir(), "sv-pg-"));
  if (owner.uid) await chown(socketDir, owner.uid, owner.gid);
  const settings: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: socketDir,
    max_connections: "100",
    // The JIT costs more than it gains on short queries.
    jit: "off",
    ...(options.durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum_naptime: "10s" }),
  };
  const args = [
    "-D",
    options.dataDir,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const child = superviseByPipe(path.join(folder, "bin", "postgres"), args, owner);
  let log = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-8_000);
  });
  const gone = once(child, "exit");
  const urlOf = (database: string): string =>
    `postgres://${USER}:${password}@${encodeURIComponent(socketDir)}/${database}`;

  try {
    await Promise.race([
      ready(urlOf("postgres")),
      gone.then(() => Promise.reject(new Error(`PostgreSQL did not start.\n${log}`))),
    ]);
    await createDatabase(urlOf("postgres"), DATABASE);
  } catch (error) {
    child.stdin?.end();
    await gone;
    await rm(socketDir, { recursive: true, force: true });
    throw error;
  }

  return {
    url: urlOf(DATABASE),
    urlOf,
    ended: gone.then(() => `PostgreSQL ended.\n${log}`),
    async stop() {
      child.stdin?.end();
      await gone;
      await rm(socketDir, { recursive: true, force: true });
    },
  };
}

/** initdb, once; returns the superuser's password, which lies beside the data. */
async function initialise(folder: string, dataDir: string, owner: { uid?: number; gid?: number }): Promise<string> {
  const passwordFile = path.join(dataDir, "password");
  if (await stat(path.join(dataDir, "PG_VERSION")).catch(() => undefined)) {
    return (await readFile(passwordFile, "utf8")).trim();
  }
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o700);
  const password = randomBytes(24).toString("hex");
  const draft = await mkdtemp(path.join(tmpdir(), "sv-initdb-"));
  try {
    const draftFile = path.join(draft, "password");
    await writeFile(draftFile, password, { mode: 0o600 });
    if (owner.uid && owner.gid) {
      await chown(dataDir, owner.uid, owner.gid);
      await chown(draft, owner.uid, owner.gid);
      await chown(draftFile, owner.uid, owner.gid);
    }
    await run(
      path.join(folder, "bin", "initdb"),
      [
        ...["-D", dataDir, "-U", USER, "--pwfile", draftFile, "--auth=password", "--encoding=UTF8"],
        // The C locale: byte order, the same on every machine. Small segments: a new folder is 25 MB.
        ...["--locale=C", "--no-sync", "--no-instructions", "--wal-segsize=4"],
      ],
      { ...owner, env: {}, cwd: "/" },
    );
    await writeFile(passwordFile, password, { mode: 0o600 });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return password;
}

/**
 * A shell stands between: it holds our end of a pipe, and when that closes (this
 * process ended, even by kill -9) it asks the server to stop. In a process group of
 * its own, so that a terminal's Ctrl-C reaches this process first.
 */
function superviseByPipe(command: string, args: string[], owner: { uid?: number; gid?: number }): ChildProcess {
  const script =
    'exec 3<&0; "$@" </dev/null 3<&- & server=$!; (cat <&3 >/dev/null; kill -INT $server 2>/dev/null) & wait $server';
  return spawn("/bin/sh", ["-c", script, "postgres", command, ...args], {
    ...owner,
    cwd: "/",
    // Nothing of this process's environment: it may hold secrets.
    env: { PATH: "/usr/bin:/bin", TZ: "UTC" },
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
}

/** A server left by a process that just ended is on its way out: waits for it. */
async function endForgottenServer(dataDir: string): Promise<void> {
  const pidFile = path.join(dataDir, "postmaster.pid");
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const pid = Number((await readFile(pidFile, "utf8").catch(() => "")).split("\n")[0]);
    if (!pid || !isAlive(pid)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new UsageError(
    `The data folder ${dataDir} is in use by a running server. Stop the other site-validator, or set DATA_DIR to another folder.`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Waits until the server accepts connections; the caller races this against the server's end. */
async function ready(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
