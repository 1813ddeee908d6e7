import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import type { ConnectionTransport } from "puppeteer-core";
import { isOpenToAll } from "../files/access.ts";
import type { Chromium } from "./find.ts";

/** A running Chromium, as a process: no protocol is spoken here. */
export type ChromiumProcess = {
  pid: number;
  /** The pipe that it is driven by. It ends itself when the pipe closes, so it never outlives us. */
  transport: ConnectionTransport;
  /** Settles when it has ended and its profile is removed. */
  ended: Promise<void>;
  /** The last lines that it printed, for error messages. */
  stderrTail(): string;
  /** Kills it with its children; done when it has ended. */
  kill(): Promise<void>;
};

const PROFILE_PREFIX = "site-validator-browser-";
/** An answer larger than this is no page that could be judged. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Starts a Chromium with an empty environment and a profile that goes when it ends. */
export async function startChromium(chromium: Chromium, args: readonly string[]): Promise<ChromiumProcess> {
  const parent = chromium.uid === undefined || (await isOpenToAll(tmpdir())) ? tmpdir() : "/tmp";
  await removeOrphans(parent);
  const profile = await mkdtemp(path.join(parent, `${PROFILE_PREFIX}${process.pid}-`));
  if (chromium.uid !== undefined) await chown(profile, chromium.uid, chromium.uid);
  const child = spawn(chromium.path, [...args, "--remote-debugging-pipe", `--user-data-dir=${profile}`], {
    cwd: profile,
    // What a shell script around the browser needs; nothing of our environment, which holds secrets.
    env: { PATH: "/usr/bin:/bin", HOME: profile, TMPDIR: profile, XDG_CACHE_HOME: profile, ...chromium.env },
    uid: chromium.uid,
    gid: chromium.uid,
    // Its own group, so that it is killed with all its children.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  const stderrTail = keepStderrTail(child);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  }).then(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  await new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    transport: pipeTransport(child.stdio[3] as Duplex, child.stdio[4] as Duplex),
    ended,
    stderrTail,
    kill: async () => {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // Gone already.
      }
      await ended;
    },
  };
}

/** Messages are JSON texts that end in a NUL. */
export function pipeTransport(input: Duplex, output: Duplex): ConnectionTransport {
  let pieces: Buffer[] = [];
  let size = 0;
  const transport: ConnectionTransport = {
    send: (message) => {
      if (input.writable) input.write(`${message}\0`);
    },
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
  output.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const message = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString("utf8");
      pieces = [];
      size = 0;
      start = end + 1;
      transport.onmessage?.(message);
    }
    if (start === chunk.length) return;
    pieces.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > MAX_MESSAGE_BYTES) transport.close();
  });
  // A pipe that breaks is a browser that ended: told by its close.
  input.on("error", () => {});
  output.on("error", () => {});
  output.once("close", () => transport.onclose?.());
  return transport;
}

function keepStderrTail(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-4000);
  });
  return () => text.trim();
}

/** Profiles whose process was killed before it could remove them. */
async function removeOrphans(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(PROFILE_PREFIX) ? Number.parseInt(name.slice(PROFILE_PREFIX.length), 10) : Number.NaN;
    if (!Number.isInteger(pid) || pid === process.pid || isAlive(pid)) continue;
    const orphan = path.join(folder, name);
    const found = await stat(orphan).catch(() => undefined);
    // Its browser ends with it, but not at once.
    if (found && Date.now() - found.mtimeMs > 60_000)
      await rm(orphan, { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
