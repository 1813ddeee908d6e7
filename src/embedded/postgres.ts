import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { createClient } from "../database/connection/client.ts";
import { migrationLimits } from "../database/connection/connection-options.ts";
import { openTempDir } from "../files/scratch.ts";
import { postgresFolder } from "./binaries.ts";
import { enter, type FolderEntry, initialise, waitForOldServer } from "./data-folder.ts";
import { POSTGRES_USER, serverOwner, startDetached } from "./server-user.ts";

export const DATABASE = "site_validator";

export type EmbeddedPostgres = {
  /** For `pg`: a Unix socket in a private folder, with a password. */
  url: string;
  /** The url of another database of the same server. */
  urlOf(database: string): string;
  /** Resolves with a message when the server ends, with or without `stop`. */
  ended: Promise<string>;
  /** Ends connections, flushes, and waits for the server to be gone. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** Folder of the database files; made and initialised when empty. */
  dataDir: string;
  /** false: no fsync, for data that may be lost with the machine (tests, one-off checks). */
  durable: boolean;
  /** Folder for the server's socket; a new one in the temporary folder when not given. */
  socketDir?: string;
  /** true: the data is thrown away after `stop`, so nothing is flushed. */
  disposable?: boolean;
};

/**
 * Starts npm's PostgreSQL on a folder. It listens on a Unix socket only, and it
 * ends with this process, however this process ends.
 *
 * @throws UsageError when the folder cannot be used, or a server of another live process uses it
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await postgresFolder();
  const entry = await enter(options.dataDir);
  const socketDir = await openSocketDir(options.socketDir);
  try {
    return await start(folder, entry, socketDir, options);
  } catch (error) {
    await rm(socketDir, { recursive: true, force: true });
    throw error;
  } finally {
    await entry.close();
  }
}

/** Short: a socket's path may have 107 bytes at the most. */
async function openSocketDir(wanted: string | undefined): Promise<string> {
  const socketDir = wanted ?? (await mkdtemp(path.join(await openTempDir(), "sv-pg-")));
  if (wanted) await mkdir(wanted, { mode: 0o700 });
  const owner = serverOwner();
  if (owner) await chown(socketDir, owner.uid, owner.gid);
  return socketDir;
}

async function start(
  folder: string,
  entry: FolderEntry,
  socketDir: string,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const password = await initialise(folder, entry);
  await waitForOldServer(options.dataDir);

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
  const child = superviseByPipe(
    path.join(folder, "bin", "postgres"),
    ["-D", entry.path, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    entry,
    // Asked to stop, the server ends its connections and flushes; for data that goes it just ends.
    options.disposable ? "QUIT" : "INT",
  );
  let log = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-8_000);
  });
  // The closing pipe of a server that is gone already is no news.
  child.stdin?.on("error", () => {});
  const gone = once(child, "exit");
  const urlOf = (database: string): string =>
    `postgres://${POSTGRES_USER}:${password}@${encodeURIComponent(socketDir)}/${database}`;

  try {
    const failed = gone.then(() => Promise.reject(new Error(`PostgreSQL did not start.\n${log}`)));
    await Promise.race([ready(urlOf, child).then(() => (ended(child) ? failed : undefined)), failed]);
  } catch (error) {
    child.stdin?.end();
    await gone;
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

/**
 * A shell stands between: it holds our end of a pipe, and when that closes (this
 * process ended, even by kill -9) it asks the server to stop. In a process group of
 * its own, so that a terminal's Ctrl-C reaches this process first.
 */
function superviseByPipe(command: string, args: string[], entry: FolderEntry, signal: "INT" | "QUIT"): ChildProcess {
  const script =
    'exec 3<&0; signal=$1; shift; "$@" </dev/null 3<&- & server=$!; ' +
    '(cat <&3 >/dev/null; kill -"$signal" $server 2>/dev/null) & wait $server';
  return startDetached("/bin/sh", ["-c", script, "postgres", signal, command, ...args], entry.fd);
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Waits until the server accepts connections and has our database, or has ended: the caller tells these apart. */
async function ready(urlOf: (database: string) => string, server: ChildProcess): Promise<void> {
  let database = DATABASE;
  while (!ended(server)) {
    // A connection that is cut right after it was made is one more try.
    const client = createClient({
      url: urlOf(database),
      applicationName: "site-validator start",
      limits: migrationLimits,
    });
    try {
      await client.connect();
      if (database === DATABASE) return;
      await client.query(`create database ${pg.escapeIdentifier(DATABASE)}`);
      database = DATABASE;
    } catch (error) {
      // 3D000: no such database. A folder just initialised has only PostgreSQL's own.
      if ((error as { code?: string }).code === "3D000") database = "postgres";
      else await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      await client.end().catch(() => {});
    }
  }
}
