import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileExtensions } from "./content-type.ts";

/**
 * The files in a folder that can be checked, by the ends of their names, in the order of the names, as they are found.
 *
 * @param skipped receives links, which are not followed: they may form a circle, or lead to what is not meant to be shown
 * @throws Error of the file system, for a folder that cannot be read
 */
export async function* filesIn(folder: string, skipped: (link: string) => void): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(file, skipped);
    else if (entry.isSymbolicLink()) skipped(file);
    else if (entry.isFile() && isDocument(file)) yield file;
  }
}

/** Whether a file is checked by its name, where it is one of a folder. */
export function isDocument(file: string): boolean {
  return fileExtensions.includes(path.extname(file).toLowerCase());
}
