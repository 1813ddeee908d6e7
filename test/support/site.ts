import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TlsOptions } from "node:tls";

/** The response of a fixture site on one path: HTML, a complete response, or a function that writes it. */
export type Route =
  | string
  | { status?: number; headers?: Record<string, string | string[]>; body?: string | Uint8Array; delayMs?: number }
  | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>);

/** By path: first as requested, with its query, then without; `*` handles everything else. */
export type Routes = Record<string, Route>;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
type SeenRequest = { method: string; path: string; at: number; headers: IncomingHttpHeaders };

export type Site = {
  /** The start page: the origin and a slash. */
  url: string;
  origin: string;
  /** Every request, in the order of arrival; `at` is in milliseconds since 1970. */
  requests: SeenRequest[];
  server: Server;
  /** Ends open connections too. */
  close(): Promise<void>;
};

/** With TLS, and HTTP/2 for those that speak it. */
export type Tls = TlsOptions & { http2?: boolean };

/**
 * A web site of a test on a free port of 127.0.0.1, or of another address of this machine. Paths without a route respond
 * with 404.
 */
export async function serveSite(routes: Routes, address = "127.0.0.1", tls?: Tls): Promise<Site> {
  const requests: SeenRequest[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? "/";
    requests.push({ method: request.method ?? "", path, at: Date.now(), headers: request.headers });
    const route = routes[path] ?? routes[path.split("?")[0] ?? path] ?? routes["*"];
    answer(route ?? { status: 404, body: "<!DOCTYPE html><title>Not found</title>" }, request, response).catch(() =>
      response.destroy(),
    );
  };
  const server = tls ? serverWithTls(tls, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const origin = `${tls ? "https" : "http"}://${address}:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/`,
    origin,
    requests,
    server,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serverWithTls({ http2 = false, ...options }: Tls, listener: Listener): Server {
  if (!http2) return createTlsServer(options, listener);
  // Its requests and responses are those of HTTP/1.1 as far as routes use them.
  return createSecureServer({ ...options, allowHTTP1: true }, listener as never) as unknown as Server;
}

async function answer(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (typeof route === "function") return route(request, response);
  const { status = 200, headers = {}, body = "", delayMs = 0 } = typeof route === "string" ? { body: route } : route;
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers });
  response.end(body);
}
