import { link, readFile, rm, writeFile } from "node:fs/promises";
import { UsageError } from "../domain/errors.ts";

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
    await writeFile(draft, `${process.pid} ${await startOf(process.pid)}`, { mode: 0o600 });
    for (let attempt = 1; ; attempt += 1) {
      try {
        await link(draft, file);
        return () => rm(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        const [holder = 0, started = ""] = (await readFile(file, "utf8").catch(() => "")).split(" ");
        if (attempt > MAX_ATTEMPTS || (await isRunning(Number(holder), started)))
          throw new UsageError(
            `The data folder ${dataDir} is being started by another process (${holder}). Stop the other site-validator, or set DATA_DIR to another folder.`,
          );
        await rm(file, { force: true });
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** True for another process that runs and has started then: process ids are reused, after a reboot above all. */
async function isRunning(pid: number, started: string): Promise<boolean> {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return (await startOf(pid)) === started;
}

/** When a process started, in ticks since the machine did; "" where only Linux would say it. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The command in parentheses may hold any characters. Of the fields after it, the 20th is the time.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
