import { realpath } from "node:fs/promises";
import path from "node:path";
import { contentTypeOf, type DecodedDocument, decodeFile } from "html-conformance/documents";
import { UsageError } from "../domain/errors.ts";
import { isInside } from "../files/inside.ts";
import { openInside } from "../files/open-inside.ts";

const MAX_FILE_BYTES = 10_000_000;

/** Files that may be read, and no others. */
export type Folders = {
  /** The files with HTML, XHTML or SVG that a path names: itself, or those of a folder. @throws UsageError */
  list(given: string): Promise<string[]>;
  /** @throws UsageError for what is not a file in one of the folders */
  read(file: string): Promise<DecodedDocument>;
  /** A path of a file as it is given to read it, relative to the first folder. */
  nameOf(file: string): string;
};

/**
 * @param folders at least one; relative paths are relative to the first
 * @param listFolder the files of a folder, without following links
 */
export async function openFolders(
  folders: readonly string[],
  listFolder: (folder: string) => Promise<string[]>,
): Promise<Folders> {
  const roots = await Promise.all(
    folders.map((folder) =>
      realpath(folder).catch((error: Error) => {
        throw new UsageError(`The folder ${JSON.stringify(folder)} cannot be read: ${error.message}.`);
      }),
    ),
  );
  const [first = ""] = roots;

  /** The root that a path is in by its text; where it really leads, openInside looks at. */
  function rootOf(given: string): { root: string; file: string } {
    const file = path.resolve(first, given);
    const root = roots.find((one) => isInside(one, file));
    if (root) return { root, file };
    throw outside(given, "is outside of the folders that may be read");
  }

  function outside(given: string, why: string): UsageError {
    const allowed = roots.map((root) => JSON.stringify(root)).join(", ");
    return new UsageError(
      `${JSON.stringify(given)} ${why}: ${allowed}. To allow another folder, its user adds its path to the arguments of site-validator mcp.`,
    );
  }

  async function open(given: string) {
    const { root, file } = rootOf(given);
    const opened = await openInside(root, file).catch((error: Error) => {
      throw new UsageError(`${JSON.stringify(given)} cannot be read: ${error.message}.`);
    });
    if (!opened) throw new UsageError(`${JSON.stringify(given)} does not exist.`);
    if ("leftOut" in opened) throw outside(given, `is ${opened.leftOut}, so it is not read. Folders that may be read`);
    return { opened, file };
  }

  return {
    nameOf: (file) => path.relative(first, file),
    async list(given) {
      const { opened, file } = await open(given);
      if ("isFolder" in opened) return listFolder(await inside(given, file));
      await opened.handle.close();
      return [file];
    },
    async read(given) {
      const { opened } = await open(given);
      if ("isFolder" in opened) throw new UsageError(`${JSON.stringify(given)} is a folder; name a file in it.`);
      try {
        if (opened.size > MAX_FILE_BYTES)
          throw new UsageError(
            `${JSON.stringify(given)} has more than ${MAX_FILE_BYTES / 1_000_000} MB, the most that is read.`,
          );
        return decodeFile(await opened.handle.readFile(), contentTypeOf(opened.real));
      } finally {
        await opened.handle.close();
      }
    },
  };

  /** A folder's real path: a link to one within the folders is followed. */
  async function inside(given: string, file: string): Promise<string> {
    const real = await realpath(file);
    if (roots.some((root) => isInside(root, real))) return real;
    throw outside(given, "leads out of the folders that may be read");
  }
}
