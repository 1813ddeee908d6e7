import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import type { ConnectionTransport } from "puppeteer-core";
import { isReachableByAll } from "../files/access.ts";
import { processExists } from "../files/process-exists.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Chromium } from "./find.ts";
import { guardMemory } from "./memory-guard.ts";

/** A running Chromium process and the pipe to it. */
export type ChromiumProcess = {
  pid: number;
  /** The pipe that drives the browser. The browser ends when the pipe closes, so it never outlives this process. */
  transport: ConnectionTransport;
  /** Resolves when the process has ended and its profile is removed, or cannot be. */
  ended: Promise<void>;
  /** The last lines of its stderr, for error messages. */
  recentStderr(): string;
  /** The signal that ended it, if one did. */
  endedBy?(): NodeJS.Signals | undefined;
  /** Why one of its processes was killed for its memory, if one was. */
  memoryExcess(): string | undefined;
  /** Kills it and its children; resolves when it has ended. */
  kill(): Promise<void>;
};

const PROFILE_PREFIX = "site-validator-browser-";
/** The pipe is closed on a larger message: no page that can be checked needs one. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/**
 * Starts a Chromium with a minimal environment and a profile that is removed when it ends. Its memory is limited.
 *
 * @param log is told of a profile that cannot be removed
 * @param onMemoryExcess called when one of its processes is killed for its memory
 */
export async function startChromium(
  chromium: Chromium,
  args: readonly string[],
  log: Logger,
  onMemoryExcess: (reason: string) => void = () => {},
): Promise<ChromiumProcess> {
  const parent = chromium.uid === undefined || (await isReachableByAll(tmpdir())) ? tmpdir() : "/tmp";
  await removeOrphans(parent);
  const profile = await mkdtemp(path.join(parent, `${PROFILE_PREFIX}${process.pid}-`));
  if (chromium.uid !== undefined) await chown(profile, chromium.uid, chromium.uid);
  const child = spawn(chromium.path, [...args, "--remote-debugging-pipe", `--user-data-dir=${profile}`], {
    cwd: profile,
    // Only what a wrapper script of the browser needs: our own environment holds secrets.
    env: { PATH: "/usr/bin:/bin", HOME: profile, TMPDIR: profile, XDG_CACHE_HOME: profile, ...chromium.env },
    uid: chromium.uid,
    gid: chromium.uid,
    // A process group of its own, so that all its children can be killed with it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  const recentStderr = keepRecentStderr(child);
  const ended = new Promise<unknown>((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  })
    .then(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
    // A later start tries again (removeOrphans).
    .catch((error) => void log.warn("the profile of a browser could not be removed", { profile, error }));
  await new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const pid = child.pid ?? 0;
  let memoryExcess: string | undefined;
  const stopGuard = guardMemory(pid, (reason) => {
    memoryExcess = reason;
    onMemoryExcess(reason);
  });
  child.once("exit", stopGuard);
  return {
    pid,
    transport: pipeTransport(child.stdio[3] as Duplex, child.stdio[4] as Duplex),
    ended,
    recentStderr,
    endedBy: () => child.signalCode ?? undefined,
    memoryExcess: () => memoryExcess,
    kill: async () => {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // The process has already ended.
      }
      await ended;
    },
  };
}

/**
 * A transport whose messages are JSON texts that end in a NUL. A send after the end calls `onclose` again: a client
 * that began to listen after the end would wait for an answer for ever.
 */
export function pipeTransport(input: Duplex, output: Duplex): ConnectionTransport {
  let pieces: Buffer[] = [];
  let size = 0;
  const transport: ConnectionTransport = {
    send: (message) => {
      if (output.closed) queueMicrotask(() => transport.onclose?.());
      else if (input.writable) input.write(`${message}\0`);
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
  // A broken pipe means that the browser ended. The close event reports that.
  input.on("error", () => {});
  output.on("error", () => {});
  output.once("close", () => transport.onclose?.());
  return transport;
}

function keepRecentStderr(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-4000);
  });
  return () => text.trim();
}

/** Removes profiles whose process was killed before it could remove them. */
async function removeOrphans(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(PROFILE_PREFIX) ? Number.parseInt(name.slice(PROFILE_PREFIX.length), 10) : Number.NaN;
    if (!Number.isInteger(pid) || pid === process.pid || processExists(pid)) continue;
    const orphan = path.join(folder, name);
    const found = await stat(orphan).catch(() => undefined);
    // The browser of a killed process ends with it, but not at once.
    if (found && Date.now() - found.mtimeMs > 60_000)
      await rm(orphan, { recursive: true, force: true }).catch(() => {});
  }
}
