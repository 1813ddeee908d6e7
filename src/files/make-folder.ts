import { mkdir, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Creates a folder and its missing parents. (Node's recursive mkdir never ends on a file system that
 * reports "no such file" although the parent exists, as /proc does.)
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await makeOne(folder, mode)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent, mode);
  if (await makeOne(folder, mode)) return;
  throw new Error(`the folder ${folder} cannot be created`);
}

/** @returns false when the parent folder is missing */
async function makeOne(folder: string, mode: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "EEXIST" || !(await stat(folder)).isDirectory()) throw error;
  }
  return true;
}
