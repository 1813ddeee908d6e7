import { readFileSync } from "node:fs";

/** A file of `/proc/PID`; "" for a process that has ended. */
export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
