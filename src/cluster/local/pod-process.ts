import { type ChildProcess, spawn } from "node:child_process";

type Started = {
  file: string;
  args: string[];
  /** What every process of the same user can read. */
  env: Record<string, string>;
};

/** Starts a pod's process, which waits for a line on stdin (main/lifecycle/environment.ts). @throws as spawn does */
export function spawnPod({ file, args, env }: Started): ChildProcess {
  return spawn(file, args, {
    // The child watches its stdin (PARENT_PIPE): when this process dies for any reason, the
    // pipe closes and the child ends. Results go to the database, not to stdout.
    stdio: ["pipe", "ignore", "pipe", "ipc"],
    env: { ...env, PARENT_PIPE: "stdin" },
    // A process group of its own: when a pod ends, everything that it started ends too, and a
    // terminal's Ctrl-C reaches only this process, which then stops its pods in order.
    detached: true,
  });
}

/** Sends a signal to a pod's process and everything that it has started. */
export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // No process is left in the group.
  }
}
