import { readFile } from "node:fs/promises";

/** A process's id and start time, as text: ids are reused, especially after a reboot. */
export async function processIdentity(pid: number): Promise<string> {
  return `${pid} ${await startOf(pid)}`;
}

/** True if the process of the identity is running, and is not this process. */
export async function runsStill(identity: string): Promise<boolean> {
  const [pid, started = ""] = parse(identity);
  if (!(pid > 0) || pid === process.pid || !exists(pid)) return false;
  return (await startOf(pid)) === started;
}

/**
 * True if a process is running in the group that the process of the identity leads. The others of a group may end a
 * little later than its leader.
 */
export async function groupRunsStill(identity: string): Promise<boolean> {
  const [pid] = parse(identity);
  if (!(pid > 0) || !exists(-pid)) return false;
  // A leader that started at another time leads another group.
  return !exists(pid) || runsStill(identity);
}

function parse(identity: string): [pid: number, started: string | undefined] {
  const [pid, started] = identity.split(" ");
  return [Number(pid), started];
}

/** @param target a process id, or that of a group as a negative number */
function exists(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process started, in ticks since boot; "" except on Linux. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The command in parentheses may hold any characters. Of the fields after it, the 20th is the time.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
