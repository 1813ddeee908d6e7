import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type FrozenServer = {
  /** Stops the postmaster and all its backends, without an error for their clients: as on a machine that hangs. */
  freeze(): Promise<void>;
  /** Lets them continue. */
  thaw(): void;
};

/** @param dataDir of a running server of this machine (Linux) */
export function frozenServer(dataDir: string): FrozenServer {
  const stopped = new Set<number>();
  const stop = (pid: number): void => {
    process.kill(pid, "SIGSTOP");
    stopped.add(pid);
  };
  return {
    async freeze() {
      const [line = ""] = (await readFile(path.join(dataDir, "postmaster.pid"), "utf8")).split("\n");
      const postmaster = Number(line);
      // First, so that it starts no others.
      stop(postmaster);
      for (const pid of await childrenOf(postmaster)) stop(pid);
    },
    thaw() {
      for (const pid of stopped) {
        try {
          process.kill(pid, "SIGCONT");
        } catch {
          // It has ended.
        }
      }
      stopped.clear();
    },
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
    }),
  );
  return pids.filter((_, index) => found[index]);
}
