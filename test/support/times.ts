import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";

/** How long a test file took in its process, from the end of the one before: seconds of the clock, and of all cores. */
export type FileTime = { file: string; seconds: number; cpuSeconds: number };

/** Of Linux's clock ticks, in which /proc counts. */
const TICKS_A_SECOND = 100;

let last = { at: performance.now(), cpu: cpuSeconds() };

/** Notes in a file of the folder TEST_TIMES what the test file that just ended took. */
export function noteTime(file: string): void {
  const folder = process.env.TEST_TIMES;
  if (folder === undefined) return;
  const now = { at: performance.now(), cpu: cpuSeconds() };
  const time: FileTime = { file, seconds: (now.at - last.at) / 1000, cpuSeconds: now.cpu - last.cpu };
  last = now;
  appendFileSync(path.join(folder, `${process.pid}`), `${JSON.stringify(time)}\n`);
}

/** Of this process and of all that it started and that have ended; elsewhere than on Linux only of this process. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + endedChildren();
}

function endedChildren(): number {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    // cutime and cstime, the 16th and 17th field of proc(5); two were cut off.
    return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
  } catch {
    return 0;
  }
}

/** @param notes what the processes noted; the slowest file comes first */
export function readTimes(notes: string[]): FileTime[] {
  return notes
    .flatMap((note) => note.split("\n").filter((line) => line !== ""))
    .map((line) => JSON.parse(line) as FileTime)
    .sort((one, other) => other.seconds - one.seconds);
}

export function timesTable(times: FileTime[]): string {
  const column = (seconds: number) => seconds.toFixed(1).padStart(9);
  return ["  seconds      CPU  file"]
    .concat(times.map(({ file, seconds, cpuSeconds }) => `${column(seconds)}${column(cpuSeconds)}  ${file}`))
    .join("\n")
    .concat("\n");
}
