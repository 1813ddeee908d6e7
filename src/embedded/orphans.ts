import { readdir, readFile, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcStat } from "../files/proc-stat.ts";
import { PASSWORD_SETTINGS } from "./server-user.ts";

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
    for (const pid of pids) kill(pid, "SIGKILL");
    await sleep(POLL_MS);
  }
}

/** Servers work in their data folder, and call themselves `postgres: <what they do>`, except for the postmaster. */
async function orphansOf(dataDir: string): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // One that is ending has no command line any more, and may still hold the shared memory.
      if (!/^(postgres: |$)/.test(await commandOf(pid))) return [];
      if (!(await worksIn(pid, dataDir))) return [];
      const parent = await commandOf(parentOf(pid));
      // A postmaster's command line begins with its file.
      return /^\S*postgres\0/.test(parent) ? [] : [pid];
    }),
  );
  return found.flat();
}

/**
 * Ends a server of ours that nobody would end any more: it has lost the shell that supervises it (server-user.ts), or
 * that shell the program that started it, and with it the process that waits for that program's end.
 *
 * @returns whether it was told to end
 */
export async function endAbandoned(postmaster: number, dataDir: string): Promise<boolean> {
  const settings = (await commandOf(postmaster)).split("\0");
  const isOurs = Object.entries(PASSWORD_SETTINGS).every(([name, value]) => settings.includes(`${name}=${value}`));
  if (!isOurs || !(await worksIn(postmaster, dataDir))) return false;
  const shell = parentOf(postmaster);
  const starter = (await commandOf(shell)).startsWith("/bin/sh\0-c\0") ? parentOf(shell) : 0;
  // Of a program that ended, the first process of the system is the heir. Those of other users cannot be looked at.
  const program = await readlink(`/proc/${starter}/exe`).catch(() => "");
  if (path.basename(program) === path.basename(process.execPath)) return false;
  kill(postmaster, "SIGINT");
  return true;
}

async function worksIn(pid: number, dataDir: string): Promise<boolean> {
  // That of a process that has ended cannot be read.
  const [works, folder] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => undefined), stat(dataDir)]);
  return works?.ino === folder.ino && works.dev === folder.dev;
}

function parentOf(pid: number): number {
  return Number(readProcStat(pid)?.(4) ?? 0);
}

function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
