import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Row, Tables } from "./rows.ts";

/** The files of folders with a hash of their content, in the shape of tables: one a file. Links are not followed. */
export async function filesOf(folders: readonly string[]): Promise<Tables> {
  const files = new Map<string, ReadonlyMap<string, Row>>();
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const name = `${path.basename(folder)}/${path.relative(folder, file)}`;
      files.set(name, new Map([["", { content: await hashOf(file) }]]));
    }
  }
  return files;
}

/** A file may be gone between listing and reading. */
async function hashOf(file: string): Promise<string> {
  const content = await readFile(file).catch(() => undefined);
  return content === undefined ? "gone" : createHash("sha256").update(content).digest("hex");
}
