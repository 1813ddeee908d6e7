import { type ChildProcess, fork } from "node:child_process";
import { PACKAGE_FOLDER } from "../../files/own-modules.ts";
import { lendCompiled, nothingLent } from "./lend-compiled.ts";
import { snapshotArguments } from "./snapshot.ts";

/** The program of a child process: its module, its arguments, and those of Node. */
export type WorkerProgram = { module: string; args?: string[]; execArgv: string[] };

/** A child process that first sends `{ ready: true }`, then one response per request, with the request's `id`. */
export type WorkerProcess = {
  /** Never throws: when the child has ended, `onEnd` reports that. */
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
   * Called once, after all messages of the child.
   *
   * @param how its signal, its exit code, or why it could not be spawned
   */
  onEnd(how: string): void;
};

/** Starts a child process. Never throws: when it cannot be spawned, `onEnd` is called. */
export function startWorker<Message extends object>(
  { module, args = [], execArgv }: WorkerProgram,
  events: WorkerEvents<Message>,
): WorkerProcess {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const snapshot = snapshotArguments(module);
  // A snapshot has what was compiled.
  const compiled = snapshot ? nothingLent : lendCompiled();
  let hasEnded = false;
  const end = (how: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    compiled.takeBack();
    resolve();
    events.onEnd(how);
  };
  let child: ChildProcess;
  try {
    child = fork(module, args, {
      execArgv: [...execArgv, ...(execArgv.includes("--permission") ? compiled.permissions : []), ...(snapshot ?? [])],
      // The child may not read the folder that we were started in, but packages such as html-validate read theirs.
      cwd: PACKAGE_FOLDER,
      // The child parses hostile pages, so its environment has no credentials.
      env: compiled.environment,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  } catch (error) {
    // spawn throws some errors (ENOMEM) and emits others (EAGAIN, EMFILE). Deferred, so that both behave alike.
    setImmediate(() => end((error as Error).message));
    return { send: () => {}, kill: () => {}, pid: 0, ended };
  }
  child.on("message", (message: Message | { ready: true }) => {
    if ("ready" in message) {
      compiled.takeBack();
      events.onReady();
    } else events.onMessage(message);
  });
  // An error event means the end only when no process was spawned.
  child.on("error", (error) => {
    if (child.pid === undefined) end(error.message);
  });
  // Not "exit": messages that the child has sent may still arrive after it.
  if (child.pid !== undefined) child.once("close", (code, signal) => end(signal ?? `exit code ${code}`));
  return {
    send: (message) => child.send(message, () => {}),
    kill: () => child.kill("SIGKILL"),
    pid: child.pid ?? 0,
    ended,
  };
}
