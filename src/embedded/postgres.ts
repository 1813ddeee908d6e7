import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { createClient } from "../database/connection/client.ts";
import { migrationLimits } from "../database/connection/connection-options.ts";
import { isConnectionLoss } from "../database/connection/errors.ts";
import { BrokenEnvironmentError, UsageError } from "../domain/errors.ts";
import { openTempDir } from "../files/scratch.ts";
import { postgresFolder } from "./binaries.ts";
import { type DataFolder, initialise, openDataFolder, waitForPreviousServer } from "./data-folder.ts";
import { DATABASE } from "./database.ts";
import { endOrphans } from "./orphans.ts";
import { PASSWORD_SETTINGS, POSTGRES_USER, serverOwner, startSupervised } from "./server-user.ts";
import { lockStart } from "./start-lock.ts";

export type EmbeddedPostgres = {
  /** Connection URL: a Unix socket in a private folder, with a password. */
  url: string;
  /** The URL of another database of the same server. */
  urlOf(database: string): string;
  /** Resolves with a message when the server ends, also after `stop`. */
  ended: Promise<string>;
  /** The server's output if a crash of one process ended all connections in the last minute, else undefined. */
  crash(): string | undefined;
  /** Closes connections, flushes, and waits until the server has ended. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** The folder of the database files; created and initialised if necessary. */
  dataDir: string;
  /** false: no fsync, for data that may be lost in a power failure (tests, one-off checks). */
  durable: boolean;
  /** The folder for the server's socket; by default a new one in the temporary folder. */
  socketDir?: string;
  /** true: the data is deleted after `stop`, so nothing is flushed. */
  disposable?: boolean;
  /** true: there was data in the folder, so one without data is not initialised, but an error. */
  existing?: boolean;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
  /**
   * How long the server may give no sign, in milliseconds, while it starts: no output, and no answer. One that recovers
   * answers that it does.
   */
  maxSilentMs?: number;
};

/**
 * Starts npm's PostgreSQL on a folder. It listens on a Unix socket only, and it ends with this
 * process, even when this process is killed.
 *
 * @throws UsageError when the folder cannot be used, or when another running process uses it
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await postgresFolder();
  const dataFolder = await openDataFolder(options.dataDir, { isKept: options.durable });
  const socketDir = await openSocketDir(options.socketDir);
  let release = async () => {};
  try {
    release = await lockStart(options.dataDir);
    return await start(folder, dataFolder, socketDir, options);
  } catch (error) {
    await rm(socketDir, { recursive: true, force: true });
    throw error;
  } finally {
    await dataFolder.close();
    await release();
  }
}

/** The server's message when it ends all connections and restarts because one of its processes has died. */
const CRASHED = "terminating any other active server processes";
const RECENT_MS = 60_000;
const MAX_SILENT_MS = 60_000;
/** As many attempts at least: this process, too, may have been stopped for a while. */
const MIN_SILENT_ATTEMPTS = 8;
/** For a start that is given up. A server reads its signals only when it has started, and so may have to be killed. */
const MAX_END_MS = 5_000;
/** Part of the socket's name. */
const PORT = "5432";
/** Its message at SIGTERM, after which it takes no connections, and ends only when its last one has. */
const WAITS_TO_END = "received smart shutdown request";

/** The folder's path is short, because a socket's path may have at most 107 bytes. */
async function openSocketDir(wanted: string | undefined): Promise<string> {
  const socketDir = wanted ?? (await mkdtemp(path.join(await openTempDir(), "sv-pg-")));
  if (wanted) {
    // A server that was killed leaves its socket, and a lock with its process id, which may be another's by now.
    await rm(wanted, { recursive: true, force: true });
    await mkdir(wanted, { mode: 0o700 });
  }
  const owner = serverOwner();
  if (owner) await chown(socketDir, owner.uid, owner.gid);
  return socketDir;
}

async function start(
  folder: string,
  dataFolder: DataFolder,
  socketDir: string,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const password = await initialise(folder, dataFolder, { ...options, drafts: socketDir });
  await waitForPreviousServer(options.dataDir);
  await endOrphans(options.dataDir);

  const settings: Record<string, string> = {
    listen_addresses: "",
    port: PORT,
    unix_socket_directories: socketDir,
    max_connections: "100",
    ...PASSWORD_SETTINGS,
    // The JIT costs more than it gains on short queries.
    jit: "off",
    ...(options.durable
      ? {}
      : {
          ...{ fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum_naptime: "10s" },
          // In the data folder, and so removed with it. Elsewhere, a server that is killed would leave it behind.
          dynamic_shared_memory_type: "mmap",
        }),
  };
  const child = startSupervised(
    path.join(folder, "bin", "postgres"),
    ["-D", dataFolder.path, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    dataFolder.fd,
    // INT makes the server close its connections and flush. QUIT ends it at once, for disposable data.
    options.disposable ? "QUIT" : "INT",
  );
  let log = "";
  const silence = watchSilence(options.maxSilentMs ?? MAX_SILENT_MS, () => log);
  let crashedAt = Number.NEGATIVE_INFINITY;
  child.stderr?.on("data", (chunk: Buffer) => {
    // A message may come in two parts.
    const says = (message: string) => (log.slice(-message.length) + chunk.toString()).includes(message);
    if (says(CRASHED)) crashedAt = performance.now();
    // Our own connections stay open, so that it would neither serve nor end: now it closes them.
    if (says(WAITS_TO_END)) child.stdin?.end();
    log = (log + chunk.toString()).slice(-8_000);
    silence.hear();
  });
  // The pipe may break when the server has already ended. `gone` reports that.
  child.stdin?.on("error", () => {});
  const gone = once(child, "exit");
  // The shell's other half waits for this, and would signal the process that gets the server's id later.
  void gone.then(() => child.stdin?.end());
  let hasStarted = false;
  const giveUp = () => {
    child.stdin?.end();
    const timer = setTimeout(() => killGroup(child), MAX_END_MS);
    void gone.then(() => clearTimeout(timer));
  };
  options.signal?.addEventListener("abort", () => !hasStarted && giveUp(), { once: true });
  const urlOf = (database: string): string =>
    // With port and TLS, which variables of the environment (PGPORT, PGSSLMODE) would otherwise decide.
    `postgres://${POSTGRES_USER}:${password}@${encodeURIComponent(socketDir)}:${PORT}/${database}?sslmode=disable`;

  try {
    const failed = gone.then(() => Promise.reject(didNotStart(options.dataDir, log)));
    const isReady = ready(urlOf, child, options.dataDir, silence).then(() => (ended(child) ? failed : undefined));
    await Promise.race([isReady, failed]);
    hasStarted = true;
  } catch (error) {
    giveUp();
    await gone;
    throw error;
  }

  return {
    url: urlOf(DATABASE),
    urlOf,
    ended: gone.then(() => `PostgreSQL ended.\n${log}`),
    crash: () =>
      performance.now() - crashedAt < RECENT_MS ? `PostgreSQL ended all its connections.\n${log}` : undefined,
    async stop() {
      child.stdin?.end();
      await gone;
      await rm(socketDir, { recursive: true, force: true });
    },
  };
}

function didNotStart(dataDir: string, log: string): Error {
  return new Error(
    `PostgreSQL did not start on the data folder ${dataDir}.\n${log.trim()}\n` +
      "If that says that files are damaged or missing, restore the folder from a backup, or set DATA_DIR to another folder.",
  );
}

/** For how long a server that starts has given no sign: it says nothing, and answers nothing. */
type Silence = {
  hear(): void;
  /** @param error of an attempt to connect: one of the server's is an answer. @throws BrokenEnvironmentError after too long */
  onFailure(error: unknown, dataDir: string): void;
};

/** @param output what the server has said */
function watchSilence(maxMs: number, output: () => string): Silence {
  let heardAt = performance.now();
  let attempts = 0;
  const hear = () => {
    heardAt = performance.now();
  };
  return {
    hear,
    onFailure(error, dataDir) {
      if (error instanceof pg.DatabaseError) hear();
      attempts = performance.now() - heardAt > maxMs ? attempts + 1 : 0;
      if (attempts < MIN_SILENT_ATTEMPTS) return;
      // It may be the machine's fault, whose disk does not respond: then a later start succeeds.
      throw new BrokenEnvironmentError(
        `PostgreSQL did not respond for ${Math.round(maxMs / 1000)} seconds while it started on the data folder ${dataDir}, and was ended. ` +
          `See whether the disk of that folder responds.\n${output().trim()}`.trim(),
      );
    },
  };
}

/** Of the shell that supervises the server, and of the server itself. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Waits until the server accepts connections and has our database, or until it has ended. The caller must check which.
 *
 * @throws UsageError when the server rejects our password, and any other error that does not pass by itself; Error when
 *   it gives no sign for too long
 */
async function ready(
  urlOf: (database: string) => string,
  server: ChildProcess,
  dataDir: string,
  silence: Silence,
): Promise<void> {
  let database = DATABASE;
  while (!ended(server)) {
    // A connection may be closed right after it was made. Then the loop tries again.
    const client = createClient({
      url: urlOf(database),
      applicationName: "site-validator start",
      limits: migrationLimits,
    });
    try {
      await client.connect();
      silence.hear();
      if (database === DATABASE) return;
      await client.query(`create database ${pg.escapeIdentifier(DATABASE)}`);
      database = DATABASE;
    } catch (error) {
      silence.onFailure(error, dataDir);
      // 3D000: the database does not exist. A new data folder has only PostgreSQL's own databases.
      if (stateOf(error) === "3D000") database = "postgres";
      else if (passes(error)) {
        // The database may have been created before the connection was lost.
        database = DATABASE;
        await new Promise((resolve) => setTimeout(resolve, 5));
      } else throw explained(error, dataDir);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

function explained(error: unknown, dataDir: string): unknown {
  if (!stateOf(error).startsWith("28")) return error;
  return new UsageError(
    `PostgreSQL on the data folder ${dataDir} rejects the password in ${path.join(dataDir, "password")}: ` +
      `${(error as Error).message}. Restore that file, or set DATA_DIR to another folder.`,
  );
}

/** True while the server starts, stops or drops connections, or is using what a new database is copied from. */
export function passes(error: unknown): boolean {
  const state = stateOf(error);
  if (state === "") return isConnectionLoss(error);
  // 55006: an object is in use; 55P03: a lock was not available in time.
  return state.startsWith("57P") || state === "55006" || state === "55P03";
}

/** The SQLSTATE; "" for an error that the server did not send. */
function stateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? "") : "";
}
