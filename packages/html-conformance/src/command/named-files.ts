import { stat } from "node:fs/promises";
import { fileExtensions } from "../documents/content-type.ts";
import { filesIn } from "../documents/list-files.ts";

/** A file to check, or why a path has none. */
export type NamedFile = { file: string } | { file: string; failure: string };

/** The files that paths name, as they are found. @param skipped receives links in folders, which are not followed */
export async function* namedFiles(
  paths: readonly string[],
  skipped: (link: string) => void,
): AsyncGenerator<NamedFile> {
  for (const given of paths) {
    if (given === "-" || !(await isFolder(given))) yield { file: given };
    else {
      let found = 0;
      try {
        for await (const file of filesIn(given, skipped)) {
          found += 1;
          yield { file };
        }
      } catch (error) {
        yield { file: given, failure: (error as Error).message };
        continue;
      }
      if (found === 0) yield { file: given, failure: `it has no file that ends in ${fileExtensions.join(", ")}` };
    }
  }
}

/** What cannot be looked at is a file that cannot be read. */
async function isFolder(given: string): Promise<boolean> {
  return stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
