import { say } from "./say.ts";

/** npm forwards the Ctrl-C that the terminal has already sent: two signals within this time count as one. */
const ONE_PRESS_MS = 1_000;

/**
 * Ends the program at once on a second SIGINT or SIGTERM. On the first one it shuts down in order
 * (program.ts).
 */
export function exitOnSecondInterrupt(): void {
  let first: number | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      first ??= performance.now();
      if (performance.now() - first > ONE_PRESS_MS) process.exit(130);
    });
  // A closed terminal also shuts the program down in order.
  process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
}

/** Long enough for a starting program to shut down in order, short enough for a user to wait. */
const START_GRACE_MS = 5_000;
/** The exit code that shells show for a process that SIGTERM ended. */
const TERMINATED = 143;

/**
 * Ends a program that receives a signal while it starts and then hangs, for example on a database
 * that does not respond.
 *
 * @returns a function to call when the program has started: from then on it shuts down by itself
 */
export function endStuckStart(signal: AbortSignal): () => void {
  const ask = () => {
    const stuck = setTimeout(() => {
      say(`Ended during startup: ${String(signal.reason?.message ?? signal.reason)}.`);
      process.exit(TERMINATED);
    }, START_GRACE_MS);
    // The timer must not delay an orderly end.
    stuck.unref();
  };
  signal.addEventListener("abort", ask, { once: true });
  return () => signal.removeEventListener("abort", ask);
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
