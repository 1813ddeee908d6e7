import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";

/** What scripts of an HTML engine may try that a page has taken over. Each runs in its process, and has to throw. */
export const engineEscapes: { name: string; attempt: () => unknown }[] = [
  { name: "read its parent's environment", attempt: () => readFileSync(`/proc/${process.ppid}/environ`) },
  { name: "read its parent's arguments", attempt: () => readFileSync(`/proc/${process.ppid}/cmdline`) },
  { name: "open its parent's memory", attempt: () => closeSync(openSync(`/proc/${process.ppid}/mem`, "r+")) },
  { name: "open its parent's pipes", attempt: () => closeSync(openSync(`/proc/${process.ppid}/fd/0`, "r")) },
  { name: "list the processes", attempt: () => readdirSync("/proc") },
  { name: "read files of the system", attempt: () => readFileSync("/etc/passwd") },
  { name: "list its user's files", attempt: () => readdirSync(homedir()) },
  { name: "list temporary files", attempt: () => readdirSync(tmpdir()) },
  { name: "write a file", attempt: () => writeFileSync(path.join(tmpdir(), "sv-escaped"), "") },
  { name: "change our code", attempt: () => writeFileSync(path.resolve("src/main/index.ts"), "", { flag: "a" }) },
  {
    name: "reach other files through a link",
    attempt: () => symlinkSync("/proc", path.join(tmpdir(), "sv-escaped-link")),
  },
  { name: "start a program", attempt: () => execFileSync("/bin/true") },
  { name: "start a thread", attempt: () => new Worker("", { eval: true }) },
  { name: "load native code", attempt: () => process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6") },
  { name: "open its parent's debugger", attempt: () => process.kill(process.ppid, "SIGUSR1") },
  {
    name: "signal other processes by other names",
    attempt: () => (process as unknown as { _kill: (pid: number, signal: number) => void })._kill(process.ppid, 0),
  },
];
