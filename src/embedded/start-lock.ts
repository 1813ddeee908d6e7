import { open, readFile, rm } from "node:fs/promises";
import { UsageError } from "../domain/errors.ts";

/**
 * Lets one process at a time initialise and start a data folder. The lock is a file beside the folder with the id of
 * its process; one that a killed process left behind is taken over.
 *
 * @returns a function that releases the lock
 * @throws UsageError when another process holds it
 */
export async function lockStart(dataDir: string): Promise<() => Promise<void>> {
  const file = `${dataDir}.starting`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const handle = await open(file, "wx", 0o600);
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = Number(await readFile(file, "utf8").catch(() => ""));
      if (attempt > 3 || isAlive(holder))
        throw new UsageError(
          `The data folder ${dataDir} is being started by another process (${holder}). Stop the other site-validator, or set DATA_DIR to another folder.`,
        );
      await rm(file, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  // Its id is written right after the file is created.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
