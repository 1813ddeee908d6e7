import { stat } from "node:fs/promises";
import { fileExtensions, filesIn } from "html-conformance/documents";
import { UsageError } from "../../domain/errors.ts";
import { plural } from "../../domain/plural.ts";

/**
 * The files that paths name, in the order of the paths; those of a folder are sorted by name. `-` stays
 * as it is. Links in folders are not followed: they may form a circle, or lead to what is not meant to be shown.
 *
 * @param say receives the sentence about links that were left out
 * @throws UsageError naming a path that does not exist or cannot be read, or a folder without such a file
 */
export async function listHtmlFiles(paths: readonly string[], say: (text: string) => void): Promise<string[]> {
  const found: string[] = [];
  const links: string[] = [];
  for (const given of paths) {
    if (given === "-" || !(await isFolder(given))) {
      found.push(given);
      continue;
    }
    const before = found.length;
    try {
      for await (const file of filesIn(given, (link) => links.push(link))) found.push(file);
    } catch (error) {
      throw new UsageError(`${JSON.stringify(given)} cannot be read: ${(error as Error).message}.`);
    }
    if (found.length === before)
      throw new UsageError(
        `${JSON.stringify(given)} has no file that ends in ${fileExtensions.join(", ")}; name a folder that has one.`,
      );
  }
  if (links.length > 0) {
    const more = links.length > 1 ? `, and ${plural(links.length - 1, "more symbolic link")}` : "";
    say(
      `Left out: ${JSON.stringify(links[0])}, a symbolic link in a folder${more}. Name a file to check what it leads to.`,
    );
  }
  return found;
}

async function isFolder(given: string): Promise<boolean> {
  try {
    return (await stat(given)).isDirectory();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${message})`;
    throw new UsageError(`${JSON.stringify(given)} ${why}; name a file, a folder, or - for standard input.`);
  }
}
