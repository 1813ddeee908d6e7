import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves of V8's young generation as `--max-semi-space-size=16` bounds them. */
const MAX_BYTES = 2 * 16 * 1_024 * 1_024;
const LOOK_MS = 250;

/**
 * Keeps V8's new objects from taking more room than Jobs' processes let them (job-process.ts), in a process that runs for whoever
 * has started it, with his options: how far the room grows is fixed when a process starts, but whether it grows is not.
 */
export function limitYoungGeneration(): void {
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
    if (size < MAX_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, LOOK_MS);
  timer.unref();
}
