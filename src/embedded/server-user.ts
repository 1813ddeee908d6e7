import { type ChildProcess, spawn } from "node:child_process";

/** PostgreSQL's superuser in the embedded server. */
export const POSTGRES_USER = "site_validator";

/** nobody: exists on every Linux. */
const NOBODY = { uid: 65534, gid: 65534 };

/** Who the server runs as when this process is root, which PostgreSQL refuses; else undefined: as this user. */
export function serverOwner(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** The descriptor under which a child sees a folder that was opened for it. */
export const FOLDER_FD = 4;

/**
 * Starts a program of the server as the server's user, in a process group of its
 * own, with a pipe as stdin and stderr. `folder` is an open folder that it may use as
 * `/proc/self/fd/4`.
 */
export function startDetached(command: string, args: string[], folder: number | undefined): ChildProcess {
  return spawn(command, args, {
    ...serverOwner(),
    cwd: "/",
    // Nothing of this process's environment: it may hold secrets.
    env: { PATH: "/usr/bin:/bin", TZ: "UTC" },
    stdio: ["pipe", "ignore", "pipe", "ignore", ...(folder === undefined ? [] : [folder])],
    detached: true,
  });
}
