import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import type { Logger } from "../telemetry/log.ts";
import { within } from "../time/within.ts";
import { chromiumArguments } from "./arguments.ts";
import { readRequest } from "./browser-request.ts";
import type { Chromium } from "./find.ts";
import { pipeTransport, startChromium } from "./process.ts";

/** Messages that an endpoint sends besides those of the browser. */
export const MEMORY_EXCESS = "SiteValidator.memoryExcess";
export const ENDED = "SiteValidator.ended";
export type EndpointNotice = { method: typeof MEMORY_EXCESS | typeof ENDED; params: { text: string } };

/** How long a client may take to read why its browser ended. */
const MAX_WAIT_FOR_CLIENT_MS = 5_000;

export type BrowserEndpoint = { close(): Promise<void> };

type Options = { chromium: Chromium; socket: string; log: Logger };

/**
 * Starts a Chromium of its own for each connection to a Unix socket. The client drives it through
 * the connection: messages are JSON texts that end in a NUL, and the first one is a BrowserRequest.
 * The browser ends with the connection, and the connection with the browser.
 *
 * The client's image needs no Chromium, and the container that runs hostile pages holds no secrets.
 */
export async function serveBrowsers({ chromium, socket, log }: Options): Promise<BrowserEndpoint> {
  const connections = new Map<Socket, Promise<void>>();
  const server = createServer((connection) => {
    const served = serve(connection, chromium, log).finally(() => connections.delete(connection));
    connections.set(connection, served);
  });
  // A restarted container finds the socket of the previous one.
  await rm(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  // The client runs as another user of the same group.
  await chmod(socket, 0o660);
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections.keys()) connection.destroy();
      await Promise.all(connections.values());
      await closed;
    },
  };
}

/** Resolves when the connection is closed and its browser has ended. */
async function serve(connection: Socket, chromium: Chromium, log: Logger): Promise<void> {
  const client = pipeTransport(connection, connection);
  const gone = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  /** Messages that arrive before the browser has started. The first one is the request; others may follow at once. */
  const early: string[] = [];
  const first = new Promise<string | undefined>((resolve) => {
    client.onmessage = (message) => {
      early.push(message);
      resolve(early[0]);
    };
    void gone.then(() => resolve(undefined));
  });
  try {
    const asked = await first;
    if (asked === undefined) return;
    const request = readRequest(asked);
    const notify = (notice: EndpointNotice): void => client.send(JSON.stringify(notice));
    const browser = await startChromium(chromium, chromiumArguments(request), log, (reason) => {
      log.warn("a page's process was killed for its memory", { reason });
      notify({ method: MEMORY_EXCESS, params: { text: reason } });
    });
    log.info("browser started", { pid: browser.pid });
    browser.transport.onmessage = (message) => client.send(message);
    client.onmessage = (message) => browser.transport.send(message);
    for (const message of early.slice(1)) browser.transport.send(message);
    const endedFirst = await Promise.race([gone.then(() => false), browser.ended.then(() => true)]);
    if (endedFirst) {
      log.warn("browser ended", { recentStderr: browser.recentStderr() });
      notify({ method: ENDED, params: { text: browser.recentStderr() } });
      // A client that writes to a closed connection loses what it has not read yet, so the client has to close first.
      await within(MAX_WAIT_FOR_CLIENT_MS, gone, undefined);
    }
    await browser.kill();
  } catch (error) {
    log.error("could not serve a browser to a client", { error });
  } finally {
    connection.destroy();
  }
}
