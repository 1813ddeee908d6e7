import { readdirSync, readFileSync } from "node:fs";

/** Processor time of all descendants of this process, in seconds: other load on the machine does not affect it. */
export function processorSeconds(): number {
  const seconds = new Map<number, { parent: number; own: number; ended: number }>();
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const [own, ended] = [(fields[11] ?? 0) + (fields[12] ?? 0), (fields[13] ?? 0) + (fields[14] ?? 0)];
      seconds.set(Number(pid), { parent: fields[1] ?? 0, own: own / 100, ended: ended / 100 });
    } catch {
      // It ended meanwhile.
    }
  }
  const ofMine = (pid: number): boolean => pid === process.pid || (pid > 1 && ofMine(seconds.get(pid)?.parent ?? 0));
  let sum = 0;
  for (const [pid, { own, ended }] of seconds) {
    if (ofMine(pid)) sum += ended + (pid === process.pid ? 0 : own);
  }
  return sum;
}
