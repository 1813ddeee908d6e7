import { stat } from "node:fs/promises";
import path from "node:path";

/** The folder for files that root creates and another user must be able to read. */
export const ROOT_STATE_DIR = "/var/lib/site-validator";

/** True when other users may enter every folder down to `folder`, or run it if it is a file. It must exist. */
export async function isReachableByAll(folder: string): Promise<boolean> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const { mode } = await stat(at);
    if ((mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}
