import { readdirSync, readFileSync } from "node:fs";

type SeenProcess = { pid: number; parent: number; group: number; command: string };

/** The machine's processes, as Linux lists them, without zombies, which have ended. */
function seenProcesses(): SeenProcess[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || state === "X") return [];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
    } catch {
      return [];
    }
  });
}

/** Browsers that this process, or the one given, has started. */
export function browserPids(parent: number = process.pid): number[] {
  return seenProcesses().flatMap((seen) =>
    seen.parent === parent && seen.command.includes("--remote-debugging-pipe") ? seen.pid : [],
  );
}

/** A browser's processes: its own, zygotes, renderers. */
export function browserGroup(browser: number): SeenProcess[] {
  return seenProcesses().filter(({ group }) => group === browser);
}
