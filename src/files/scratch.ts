import { rmSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { isReachableByAll } from "./access.ts";
import { distrust } from "./trust.ts";

const PREFIX = "sv-run-";
/** A younger folder is kept: its process may not listen on its socket yet. */
const MIN_REMOVAL_AGE_MS = 10_000;
/** `<folder>/pg/.s.PGSQL.5432` must fit into a socket's address. */
const MAX_SOCKET_FOLDER_LENGTH = 60;

/** A folder for all temporary files of one run. */
export type Scratch = {
  path: string;
  /** The TMPDIR of child processes. */
  temp: string;
  remove(): Promise<void>;
};

/**
 * Creates the folder of this run, and removes the folders of killed processes. Each process listens
 * on a socket in its folder, so a folder without a listener has no process any more. (Process ids
 * are not enough: containers may share a temporary folder.)
 */
export async function openScratch(): Promise<Scratch> {
  const root = await openTempDir();
  await sweep(root);
  const folder = await mkdtemp(path.join(root, PREFIX));
  const alive = net.createServer((connection) => connection.destroy());
  await new Promise<void>((resolve, reject) => {
    alive.once("error", reject);
    alive.listen(path.join(folder, "alive"), resolve);
  });
  alive.unref();
  // Other users cannot list the folder, but can reach subfolders, because PostgreSQL may run as `nobody`.
  await chmod(folder, 0o711);
  const temp = path.join(folder, "tmp");
  await mkdir(temp, { mode: 0o711 });
  return {
    path: folder,
    temp,
    async remove() {
      alive.close();
      // Retries, because a child that is ending may still write files. Synchronous, because nothing else is left to do,
      // and asynchronous removal of hundreds of files takes three times the processor time.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

async function sweep(root: string): Promise<void> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  await Promise.all(
    names.map(async (name) => {
      const folder = path.join(root, name);
      const found = await lstat(folder).catch(() => undefined);
      if (!found || found.uid !== process.getuid?.() || (await isListening(path.join(folder, "alive")))) return;
      const marked = await stat(path.join(folder, "alive")).catch(() => undefined);
      if (!marked && Date.now() - found.mtimeMs < MIN_REMOVAL_AGE_MS) return;
      // A folder that cannot be removed (a mount, another user's files) does not disturb this run.
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }),
  );
}

/**
 * The temporary folder; or /tmp when that path is too long for a socket, PostgreSQL's user cannot reach it, or others
 * could replace what is in it.
 */
export async function openTempDir(): Promise<string> {
  const wanted = path.resolve(tmpdir());
  if (wanted.length > MAX_SOCKET_FOLDER_LENGTH) return "/tmp";
  if (process.getuid?.() === 0 && !(await isReachableByAll(wanted).catch(() => false))) return "/tmp";
  return (await distrust(wanted, "shared").catch(() => undefined)) ? "/tmp" : wanted;
}

/** True when something listens on a Unix socket: also when too many others are waiting for it (EAGAIN). */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EAGAIN"));
  });
}
