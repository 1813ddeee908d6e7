import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import path from "node:path";
import { isHidden, isInside } from "./inside.ts";

export type OpenedFile = {
  handle: FileHandle;
  size: number;
  /** Its path without links. */
  real: string;
  /** The same for all its names. */
  id: string;
  /** How many names (hard links) it has. */
  links: number;
};

/** A file that is open, a folder, or why there is something that is not opened; undefined if there is nothing. */
export type Opened = OpenedFile | { isFolder: true } | { leftOut: string } | undefined;

// Not followed and not waited for: what was a file when it was looked at may be a link or a pipe by now.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file for reading if its real path is in a folder, even if somebody changes files to links meanwhile.
 * Links within the folder are followed, but not to what is hidden in it. A hard link cannot be told from a file of the folder.
 *
 * @param root the folder's real path
 * @throws Error of the file system, for example where a folder may not be entered
 */
export async function openInside(root: string, file: string): Promise<Opened> {
  try {
    const real = await realpath(file);
    if (!isInside(root, real)) return { leftOut: "a symbolic link that leads out of the folder" };
    // Such as .git, which may hold a token.
    if (isHidden(path.relative(root, real))) return { leftOut: "a symbolic link that leads to a hidden file" };
    const seen = await lstat(real);
    if (seen.isDirectory()) return { isFolder: true };
    // Opening a device may have an effect.
    if (!seen.isFile()) return { leftOut: "neither a file nor a folder" };
    return await openAt(real);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code)) return undefined;
    if (code === "ELOOP") return { leftOut: "a symbolic link that leads to itself" };
    throw error;
  }
}

async function openAt(real: string): Promise<Opened> {
  const handle = await open(real, FLAGS);
  let isOurs = false;
  try {
    const opened = await handle.stat();
    isOurs = opened.isFile() && (await isStillThere(real, opened));
    if (!isOurs) return { leftOut: "changed while it was opened" };
    return { handle, size: opened.size, real, id: fileId(opened), links: opened.nlink };
  } finally {
    if (!isOurs) await handle.close();
  }
}

/** Identifies a file of this machine. */
export function fileId({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** Whether a path without links leads to the file that was opened: then no link led there. */
async function isStillThere(real: string, opened: Stats): Promise<boolean> {
  if ((await realpath(real)) !== real) return false;
  return fileId(await lstat(real)) === fileId(opened);
}
