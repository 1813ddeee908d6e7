import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { isHidden } from "../../../files/inside.ts";
import { fileId, type OpenedFile } from "../../../files/open-inside.ts";

/**
 * The one path of each document of a folder. A document is a file, whatever its links, and however it is asked for:
 * `/about`, `/about.html` and a link to that file are one page; `index.html` is its folder's.
 *
 * @param root the folder's real path
 * @returns a function from an open file to its path as in URLs, below the folder; undefined for what is no document
 */
export function documentPaths(root: string): (file: OpenedFile) => Promise<string | undefined> {
  let linked: Promise<Map<string, string>> | undefined;
  return async ({ real, id, links }) => {
    if (!isDocument(real)) return undefined;
    // A file with several names is rare, and to find them all takes a look at every file.
    if (links > 1) linked ??= firstNames(root);
    const name = (links > 1 && (await linked)?.get(id)) || path.relative(root, real);
    const written = name
      .split(path.sep)
      .join("/")
      .replace(/(^|\/)index\.html$/, "$1");
    // As browsers write paths.
    return new URL(`http://localhost/${written.replace(/[%?#]/g, encodeURIComponent)}`).pathname.slice(1);
  };
}

function isDocument(file: string): boolean {
  return /\.x?html?$/i.test(file);
}

/**
 * The first name, in the order of the alphabet, of each document with several names, by its id. Folders that cannot be
 * read are skipped: nothing in them is served either.
 */
async function firstNames(root: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const documents: string[] = [];
  const folders = [""];
  for (const folder of folders) {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = path.join(folder, entry.name);
      if (isHidden(name)) continue;
      if (entry.isDirectory()) folders.push(name);
      else if (isDocument(name)) documents.push(name);
    }
  }
  for (const name of documents.sort()) {
    const found = await stat(path.join(root, name)).catch(() => undefined);
    const id = found?.isFile() && found.nlink > 1 ? fileId(found) : undefined;
    if (id !== undefined && !names.has(id)) names.set(id, name);
  }
  return names;
}
