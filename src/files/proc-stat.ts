import { readFileSync } from "node:fs";

/** What Linux says of a process: the fields of `/proc/PID/stat` by their numbers in proc_pid_stat(5), from 3 on. */
export type ProcStat = (field: number) => string;

/** @returns undefined for a process that does not exist, and on other systems than Linux */
export function readProcStat(pid: number | "self"): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

/** @param text the content of `/proc/PID/stat` */
export function parseProcStat(text: string): ProcStat {
  // The second field is the command in parentheses, which may hold any characters.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (field) => fields[field - 3] ?? "";
}
