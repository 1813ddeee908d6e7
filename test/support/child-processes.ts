import { readdir, readFile } from "node:fs/promises";

export type ChildInfo = { pid: number; command: string; cpuSeconds: number; environment: string[] };

/** The living direct children of a process whose command line contains `name` (Linux). */
export async function childrenOf(parent: number, name: string): Promise<ChildInfo[]> {
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const found = await Promise.all(pids.map((pid) => look(Number(pid), parent).catch(() => undefined)));
  return found.flatMap((child) => (child?.command.includes(name) ? [child] : []));
}

async function look(pid: number, parent: number): Promise<ChildInfo | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // After the command in parentheses: state, parent, …; user and system time are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (Number(fields[1]) !== parent || fields[0] === "Z") return undefined;
  const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
  const environment = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0").filter(Boolean);
  return {
    pid,
    command,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
    environment: environment.map((entry) => entry.slice(0, entry.indexOf("="))),
  };
}
