import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import type { BrowserRequest } from "./endpoint.ts";
import { type ChromiumProcess, pipeTransport } from "./process.ts";

/** A container that serves browsers may be starting, or be started again after its end. */
const PATIENCE_MS = 20_000;
const RETRY_MS = 100;

/**
 * A Chromium behind an endpoint (endpoint.ts).
 *
 * @throws BrokenEnvironmentError when nothing answers there
 */
export async function startRemoteChromium(
  path: string,
  wish: BrowserRequest,
  patienceMs = PATIENCE_MS,
): Promise<ChromiumProcess> {
  const socket = await connectInTime(path, patienceMs);
  const transport = pipeTransport(socket, socket);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  transport.send(JSON.stringify(wish));
  return {
    pid: 0,
    transport,
    ended,
    stderrTail: () => "see the log of the container that runs it",
    async kill() {
      socket.destroy();
      await ended;
    },
  };
}

async function connectInTime(path: string, patienceMs: number): Promise<Socket> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await open(path);
    } catch (error) {
      if (performance.now() > deadline)
        throw new BrokenEnvironmentError(
          `No browser answers at ${path} (BROWSER_SOCKET) in ${patienceMs / 1_000} s: ${error instanceof Error ? error.message : error}`,
        );
      await sleep(RETRY_MS);
    }
  }
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
