import { environmentFault } from "../../database/connection/errors.ts";
import { exitCodes, UsageError } from "../../domain/errors.ts";
import { noSpaceLine } from "../../domain/no-space.ts";
import { say } from "./say.ts";

/** How long a program may take to stop: less than the 30 seconds after which Kubernetes kills it. */
const STOP_MS = 25_000;
/** How long a Job's program may take, which the service waits for when it stops: less than 10 seconds (job-runner.ts). */
export const JOB_STOP_MS = 8_000;

/**
 * Runs a program's body and sets the exit code. `signal` aborts on SIGTERM, on SIGINT and, for a Job
 * that runs as a child process, when the parent's pipe closes: children never outlive the service. A body
 * that does not end within `stopMs` of that, for example because its database does not respond, is ended.
 */
export async function runProgram(
  body: (signal: AbortSignal) => Promise<number | undefined>,
  { stopMs = STOP_MS } = {},
): Promise<void> {
  const stop = new AbortController();
  stop.signal.addEventListener("abort", () => {
    const end = (): void => {
      const { message } = stop.signal.reason as Error;
      say(`Ended, because stopping took more than ${stopMs / 1_000} seconds (${message}).`);
      process.exit(exitCodes.failed);
    };
    // Unreferenced: it must not keep a stopped program alive.
    setTimeout(end, stopMs).unref();
  });
  for (const name of ["SIGTERM", "SIGINT"] as const)
    process.once(name, () => stop.abort(new Error(`received ${name}`)));
  if (process.env.PARENT_PIPE === "stdin") {
    process.stdin.resume();
    process.stdin.once("end", () => stop.abort(new Error("lost its parent process")));
    process.stdin.once("error", () => stop.abort(new Error("lost its parent process")));
    process.stdin.unref?.();
  }
  try {
    process.exitCode = (await body(stop.signal)) ?? exitCodes.ok;
  } catch (error) {
    process.exitCode = explain(error);
  }
}

/** Says why a program failed. @returns its exit code */
export function explain(error: unknown): number {
  const broken = environmentFault(error);
  const full = noSpace(error);
  if (full) {
    say(full);
    return broken ? exitCodes.environment : exitCodes.failed;
  }
  if (error instanceof UsageError) {
    say(error.message);
    return exitCodes.usage;
  }
  if (broken) {
    say(broken.message);
    return exitCodes.environment;
  }
  say(String(error instanceof Error ? error.stack : error));
  return exitCodes.failed;
}

/**
 * A message for an error caused by a full disk: the system's own, or that of a PostgreSQL program, of which only the
 * text is known. @returns undefined for any other error
 */
export function noSpace(error: unknown): string | undefined {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const said = noSpaceLine(message);
  if (!["ENOSPC", "EDQUOT", "53100"].includes(code) && said === undefined) return undefined;
  return `There is no space left where the data or temporary files are: ${said ?? message.split("\n")[0]?.trim() ?? ""}`;
}
