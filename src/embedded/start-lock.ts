import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { UsageError } from "../domain/errors.ts";
import { isStillRunning, processIdentity } from "./process-identity.ts";

const MAX_ATTEMPTS = 3;

/**
 * Lets one process at a time initialise and start a data folder. The lock is a file beside the folder that names its
 * process; one that a killed process left behind is taken over.
 *
 * @returns a function that releases the lock
 * @throws UsageError when another process holds it
 */
export async function lockStart(dataDir: string): Promise<() => Promise<void>> {
  const file = `${dataDir}.starting`;
  const draft = `${file}.${process.pid}`;
  try {
    // Linked, so that the lock never exists without its content.
    await writeFile(draft, await processIdentity(process.pid), { mode: 0o600 });
    for (let attempt = 1; ; attempt += 1) {
      try {
        await link(draft, file);
        return () => rm(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        const holder = await contentOf(file);
        if (attempt > MAX_ATTEMPTS || (holder !== undefined && (await isStillRunning(holder))))
          throw new UsageError(
            `The data folder ${dataDir} is being started by another process (${holder?.split(" ")[0] ?? "unknown"}). Stop the other site-validator, or set DATA_DIR to another folder.`,
          );
        // One that is not there any more may be taken again.
        if (holder !== undefined) await removeStaleLock(file, holder);
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes a lock whose process has ended. Another process may have done so, and have taken the lock, since it was read:
 * of several, only one can rename the file, and what it has renamed tells whose lock it was.
 *
 * @param holder the content of the lock that may be removed
 */
export async function removeStaleLock(file: string, holder: string): Promise<void> {
  // While a lock is renamed, others could take it.
  if ((await contentOf(file)) !== holder) return;
  const removed = `${file}.${randomUUID()}`;
  try {
    await rename(file, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // A link, which replaces no lock that was taken in this moment.
  if ((await readFile(removed, "utf8")) !== holder) await link(removed, file).catch(() => {});
  await rm(removed, { force: true });
}

async function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
