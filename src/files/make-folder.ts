import { mkdir, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Makes a folder, and those above it, where they are missing. (Node's own recursive
 * mkdir never ends where a file system answers "no such file" for a folder whose
 * parent is there, as /proc does.)
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await makeOne(folder, mode)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent, mode);
  if (await makeOne(folder, mode)) return;
  throw new Error(`no folder can be made at ${folder}`);
}

/** @returns false when the folder above it is missing */
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
