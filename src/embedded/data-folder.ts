import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../domain/errors.ts";
import { isOpenToAll } from "../files/access.ts";
import { makeFolder } from "../files/make-folder.ts";
import { isListening, openTempDir } from "../files/scratch.ts";
import { FOLDER_FD, POSTGRES_USER, serverOwner, startDetached } from "./server-user.ts";

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
 * @throws UsageError when the folder cannot be created or used
 */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  try {
    await makeFolder(dataDir, 0o700);
    const owner = serverOwner();
    if (owner) await chown(dataDir, owner.uid, owner.gid);
    await chmod(dataDir, 0o700);
    if (!owner || (await isOpenToAll(path.dirname(dataDir))))
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
    throw new UsageError(`The data folder ${dataDir} cannot be used: ${(error as Error).message}. Set DATA_DIR.`);
  }
}

/** Runs initdb unless it ran before. @returns the superuser's password, which is stored in the data folder */
export async function initialise(folder: string, dataFolder: DataFolder): Promise<string> {
  const passwordFile = path.join(dataFolder.dataDir, "password");
  if (await stat(path.join(dataFolder.dataDir, "PG_VERSION")).catch(() => undefined)) {
    await checkVersion(folder, dataFolder.dataDir);
    return (await readFile(passwordFile, "utf8")).trim();
  }
  const password = randomBytes(24).toString("hex");
  const draft = await mkdtemp(path.join(await openTempDir(), "sv-initdb-"));
  try {
    const draftFile = path.join(draft, "password");
    await writeFile(draftFile, password, { mode: 0o600 });
    const owner = serverOwner();
    if (owner) for (const file of [draft, draftFile]) await chown(file, owner.uid, owner.gid);
    const child = startDetached(
      path.join(folder, "bin", "initdb"),
      [
        ...["-D", dataFolder.path, "-U", POSTGRES_USER, "--pwfile", draftFile, "--auth=password", "--encoding=UTF8"],
        // The C locale sorts by bytes, the same on every machine. Small WAL segments keep a new folder at 25 MB.
        ...["--locale=C", "--no-sync", "--no-instructions", "--wal-segsize=4"],
      ],
      dataFolder.fd,
    );
    let log = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    const [code] = await once(child, "close");
    if (code !== 0)
      throw new UsageError(
        `The data folder ${dataFolder.dataDir} could not be initialised: ${log.trim()} Set DATA_DIR.`,
      );
    await writeFile(passwordFile, password, { mode: 0o600 });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return password;
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
 * Waits for the server of a killed process, which is shutting down.
 *
 * @throws UsageError when the server keeps accepting connections: it belongs to a running process
 */
export async function waitForPreviousServer(dataDir: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    const [pid, , , , socketDir] = (await readFile(path.join(dataDir, "postmaster.pid"), "utf8").catch(() => "")).split(
      "\n",
    );
    if (!pid || !(await isPostgres(Number(pid)))) return;
    const waited = performance.now() - started;
    // The server of a killed process gets its stop signal within milliseconds, and then refuses connections.
    if (waited > 15_000 || (waited > 1_000 && socketDir && (await isListening(path.join(socketDir, ".s.PGSQL.5432")))))
      throw new UsageError(
        `The data folder ${dataDir} is in use by a running server. Stop the other site-validator, or set DATA_DIR to another folder.`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** True when the process is a running PostgreSQL. Process ids are reused, in a restarted container at once. */
async function isPostgres(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "postgres");
  return name.trim() === "postgres";
}
