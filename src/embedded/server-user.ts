import { type ChildProcess, spawn } from "node:child_process";

/** PostgreSQL's superuser in the embedded server. */
export const POSTGRES_USER = "site_validator";

/**
 * One SCRAM iteration, because the server repeats them for each connection. More of them only protect passwords that
 * can be guessed; all passwords here are 192 random bits.
 */
export const PASSWORD_SETTINGS = { scram_iterations: "1" };

/** The user `nobody` exists on every Linux. */
const NOBODY = { uid: 65534, gid: 65534 };

/** The server's user if this process is root, because PostgreSQL refuses to run as root; undefined for this user. */
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

/**
 * Starts a program under a shell that reads a pipe from this process. When the pipe closes, because this process has
 * ended (even by kill -9), the shell ends the program. The shell has its own process group, so that Ctrl-C reaches
 * only this process.
 *
 * @param end the signal for the program; KILL also ends what the program has started
 */
export function startSupervised(
  command: string,
  args: string[],
  folder: number | undefined,
  end: "INT" | "QUIT" | "KILL",
): ChildProcess {
  const script =
    'exec 3<&0; end=$1; shift; "$@" </dev/null 3<&- & child=$!; ' +
    '(cat <&3 >/dev/null; [ "$end" = KILL ] && child=0; kill -"$end" $child 2>/dev/null) & wait $child';
  return startDetached("/bin/sh", ["-c", script, "postgres", end, command, ...args], folder);
}
