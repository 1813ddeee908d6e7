import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { isOpenToAll } from "./access.ts";

const PREFIX = "sv-run-";
/** A folder this young may be one whose process is just about to say that it lives. */
const GRACE_MS = 10_000;
/** `<folder>/pg/.s.PGSQL.5432` must fit a socket's address. */
const MAX_SOCKET_FOLDER_LENGTH = 60;

/** A folder for everything temporary of one run. */
export type Scratch = {
  path: string;
  /** For the children's own temporary files, as TMPDIR. */
  temp: string;
  remove(): Promise<void>;
};

/**
 * Makes the folder of this run, and removes those whose process was killed: each
 * live process listens on a socket in its folder, so a folder where nobody answers is
 * nobody's. (Process numbers would not do: containers may share a temporary folder.)
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
  // Others may pass through, to the server's folder when it runs as nobody, but not list it.
  await chmod(folder, 0o711);
  const temp = path.join(folder, "tmp");
  await mkdir(temp, { mode: 0o711 });
  return {
    path: folder,
    temp,
    async remove() {
      alive.close();
      // A child on its way out may still write: then once more.
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

async function sweep(root: string): Promise<void> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  await Promise.all(
    names.map(async (name) => {
      const folder = path.join(root, name);
      const found = await stat(folder).catch(() => undefined);
      if (!found || found.uid !== process.getuid?.() || (await answers(path.join(folder, "alive")))) return;
      const marked = await stat(path.join(folder, "alive")).catch(() => undefined);
      if (!marked && Date.now() - found.mtimeMs < GRACE_MS) return;
      // Whoever cannot be removed (a mount, another user's files) is not this run's trouble.
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }),
  );
}

/** The temporary folder, or /tmp where that one is too long for a socket or closed to the server's user. */
export async function openTempDir(): Promise<string> {
  const wanted = path.resolve(tmpdir());
  if (wanted.length > MAX_SOCKET_FOLDER_LENGTH) return "/tmp";
  if (process.getuid?.() === 0 && !(await isOpenToAll(wanted).catch(() => false))) return "/tmp";
  return wanted;
}

/** True when something listens on a Unix socket. */
export function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}
