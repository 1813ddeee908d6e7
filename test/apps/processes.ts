import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const END_MS = 10_000;
const START_MS = 120_000;

type Options = { cwd?: string; env?: Record<string, string>; input?: string };

/** The processes of one run, all of which end with it. */
export type Processes = {
  /** Starts a server in a process group of its own; what it prints is appended to `NAME.log`. */
  serve(name: string, command: readonly string[], options?: Options): ChildProcess;
  /** Ends all of them, the youngest first, and waits. */
  end(): Promise<void>;
};

/** @param logs the folder of what servers print */
export function createProcesses(logs: string): Processes {
  const children: ChildProcess[] = [];
  return {
    serve(name, [file = "", ...args], { cwd, env } = {}) {
      const child = spawn(file, args, {
        ...(cwd !== undefined && { cwd }),
        env: { ...process.env, ...env },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      // A disk that is full must not end what ends the processes.
      const keep = (chunk: Buffer) => void appendFile(path.join(logs, `${name}.log`), chunk).catch(() => {});
      child.stdout?.on("data", keep);
      child.stderr?.on("data", keep);
      child.on("error", (error) => keep(Buffer.from(`${error.message}\n`)));
      children.push(child);
      return child;
    },
    async end() {
      for (const child of children.reverse()) await endGroup(child);
      children.length = 0;
    },
  };
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const { pid } = child;
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  send("SIGTERM");
  const isOver = await Promise.race([ended.then(() => true), sleep(END_MS, false, { ref: false })]);
  send("SIGKILL");
  if (!isOver) await ended;
}

/** Runs a command to its end. @returns what it prints on stdout @throws Error with what it says */
export async function run([file = "", ...args]: readonly string[], options: Options = {}): Promise<string> {
  const { code, stdout, stderr } = await finish([file, ...args], options);
  if (code === 0) return stdout;
  throw new Error(
    `${path.basename(file)} ${args.join(" ").slice(0, 300)}: ${code}\n${(stderr || stdout).slice(-3_000)}`,
  );
}

/** Runs a command to its end, whatever that is. */
export async function finish(
  [file = "", ...args]: readonly string[],
  { cwd, env, input }: Options = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(file, args, { ...(cwd !== undefined && { cwd }), env: { ...process.env, ...env } });
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}

/** Waits until a server answers a request with less than 500. @throws Error if it does not within two minutes */
export async function answers(url: string): Promise<void> {
  const end = performance.now() + START_MS;
  for (;;) {
    const status = await fetch(url, { redirect: "manual" }).then(
      (response) => response.body?.cancel().then(() => response.status) ?? response.status,
      () => 0,
    );
    if (status > 0 && status < 500) return;
    if (performance.now() > end) throw new Error(`${url} does not answer (${status || "no connection"}).`);
    await sleep(200);
  }
}
