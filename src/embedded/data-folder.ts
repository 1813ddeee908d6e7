import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../domain/errors.ts";
import { isReachableByAll } from "../files/access.ts";
import { makeFolder } from "../files/make-folder.ts";
import { processExists } from "../files/process-exists.ts";
import { isListening } from "../files/scratch.ts";
import { requireTrusted } from "../files/trust.ts";
import { endAbandoned } from "./orphans.ts";
import { isGroupStillRunning, processIdentity } from "./process-identity.ts";
import { FOLDER_FD, PASSWORD_SETTINGS, POSTGRES_USER, serverOwner, startSupervised } from "./server-user.ts";

const POLL_MS = 20;
/** For an initdb to end whose starter was killed: it gets its signal within milliseconds. */
const MAX_END_MS = 15_000;

/** An open data folder, and its path for the server. */
export type DataFolder = {
  /** Its path for this process. */
  dataDir: string;
  /** Its path for the server, which may run as another user. */
  path: string;
  /** The descriptor of the folder when `path` leads through one. */
  fd: number | undefined;
  /** Closes the descriptor. The server has its own copy once it is started. */
  close(): Promise<void>;
};

/**
 * Opens the data folder, and creates it when it is missing. When this process is root, the server
 * runs as `nobody`, who has no access to a folder under root's 0700 home. So the folder is opened here
 * and passed as a descriptor, which needs no permission on its parent folders.
 *
 * @param isKept whether it may have been there before, when others may have filled it
 * @throws UsageError when the folder cannot be created or used
 */
export async function openDataFolder(dataDir: string, { isKept }: { isKept: boolean }): Promise<DataFolder> {
  try {
    await makeFolder(dataDir, 0o700);
    const owner = serverOwner();
    if (isKept)
      await requireTrusted(dataDir, {
        kind: "folder",
        what: "The data folder",
        remedy: "Set DATA_DIR to a folder",
        uid: owner?.uid,
      });
    if (owner) await chown(dataDir, owner.uid, owner.gid);
    await chmod(dataDir, 0o700);
    if (!owner || (await isReachableByAll(path.dirname(dataDir))))
      return { dataDir, path: dataDir, fd: undefined, close: async () => {} };
    if (process.platform !== "linux")
      throw new UsageError(
        `The data folder ${dataDir} is in a folder that only root may enter, and PostgreSQL does not run as root. ` +
          "Set DATA_DIR to a folder that every user can reach.",
      );
    const handle = await open(dataDir, "r");
    return { dataDir, path: `/proc/self/fd/${FOLDER_FD}`, fd: handle.fd, close: () => handle.close() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message } = error as Error;
    throw new UsageError(`The data folder ${dataDir} cannot be used: ${message}. Set DATA_DIR.`, { cause: error });
  }
}

/**
 * Runs initdb unless it ran before. Meanwhile a file beside the folder marks it as unfinished: when this process is
 * killed, the next one begins again, and removes only what initdb made.
 *
 * @param durable whether the new files are flushed to the disk
 * @param existing whether there must be data already
 * @param drafts a folder for a temporary file, which is removed even if this process is killed
 * @returns the superuser's password, which is stored in the data folder
 * @throws UsageError when the folder cannot be initialised, or is not ours
 */
export async function initialise(
  folder: string,
  dataFolder: DataFolder,
  { durable, existing = false, drafts }: { durable: boolean; existing?: boolean | undefined; drafts: string },
): Promise<string> {
  const { dataDir } = dataFolder;
  const underWay = `${dataDir}.initialising`;
  if (await exists(underWay)) {
    await untilGroupEnds(await readFile(underWay, "utf8").catch(() => ""));
    await emptyFolder(dataDir);
  } else if (await exists(path.join(dataDir, "PG_VERSION"))) {
    await checkVersion(folder, dataDir);
    return readPassword(dataDir);
  }
  if (existing)
    throw new UsageError(`The data folder ${dataDir} has no data any more. Restore it, and start the service again.`);
  const password = randomBytes(24).toString("hex");
  const draft = await mkdtemp(path.join(drafts, "initdb-"));
  let lacksPassword = false;
  try {
    // initdb refuses a folder that is not empty.
    const isEmpty = (await readdir(dataDir)).length === 0;
    if (isEmpty) await writeFile(underWay, "", { mode: 0o600 });
    const draftFile = path.join(draft, "password");
    await writeFile(draftFile, password, { mode: 0o600 });
    const owner = serverOwner();
    if (owner) for (const file of [draft, draftFile]) await chown(file, owner.uid, owner.gid);
    const options = [...(durable ? [] : ["--no-sync"]), "--pwfile", draftFile];
    await runInitdb(folder, dataFolder, options, async (pid) => {
      if (isEmpty) await writeFile(underWay, await processIdentity(pid));
    });
    lacksPassword = true;
    await writeFile(path.join(dataDir, "password"), password, { mode: 0o600, flush: durable });
    lacksPassword = false;
  } finally {
    await rm(draft, { recursive: true, force: true });
    // Nobody can use the folder without its password, so the next start begins again.
    if (!lacksPassword) await rm(underWay, { force: true });
  }
  return password;
}

/**
 * Runs initdb, which leaves the folder empty when it fails.
 *
 * @param onStart receives the first process of its group
 */
async function runInitdb(
  folder: string,
  { dataDir, path: target, fd }: DataFolder,
  options: string[],
  onStart: (pid: number) => Promise<void>,
): Promise<void> {
  const child = startSupervised(
    path.join(folder, "bin", "initdb"),
    [
      ...["-D", target, "-U", POSTGRES_USER, "--auth=password", "--encoding=UTF8", ...options],
      // The C locale sorts by bytes, the same on every machine. Small WAL segments keep a new folder at 25 MB.
      ...["--locale=C", "--no-instructions", "--wal-segsize=4"],
      ...Object.entries(PASSWORD_SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    fd,
    "KILL",
  );
  child.stdin?.on("error", () => {});
  let log = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const closed = once(child, "close");
  const exited = once(child, "exit");
  try {
    if (child.pid !== undefined) await onStart(child.pid);
    await exited;
  } finally {
    child.stdin?.end();
    await closed;
  }
  if (child.exitCode !== 0)
    throw new UsageError(`The data folder ${dataDir} could not be initialised: ${log.trim()} Set DATA_DIR.`);
}

/** initdb of a killed process ends a moment after it, and creates files until then. */
async function untilGroupEnds(identity: string): Promise<void> {
  const limit = performance.now() + MAX_END_MS;
  while ((await isGroupStillRunning(identity)) && performance.now() < limit) await sleep(POLL_MS);
}

async function emptyFolder(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) await rm(path.join(dataDir, name), { recursive: true, force: true });
}

async function readPassword(dataDir: string): Promise<string> {
  try {
    return (await readFile(path.join(dataDir, "password"), "utf8")).trim();
  } catch (error) {
    throw new UsageError(
      `The data folder ${dataDir} has data of a PostgreSQL, but not the file with its password: ` +
        `${(error as Error).message}. Restore that file, or set DATA_DIR to another folder.`,
    );
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

/** Rejects data of another major version. PostgreSQL's own message does not say what to do. */
async function checkVersion(folder: string, dataDir: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(folder, "..", "package.json"), "utf8").catch(() => "{}"));
  const ours = String(manifest.version ?? "").split(".")[0];
  const theirs = (await readFile(path.join(dataDir, "PG_VERSION"), "utf8")).trim();
  if (ours && ours !== theirs)
    throw new UsageError(
      `The data folder ${dataDir} belongs to PostgreSQL ${theirs}, but this is PostgreSQL ${ours}. ` +
        "Set DATA_DIR to another folder, or move the data with pg_dump.",
    );
}

/**
 * Waits for the server of a killed process, which is shutting down. One that nobody has told so is told now.
 *
 * @throws UsageError when the server keeps accepting connections: it belongs to a running process
 */
export async function waitForPreviousServer(dataDir: string): Promise<void> {
  const started = performance.now();
  let isEnding = false;
  for (;;) {
    const [pid, , , , socketDir] = (await readFile(path.join(dataDir, "postmaster.pid"), "utf8").catch(() => "")).split(
      "\n",
    );
    if (!pid || !(await isPostgres(Number(pid)))) return;
    const waited = performance.now() - started;
    isEnding ||= waited > 1_000 && (await endAbandoned(Number(pid), dataDir));
    // The server of a killed process gets its stop signal within milliseconds, and then refuses connections.
    const isServing = async () => socketDir && !isEnding && isListening(path.join(socketDir, ".s.PGSQL.5432"));
    if (waited > 15_000 || (waited > 1_000 && (await isServing())))
      throw new UsageError(
        `The data folder ${dataDir} is in use by a running server (process ${pid}). Stop the other site-validator, or set DATA_DIR to another folder.`,
      );
    await sleep(POLL_MS);
  }
}

/** True when the process is a running PostgreSQL. Process ids are reused, in a restarted container at once. */
async function isPostgres(pid: number): Promise<boolean> {
  if (!processExists(pid)) return false;
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "postgres");
  return name.trim() === "postgres";
}
