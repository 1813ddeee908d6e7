import { processTree } from "./processes.ts";

/** Browsers that are killed take their processes' times with them, so that it has to be looked at meanwhile. */
const LOOK_MS = 1_000;

/** What something took by the clock, and of all processes but this one; in seconds. */
export type Timed<Outcome> = Outcome & { seconds: number; processor: number };

/** Processor time of all descendants of this process, in seconds: other load on the machine does not affect it. */
export function processorSeconds(): number {
  return processTree(process.pid).reduce(
    (sum, { pid, own, ended }) => sum + ended + (pid === process.pid ? 0 : own),
    0,
  );
}

/** Adds the processor time of all processes, but for that of this one. */
export async function timed<Outcome extends { seconds: number }>(run: () => Promise<Outcome>): Promise<Timed<Outcome>> {
  let [last, processor] = [processorSeconds(), 0];
  const look = (): void => {
    const now = processorSeconds();
    processor += Math.max(0, now - last);
    last = now;
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const outcome = await run();
    look();
    return { ...outcome, processor };
  } finally {
    clearInterval(timer);
  }
}
