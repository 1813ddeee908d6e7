import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../domain/errors.ts";
import { createGuides, type Guides } from "../domain/guides/guides.ts";

const FOLDER = fileURLToPath(new URL("../../guides", import.meta.url));

/** Reads the guides that come with the program. @throws UsageError when they are not there */
export async function readGuides(folder: string = FOLDER): Promise<Guides> {
  const names = await readdir(folder, { recursive: true }).catch((error: Error) => {
    throw new UsageError(`The guides cannot be read: ${error.message}. They come with the program: install it again.`);
  });
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith(".md"))
      .map(async (name) => [name.split(path.sep).join("/"), await readFile(path.join(folder, name), "utf8")] as const),
  );
  return createGuides(new Map(files));
}
