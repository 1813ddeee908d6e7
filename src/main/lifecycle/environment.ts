import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { type JobLine, PRESTARTED } from "../../cluster/local/job-line.ts";
import { secretVariables } from "../../config.ts";
import { readProcStat } from "../../files/proc-stat.ts";

/**
 * Moves a program's secrets to where only this process has them: into `process.env`, and out of /proc/PID/environ,
 * which every process of the same user can read. Child processes do not get them, because each is started with an
 * environment of its own.
 *
 * Jobs of this machine get their variables as a line of JSON on stdin (cluster/local/pod.ts): they are never in an
 * environment that others see.
 */
export function takeEnvironment(): void {
  if (process.env.PARENT_PIPE === "stdin" && !isPrestarted(process.argv.slice(3)))
    Object.assign(process.env, JSON.parse(readLine() || "{}"));
  hideVariables(secretVariables);
  // By default this signal opens a debugger, to which every process of this machine can connect.
  process.on("SIGUSR1", () => {});
}

/** Whether a program was started before its Job. It then waits with `awaitJob`. */
export function isPrestarted([first]: readonly string[]): boolean {
  return first === PRESTARTED;
}

/**
 * Waits for the Job, and takes its variables as `takeEnvironment` does. Blocks this thread meanwhile. Must be called
 * before anything else reads stdin (runProgram). Without a parent there will be no Job, and the process ends.
 *
 * @returns the program's arguments
 */
export function awaitJob(): string[] {
  const line = readLine();
  if (line === "") process.exit();
  const { args, variables } = JSON.parse(line) as JobLine;
  Object.assign(process.env, variables);
  return args.slice(1);
}

/** The first line of stdin. The parent writes nothing else. "" when the parent is gone. */
function readLine(): string {
  const buffer = Buffer.alloc(65_536);
  let text = Buffer.alloc(0);
  for (;;) {
    const length = readSync(0, buffer);
    text = Buffer.concat([text, buffer.subarray(0, length)]);
    if (length === 0 || text.at(-1) === 0x0a) return text.toString("utf8");
  }
}

/** Keeps variables from being read by other processes, where the system allows that. */
export function hideVariables(names: readonly string[]): void {
  try {
    overwrite(names);
  } catch {
    // There is no /proc, or it must not be written to: then nothing is hidden (docs/security.md).
  }
}

/**
 * Overwrites variables in the memory that the system shows as /proc/PID/environ: the environment at the process's
 * start. Changes of `process.env` do not show there, because they go to other memory (proc_pid_environ(5)).
 */
function overwrite(names: readonly string[]): void {
  const present = names.filter((name) => process.env[name] !== undefined);
  if (present.length === 0) return;
  const shown = readFileSync("/proc/self/environ");
  const start = environmentStart();
  const memory = openSync("/proc/self/mem", "r+");
  try {
    for (let offset = 0; offset < shown.length; offset = shown.indexOf(0, offset) + 1) {
      const end = shown.indexOf(0, offset);
      const value = shown.indexOf("=", offset) + 1;
      const name = shown.toString("utf8", offset, value - 1);
      if (!present.includes(name)) continue;
      // The C library points to the old text until it gets a new one.
      process.env[name] = shown.toString("utf8", value, end);
      writeSync(memory, Buffer.alloc(end - value), 0, end - value, start + value);
    }
  } finally {
    closeSync(memory);
  }
}

/** The address of the environment's first byte: the field env_start, number 50, of proc_pid_stat(5). */
function environmentStart(): number {
  return Number(readProcStat("self")?.(50));
}
