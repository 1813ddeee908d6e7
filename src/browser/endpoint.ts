import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import type { Logger } from "../telemetry/log.ts";
import { chromiumArguments } from "./arguments.ts";
import type { Chromium } from "./find.ts";
import { pipeTransport, startChromium } from "./process.ts";

/** What a client may say of the browser that it wants: nothing of its command line but this. */
export type BrowserRequest = { proxyPort: number; sandbox: boolean };

export type BrowserEndpoint = { close(): Promise<void> };

type Options = { chromium: Chromium; socket: string; log: Logger };

/**
 * Gives each connection to a Unix socket a Chromium of its own, driven through it: messages are
 * JSON texts that end in a NUL, the first one is a BrowserRequest. The browser ends with the
 * connection, and the connection with the browser.
 *
 * Whoever connects needs no Chromium, and what runs beside a hostile page holds no secrets.
 */
export async function serveBrowsers({ chromium, socket, log }: Options): Promise<BrowserEndpoint> {
  const connections = new Map<Socket, Promise<void>>();
  const server = createServer((connection) => {
    const served = serve(connection, chromium, log).finally(() => connections.delete(connection));
    connections.set(connection, served);
  });
  // A container that starts again finds what the one before left.
  await rm(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  // The client is another user, of the same group.
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

/** @returns when the connection is closed and its browser has ended */
async function serve(connection: Socket, chromium: Chromium, log: Logger): Promise<void> {
  const client = pipeTransport(connection, connection);
  const gone = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  /** What the client sends until its browser is there: the first message may not come alone. */
  const early: string[] = [];
  const first = new Promise<string | undefined>((resolve) => {
    client.onmessage = (message) => {
      early.push(message);
      resolve(early[0]);
    };
    void gone.then(() => resolve(undefined));
  });
  try {
    const wish = readRequest(await first);
    if (!wish) return;
    const browser = await startChromium(chromium, chromiumArguments(wish));
    log.info("browser started", { pid: browser.pid });
    browser.transport.onmessage = (message) => client.send(message);
    client.onmessage = (message) => browser.transport.send(message);
    for (const message of early.slice(1)) browser.transport.send(message);
    const endedFirst = await Promise.race([gone.then(() => false), browser.ended.then(() => true)]);
    if (endedFirst) log.warn("browser ended", { stderrTail: browser.stderrTail() });
    await browser.kill();
  } catch (error) {
    log.error("no browser for a client", { error: String(error) });
  } finally {
    connection.destroy();
  }
}

function readRequest(text: string | undefined): BrowserRequest | undefined {
  if (text === undefined) return undefined;
  const { proxyPort, sandbox } = JSON.parse(text) as Partial<BrowserRequest>;
  if (
    typeof sandbox === "boolean" &&
    Number.isInteger(proxyPort) &&
    Number(proxyPort) > 0 &&
    Number(proxyPort) < 65_536
  )
    return { proxyPort: Number(proxyPort), sandbox };
  throw new Error(
    `a client asked for ${text.slice(0, 200)}; it must be {"proxyPort": 1 to 65535, "sandbox": true or false}`,
  );
}
