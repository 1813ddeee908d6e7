import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Replaces the contents of a file: as a whole, or not at all. A link stays a link, and rights and owner stay the same.
 *
 * @param before what it has had when it was read
 * @throws Error that says why it was left alone: it is no regular file, may not be written, has several names, is reached by
 *   the link of another user, or has changed
 */
export async function rewriteFile(file: string, before: Buffer, after: Buffer): Promise<void> {
  await requireOwnLink(file);
  const target = await realpath(file);
  const found = await stat(target, { bigint: true });
  if (!found.isFile()) throw new Error("it is not a regular file");
  if (found.nlink > 1n) throw new Error(`it has ${found.nlink} names (hard links), which would be files of their own`);
  // A folder's rights suffice for a new file in place of one that may not be written.
  await access(target, constants.W_OK).catch(() => {
    throw new Error("it may not be written");
  });
  const draft = path.join(path.dirname(target), `.${path.basename(target).slice(0, 100)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(after);
      const own = await handle.stat({ bigint: true });
      if (own.uid !== found.uid || own.gid !== found.gid) await handle.chown(Number(found.uid), Number(found.gid));
      await handle.chmod(Number(found.mode & 0o7777n));
      await handle.sync();
    } finally {
      await handle.close();
    }
    const now = await stat(target, { bigint: true });
    const isSame = now.ino === found.ino && now.mtimeNs === found.mtimeNs && now.size === found.size;
    if (!isSame || !(await readFile(target)).equals(before)) throw new Error("it has changed since it was read");
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** In a folder for everybody, somebody else's link may lead to any file of this user. */
async function requireOwnLink(file: string): Promise<void> {
  const found = await lstat(file);
  if (!found.isSymbolicLink() || [0, process.geteuid?.() ?? found.uid].includes(found.uid)) return;
  throw new Error(`it is a symbolic link of another user (owner ${found.uid})`);
}
