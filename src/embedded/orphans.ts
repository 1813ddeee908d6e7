import { readdir, readFile, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcStat } from "../files/proc-stat.ts";

const POLL_MS = 20;
const MAX_END_MS = 15_000;

/**
 * Ends the processes of a server whose postmaster was killed. Some of them do not notice that, because they compute, wait
 * for a lock or are frozen, and a new server refuses to start until they have ended. They may be killed: the new server
 * recovers from its log, as after a crash. Nothing is found where there is no /proc; then starts fail until they have
 * ended by themselves.
 *
 * @throws Error when they do not end, because a disk does not respond, for example
 */
export async function endOrphans(dataDir: string): Promise<void> {
  const limit = performance.now() + MAX_END_MS;
  for (;;) {
    const pids = await orphansOf(dataDir);
    if (pids.length === 0) return;
    if (performance.now() > limit)
      throw new Error(
        `The data folder ${dataDir} is used by processes of a PostgreSQL that was killed, and they do not end: ${pids.join(", ")}.`,
      );
    for (const pid of pids) kill(pid);
    await sleep(POLL_MS);
  }
}

/** Servers work in their data folder, and call themselves `postgres: <what they do>`, except for the postmaster. */
async function orphansOf(dataDir: string): Promise<number[]> {
  const folder = await stat(dataDir);
  const pids = (await readdir("/proc").catch(() => [])).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(
    pids.map(async (pid) => {
      if (!(await commandOf(pid)).startsWith("postgres: ")) return [];
      // That of a process that has ended cannot be read.
      const works = await stat(`/proc/${pid}/cwd`).catch(() => undefined);
      if (works?.ino !== folder.ino || works.dev !== folder.dev) return [];
      const parent = await commandOf(Number(readProcStat(pid)?.(4)));
      // A postmaster's command line begins with its file.
      return /^\S*postgres\0/.test(parent) ? [] : [pid];
    }),
  );
  return found.flat();
}

function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
