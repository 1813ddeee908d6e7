import { readdir, readFile } from "node:fs/promises";
import { parseProcStat } from "../files/proc-stat.ts";
import { processExists } from "../files/process-exists.ts";

/** A process's id and start time, as text: ids are reused, especially after a reboot. */
export async function processIdentity(pid: number): Promise<string> {
  return `${pid} ${(await statOf(pid))?.started ?? ""}`;
}

/** True if the process of the identity is running, and is not this process. */
export async function isStillRunning(identity: string): Promise<boolean> {
  const [pid, started] = parse(identity);
  if (!(pid > 0) || pid === process.pid || !processExists(pid)) return false;
  const stat = await statOf(pid);
  return stat === undefined ? started === "" : stat.started === started && !stat.isZombie;
}

/**
 * True if a process is running in the group that the process of the identity leads. The others of a group may end a
 * little later than its leader.
 */
export async function isGroupStillRunning(identity: string): Promise<boolean> {
  const [pid, started] = parse(identity);
  if (!(pid > 0) || !processExists(-pid)) return false;
  const leader = await statOf(pid);
  // A leader that started at another time leads another group.
  if (leader && leader.started !== started) return false;
  const pids = (await readdir("/proc").catch(() => [])).map(Number).filter((one) => one > 0);
  // Only Linux lists them.
  if (pids.length === 0) return true;
  const stats = await Promise.all(pids.map(statOf));
  return stats.some((stat) => stat?.group === pid && !stat.isZombie);
}

function parse(identity: string): [pid: number, started: string] {
  const [pid, started = ""] = identity.split(" ");
  return [Number(pid), started];
}

type Stat = {
  /** It has ended, and its parent has not asked how. */
  isZombie: boolean;
  group: number;
  /** In ticks since boot. */
  started: string;
};

/** What Linux says of a process; undefined for one that does not exist, and on other systems. */
async function statOf(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  if (text === "") return undefined;
  const stat = parseProcStat(text);
  return { isZombie: stat(3) === "Z", group: Number(stat(5)), started: stat(22) };
}
