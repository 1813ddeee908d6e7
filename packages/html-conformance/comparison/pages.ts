import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

type Page = { file: string; read(): Promise<{ source: string; contentType: string }> };

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".htm": "text/html",
  ".xhtml": "application/xhtml+xml",
  ".svg": "image/svg+xml",
};
const MAX_BYTES = 1_000_000;

/** The pages in folders and the folders in them, without those that are not in UTF-8 or above 1 MB. */
export async function readPages(folders: readonly string[]): Promise<Page[]> {
  const found: Page[] = [];
  for (const folder of folders)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const type = TYPES[path.extname(entry.name)];
      if (type === undefined || !entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const bytes = await readFile(file);
      if (bytes.length <= MAX_BYTES && isUtf8(bytes))
        found.push({
          file,
          read: async () => ({ source: await readFile(file, "utf8"), contentType: `${type}; charset=utf-8` }),
        });
    }
  return found;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
