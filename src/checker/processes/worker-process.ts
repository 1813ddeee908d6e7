import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";

/** What to run in a child process. */
export type WorkerProgram = { module: string; execArgv: string[] };

/** A child process that first says `{ ready: true }`, then answers each request with the request's `id`. */
export type WorkerProcess = {
  /** A failed send means that the child is gone: `onEnd` says so. */
  send(message: object): void;
  kill(): void;
  /** 0 for a child that could not be spawned. */
  pid: number;
  /** Resolves when the child is gone. */
  ended: Promise<void>;
};

export type WorkerEvents<Message> = {
  onReady(): void;
  onMessage(message: Message): void;
  /**
   * Called once, after everything that the child has sent.
   *
   * @param how its signal, its exit code, or why it could not be spawned
   */
  onEnd(how: string): void;
};

/** Starts a child process. Nothing is thrown: a child that cannot be spawned ends at once. */
export function startWorker<Message extends object>(
  { module, execArgv }: WorkerProgram,
  events: WorkerEvents<Message>,
): WorkerProcess {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let hasEnded = false;
  const end = (how: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    resolve();
    events.onEnd(how);
  };
  let child: ChildProcess;
  try {
    child = fork(module, [], {
      execArgv,
      // Hostile pages are read there: no credentials, nothing of ours but the folder of compiled code,
      // which would otherwise be one that all users share.
      env: compileCache(),
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  } catch (error) {
    // Some errors of spawn are thrown (ENOMEM), others are emitted (EAGAIN, EMFILE). Later, so that all come alike.
    setImmediate(() => end((error as Error).message));
    return { send: () => {}, kill: () => {}, pid: 0, ended };
  }
  child.on("message", (message: Message | { ready: true }) => {
    if ("ready" in message) events.onReady();
    else events.onMessage(message);
  });
  // An error without a process is the end; one of a process that lives is not.
  child.on("error", (error) => {
    if (child.pid === undefined) end(error.message);
  });
  // Not "exit": answers that the child sent before it ended may come after that.
  if (child.pid !== undefined) child.once("close", (code, signal) => end(signal ?? `exit code ${code}`));
  return {
    send: (message) => child.send(message, () => {}),
    kill: () => child.kill("SIGKILL"),
    pid: child.pid ?? 0,
    ended,
  };
}

function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
