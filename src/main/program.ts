import { environmentFault } from "../database/connection/environment-fault.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";

/**
 * Runs a program's body and sets the exit code. `signal` aborts on SIGTERM, on SIGINT and, for a Job
 * that runs as a child process, when the parent's pipe closes: children never outlive the service.
 */
export async function runProgram(body: (signal: AbortSignal) => Promise<number | undefined>): Promise<void> {
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const)
    process.once(name, () => stop.abort(new Error(`received ${name}`)));
  if (process.env.PARENT_PIPE === "stdin") {
    process.stdin.resume();
    process.stdin.once("end", () => stop.abort(new Error("the parent process ended")));
    process.stdin.once("error", () => stop.abort(new Error("the parent process ended")));
    process.stdin.unref?.();
  }
  try {
    process.exitCode = (await body(stop.signal)) ?? exitCodes.ok;
  } catch (error) {
    const broken = environmentFault(error);
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = exitCodes.usage;
    } else if (broken) {
      process.stderr.write(`${broken.message}\n`);
      process.exitCode = exitCodes.environment;
    } else {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      process.exitCode = exitCodes.failed;
    }
  }
}
