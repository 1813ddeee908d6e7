import { connect, type Socket } from "node:net";
import type { ConnectionTransport } from "puppeteer-core";
import type { Backoff } from "../domain/backoff.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { retry } from "../time/retry.ts";
import type { BrowserRequest } from "./browser-request.ts";
import { ENDED, type EndpointNotice, MEMORY_EXCESS } from "./endpoint.ts";
import { type ChromiumProcess, pipeTransport } from "./process.ts";

/** The container that serves browsers may still be starting, or be restarting. */
const CONNECT_TIMEOUT_MS = 20_000;
const CONNECT_BACKOFF: Backoff = { baseMs: 100, maxMs: 100 };
/** How the JSON text of a notice begins. */
const NOTICE_PREFIX = '{"method":"SiteValidator.';
const MAX_NOTICE_LENGTH = 4_000;

/**
 * Starts a Chromium behind an endpoint (endpoint.ts).
 *
 * @throws BrokenEnvironmentError when the endpoint does not accept a connection in time
 */
export async function startRemoteChromium(
  path: string,
  request: BrowserRequest,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<ChromiumProcess> {
  const socket = await connectInTime(path, timeoutMs);
  const notices = new Map<string, string>();
  const transport = withoutNotices(pipeTransport(socket, socket), ({ method, params }) => {
    notices.set(method, String(params?.text).slice(0, MAX_NOTICE_LENGTH));
    if (method === ENDED) socket.destroy();
  });
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  transport.send(JSON.stringify(request));
  return {
    pid: 0,
    transport,
    ended,
    recentStderr: () => notices.get(ENDED) ?? "see the log of the browser's container",
    memoryExcess: () => notices.get(MEMORY_EXCESS),
    async kill() {
      socket.destroy();
      await ended;
    },
  };
}

/** A transport that keeps the endpoint's notices from the browser's client. */
function withoutNotices(inner: ConnectionTransport, onNotice: (notice: EndpointNotice) => void): ConnectionTransport {
  const outer: ConnectionTransport = { send: (message) => inner.send(message), close: () => inner.close() };
  inner.onmessage = (message) => {
    if (message.startsWith(NOTICE_PREFIX)) onNotice(JSON.parse(message));
    else outer.onmessage?.(message);
  };
  inner.onclose = () => outer.onclose?.();
  return outer;
}

function connectInTime(path: string, timeoutMs: number): Promise<Socket> {
  return retry(() => open(path), {
    shouldRetry(error, { elapsedMs }) {
      if (elapsedMs < timeoutMs) return true;
      throw new BrokenEnvironmentError(
        `No browser accepted a connection at ${path} (BROWSER_SOCKET) within ${timeoutMs / 1_000} s: ${errorText(error)}`,
      );
    },
    backoff: CONNECT_BACKOFF,
  });
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
