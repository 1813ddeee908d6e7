import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The response of a fixture site on one path: HTML, a complete response, or a function that writes it. */
export type Route =
  | string
  | { status?: number; headers?: Record<string, string | string[]>; body?: string | Uint8Array; delayMs?: number }
  | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>);

/** By path: first as requested, with its query, then without; `*` handles everything else. */
export type Routes = Record<string, Route>;

type SeenRequest = { method: string; path: string; at: number; headers: IncomingHttpHeaders };

export type Site = {
  /** The start page: the origin and a slash. */
  url: string;
  origin: string;
  /** Every request, in the order of arrival; `at` is in milliseconds since 1970. */
  requests: SeenRequest[];
  /** Ends open connections too. */
  close(): Promise<void>;
};

/** A web site of a test on a free port of 127.0.0.1, or of another address of this machine. Paths without a route respond with 404. */
export async function serveSite(routes: Routes, address = "127.0.0.1"): Promise<Site> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push({ method: request.method ?? "", path, at: Date.now(), headers: request.headers });
    const route = routes[path] ?? routes[path.split("?")[0] ?? path] ?? routes["*"];
    answer(route ?? { status: 404, body: "<!DOCTYPE html><title>Not found</title>" }, request, response).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/`,
    origin,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (typeof route === "function") return route(request, response);
  const { status = 200, headers = {}, body = "", delayMs = 0 } = typeof route === "string" ? { body: route } : route;
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers });
  response.end(body);
}
