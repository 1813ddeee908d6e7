import { type ChildProcess, spawn } from "node:child_process";

/** PostgreSQL's superuser in the embedded server. */
export const POSTGRES_USER = "site_validator";

/** The user `nobody` exists on every Linux. */
const NOBODY = { uid: 65534, gid: 65534 };

/** The server's user when this process is root, because PostgreSQL does not run as root; otherwise undefined, for the same user. */
export function serverOwner(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** The descriptor number of the folder that is passed to a child. */
export const FOLDER_FD = 4;

/**
 * Starts a program as the server's user, in a process group of its own, with pipes for stdin and
 * stderr.
 *
 * @param folder a folder's descriptor, which the program can use as `/proc/self/fd/4`
 */
export function startDetached(command: string, args: string[], folder: number | undefined): ChildProcess {
  return spawn(command, args, {
    ...serverOwner(),
    cwd: "/",
    // This process's environment may hold secrets, so none of it is passed on.
    env: { PATH: "/usr/bin:/bin", TZ: "UTC" },
    stdio: ["pipe", "ignore", "pipe", "ignore", ...(folder === undefined ? [] : [folder])],
    detached: true,
  });
}
