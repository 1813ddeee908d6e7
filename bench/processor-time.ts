import { processTree } from "./processes.ts";

/** Processor time of all descendants of this process, in seconds: other load on the machine does not affect it. */
export function processorSeconds(): number {
  return processTree(process.pid).reduce(
    (sum, { pid, own, ended }) => sum + ended + (pid === process.pid ? 0 : own),
    0,
  );
}
