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

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
