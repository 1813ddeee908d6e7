/** npm passes on the Ctrl-C that the terminal has sent already: two in this time are one. */
const ONE_PRESS_MS = 1_000;

/**
 * Lets a program end in order at the first SIGINT or SIGTERM (program.ts does that),
 * and at once at a second one that was meant.
 */
export function endAtSecondInterrupt(): void {
  let first: number | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      first ??= Date.now();
      if (Date.now() - first > ONE_PRESS_MS) process.exit(130);
    });
  // A closed terminal is no reason to leave anything behind.
  process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
}

/** Long enough to end in order what a start is at, short enough to wait for. */
const START_GRACE_MS = 5_000;
/** As a shell shows a process that SIGTERM ended. */
const TERMINATED = 143;

/**
 * Ends a program at its start that was asked to end and hangs: on a database that does
 * not answer, a file system that is away.
 *
 * @returns to be called when the program has started: from then on it ends by itself
 */
export function endStuckStart(signal: AbortSignal): () => void {
  const ask = () => {
    const stuck = setTimeout(() => {
      process.stderr.write(`Ended at its start: ${String(signal.reason?.message ?? signal.reason)}.\n`);
      process.exit(TERMINATED);
    }, START_GRACE_MS);
    // A start that ends in order must not be held up.
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
