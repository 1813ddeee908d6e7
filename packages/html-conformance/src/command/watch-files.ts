import { statSync, watch } from "node:fs";
import path from "node:path";
import { isDocument } from "../documents/list-files.ts";

/** Editors write a file in several steps. */
const QUIET_MS = 100;

/**
 * Calls back with the files that have changed, until the process ends. A file is watched by its folder: editors put
 * another one in its place.
 *
 * @param paths files, and folders with all that is in them
 * @param failed receives why a path cannot be watched
 */
export function watchFiles(
  paths: readonly string[],
  changed: (files: string[]) => Promise<void>,
  failed: (given: string, why: string) => void,
): void {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const note = (file: string): void => {
    pending.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = [...pending].filter(isFile).sort();
      pending.clear();
      running = running.then(() => changed(files));
    }, QUIET_MS);
  };
  for (const given of paths) {
    const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const folder = isFolder ? given : path.dirname(given);
    const wanted = isFolder ? undefined : path.basename(given);
    try {
      const watcher = watch(folder, { recursive: isFolder }, (_, name) => {
        if (name === null || (wanted === undefined ? !isDocument(name) : name !== wanted)) return;
        note(isFolder ? path.join(folder, name) : given);
      });
      watcher.on("error", (error) => failed(given, error.message));
    } catch (error) {
      failed(given, (error as Error).message);
    }
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
