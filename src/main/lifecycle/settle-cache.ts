import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { cacheFolder } from "../../config.ts";
import { requireTrusted } from "../../files/trust.ts";
import { say } from "./say.ts";

/**
 * Makes sure that nobody else could have put code into the cache folder. A default one that others can write to, as in
 * a home of another user, is replaced by a temporary one for this process and its children: `CACHE_DIR` then names it.
 *
 * @param env gets another `CACHE_DIR`
 * @returns whether the folder lasts, so that compiled code is worth keeping
 * @throws UsageError for a folder that `CACHE_DIR` names: somebody chose it, and should know
 */
export async function settleCache(env: NodeJS.ProcessEnv, folder: string = cacheFolder(env)): Promise<boolean> {
  const trusted = { kind: "folder", what: "The cache folder", remedy: "Set CACHE_DIR to a folder" } as const;
  const fault = await requireTrusted(folder, trusted).catch((error: Error) => error);
  if (!fault) return true;
  if (env.CACHE_DIR?.trim()) throw fault;
  // Loaded only here: most runs do not need it.
  const { openTempDir } = await import("../../files/scratch.ts");
  const temporary = await mkdtemp(path.join(await openTempDir(), "sv-cache-"));
  process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
  env.CACHE_DIR = temporary;
  say(`${fault.message} Without it, this run has a temporary one, and takes longer.`);
  return false;
}
