import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readProcStat } from "../../../files/proc-stat.ts";
import { javaArguments, logSettings } from "./java-arguments.ts";

export type JavaProgram = { java: string; jar: string /** Its heap. */; heapMb: number };

/** Where a server listens: on the loopback address, behind a path that nobody else knows. */
export type NuAddress = { port: number; path: string };

/** A Java process that is or becomes a server. */
export type JavaProcess = {
  /** 0 when it could not be spawned. */
  pid: number;
  /** False as soon as the process has ended, also before `onEnd` is called. */
  isAlive(): boolean;
  kill(): void;
  /** Resolves when the process is gone. */
  ended: Promise<void>;
};

export type JavaEvents = {
  /** Called once, when it accepts connections. */
  onReady(address: NuAddress): void;
  /**
   * Called once.
   *
   * @param how its signal or exit code, and the end of what it printed
   */
  onEnd(how: string): void;
};

const FOLDER_PREFIX = "sv-nu-";
const MAX_KEPT_OUTPUT = 4_000;
/** The line that Jetty logs after it has bound its port. Only Java itself can write to this pipe. */
const STARTED = /Started ServerConnector@.*\{127\.0\.0\.1:(\d{1,5})\}/;

/**
 * Java cannot notice that its parent is killed. So a shell starts a second process in its own group and then becomes
 * Java. The second process waits for the end of a pipe that only the parent holds; then it removes the folder and kills
 * the group: Java and itself. A group's number is not reused while a process is in it.
 */
const WATCHED = `
{ read -r _; /bin/rm -rf -- "$0"; kill -KILL 0; } <&3 >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/** Starts the Nu Html Checker as a server. Never throws: when it cannot be spawned, `onEnd` is called. */
export function startJava({ java, jar, heapMb }: JavaProgram, events: JavaEvents): JavaProcess {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let hasEnded = false;
  let folder: string | undefined;
  const end = (how: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    resolve();
    events.onEnd(how);
  };
  // Other users can read a command line: the path is in a file that they cannot read.
  const address = `/${randomBytes(16).toString("hex")}/`;
  let child: ChildProcess;
  try {
    folder = mkdtempSync(path.join(tmpdir(), FOLDER_PREFIX));
    const logFile = path.join(folder, "log4j.properties");
    const argumentFile = path.join(folder, "arguments");
    writeFileSync(logFile, logSettings, { mode: 0o600 });
    const settings = { heapMb, folder, logFile, path: address };
    writeFileSync(argumentFile, javaArguments(jar, settings), { mode: 0o600 });
    child = spawn("/bin/sh", ["-c", WATCHED, folder, java, `@${argumentFile}`], {
      cwd: folder,
      // Not our environment, which has secrets. In the locale C, Java could not open a jar whose path is not ASCII.
      env: { LC_ALL: "C.UTF-8" },
      // A group of its own, for the watching process to kill.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    setImmediate(() => end((error as Error).message));
    return { pid: 0, isAlive: () => false, kill: () => {}, ended };
  }
  const output = keepOutput(child, (port) => events.onReady({ port, path: address }));
  child.on("error", (error) => {
    if (child.pid === undefined) end(error.message);
  });
  // Ends the watching process, and whatever else is in the group.
  child.once("exit", () => child.stdio[3]?.destroy());
  // Not "exit": what it printed last may arrive after that.
  if (child.pid !== undefined)
    child.once("close", (code, signal) => end(`${signal ?? `exit code ${code}`}${output()}`));
  child.stdio[3]?.on("error", () => {});
  const pid = child.pid ?? 0;
  return { pid, isAlive: () => !hasEnded && isRunning(pid), kill: () => killGroup(pid), ended };
}

/** Reads all output, because a full pipe would stop Java. */
function keepOutput(child: ChildProcess, onPort: (port: number) => void): () => string {
  let text = "";
  let ready = false;
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString("utf8")).slice(-MAX_KEPT_OUTPUT);
  };
  child.stderr?.on("data", keep);
  child.stdout?.on("data", (chunk: Buffer) => {
    keep(chunk);
    const port = ready ? undefined : STARTED.exec(text)?.[1];
    if (port === undefined) return;
    ready = true;
    text = "";
    onPort(Number(port));
  });
  return () => (text.trim() === "" ? "" : `: ${text.trim().slice(-500)}`);
}

/** False for a zombie: a process that has ended, which Node has not noticed yet. Where that cannot be seen, true. */
function isRunning(pid: number): boolean {
  const stat = readProcStat(pid);
  return stat ? !/^[ZX]/.test(stat(3)) : process.platform !== "linux";
}

function killGroup(pid: number): void {
  if (pid === 0) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
