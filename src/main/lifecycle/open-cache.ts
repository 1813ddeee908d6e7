import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { cacheFolder } from "../../config.ts";
import { openTempDir } from "../../files/scratch.ts";
import { requireTrusted } from "../../files/trust.ts";

/**
 * The cache folder, or one for this run alone where others could have planted code in the default one: a home folder that
 * belongs to somebody else, as in some containers, must not keep the programs from running.
 *
 * @param env its CACHE_DIR becomes the folder of this run, for what reads it later
 * @param warn told why the default one is not used
 * @param folder the cache folder that `env` leads to
 * @throws UsageError when CACHE_DIR names a folder that others could have written
 */
export async function openCache(
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void,
  folder: string = cacheFolder(env),
): Promise<string> {
  try {
    await requireTrusted(folder, { kind: "folder", what: "The cache folder", remedy: "Set CACHE_DIR to a folder" });
    return folder;
  } catch (error) {
    if (env.CACHE_DIR?.trim()) throw error;
    warn(`${(error as Error).message} Until then each run prepares everything anew.`);
  }
  const own = await mkdtemp(path.join(await openTempDir(), "site-validator-cache-"));
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  env.CACHE_DIR = own;
  return own;
}
