import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../domain/errors.ts";
import { isOpenToAll } from "../files/access.ts";
import { makeFolder } from "../files/make-folder.ts";
import { answers, openTempDir } from "../files/scratch.ts";
import { FOLDER_FD, POSTGRES_USER, serverOwner, startDetached } from "./server-user.ts";

/** A data folder as the server reaches it. */
export type FolderEntry = {
  /** For this process. */
  dataDir: string;
  /** For the server, which may be another user. */
  path: string;
  /** The open folder behind `path`, when it leads through a descriptor. */
  fd: number | undefined;
  /** Closes the descriptor; the server has its own by then. */
  close(): Promise<void>;
};

/**
 * Makes the folder when it is missing. As root the server runs as nobody, who cannot
 * walk through root's 0700 home: the folder is opened here and handed over as a
 * descriptor, which needs no permission on the folders above it.
 *
 * @throws UsageError when the folder cannot be made or used
 */
export async function enter(dataDir: string): Promise<FolderEntry> {
  try {
    await makeFolder(dataDir, 0o700);
    const owner = serverOwner();
    if (owner) await chown(dataDir, owner.uid, owner.gid);
    await chmod(dataDir, 0o700);
    if (!owner || (await isOpenToAll(path.dirname(dataDir))))
      return { dataDir, path: dataDir, fd: undefined, close: async () => {} };
    if (process.platform !== "linux")
      throw new UsageError(
        `The data folder ${dataDir} lies in a folder that only root may enter, and PostgreSQL does not run as root. ` +
          "Set DATA_DIR to a folder that every user may reach.",
      );
    const handle = await open(dataDir, "r");
    return { dataDir, path: `/proc/self/fd/${FOLDER_FD}`, fd: handle.fd, close: () => handle.close() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The data folder ${dataDir} cannot be used: ${(error as Error).message}. Set DATA_DIR.`);
  }
}

/** initdb, once; returns the superuser's password, which lies beside the data. */
export async function initialise(folder: string, entry: FolderEntry): Promise<string> {
  const passwordFile = path.join(entry.dataDir, "password");
  if (await stat(path.join(entry.dataDir, "PG_VERSION")).catch(() => undefined)) {
    await checkVersion(folder, entry.dataDir);
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
        ...["-D", entry.path, "-U", POSTGRES_USER, "--pwfile", draftFile, "--auth=password", "--encoding=UTF8"],
        // The C locale: byte order, the same on every machine. Small segments: a new folder is 25 MB.
        ...["--locale=C", "--no-sync", "--no-instructions", "--wal-segsize=4"],
      ],
      entry.fd,
    );
    let log = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    const [code] = await once(child, "close");
    if (code !== 0)
      throw new UsageError(`The data folder ${entry.dataDir} could not be initialised: ${log.trim()} Set DATA_DIR.`);
    await writeFile(passwordFile, password, { mode: 0o600 });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return password;
}

/** PostgreSQL's own message about another major version would not say what to do. */
async function checkVersion(folder: string, dataDir: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(folder, "..", "package.json"), "utf8").catch(() => "{}"));
  const ours = String(manifest.version ?? "").split(".")[0];
  const theirs = (await readFile(path.join(dataDir, "PG_VERSION"), "utf8")).trim();
  if (ours && ours !== theirs)
    throw new UsageError(
      `The data folder ${dataDir} was written by PostgreSQL ${theirs}, and this is PostgreSQL ${ours}. ` +
        "Set DATA_DIR to another folder, or move the data over with pg_dump.",
    );
}

/**
 * A server left by a process that was killed is on its way out, and is waited for.
 * One that goes on accepting connections belongs to a live process.
 */
export async function waitForOldServer(dataDir: string): Promise<void> {
  const started = Date.now();
  for (;;) {
    const [pid, , , , socketDir] = (await readFile(path.join(dataDir, "postmaster.pid"), "utf8").catch(() => "")).split(
      "\n",
    );
    if (!pid || !(await isPostgres(Number(pid)))) return;
    const waited = Date.now() - started;
    // The socket takes connections until the server was asked to end, which happens within milliseconds.
    if (waited > 15_000 || (waited > 1_000 && socketDir && (await answers(path.join(socketDir, ".s.PGSQL.5432")))))
      throw new UsageError(
        `The data folder ${dataDir} is in use by a running server. Stop the other site-validator, or set DATA_DIR to another folder.`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Process numbers come back (after a restart of a container at once): it must be PostgreSQL that is alive. */
async function isPostgres(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "postgres");
  return name.trim() === "postgres";
}
