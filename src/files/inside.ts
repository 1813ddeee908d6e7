import { lstat, realpath } from "node:fs/promises";
import path from "node:path";

/** Whether a path is that of a folder or of something in it. Both must be real paths, without links. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative));
}

/** Whether a path within a folder names a hidden file or folder, or leads through one. */
export function isHidden(relative: string): boolean {
  return relative.split(/[\\/]/).some((part) => part.startsWith("."));
}

/**
 * The real path of a file that exists, or that can be created: then its folder exists, and no link has its name.
 *
 * @throws Error of the file system for a link that leads nowhere or to itself, and for a folder that does not exist
 */
export async function realPathOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || (await isLink(file))) throw error;
    return path.join(await realpath(path.dirname(path.resolve(file))), path.basename(file));
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
