import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { namesThisMachine } from "../domain/addresses/this-machine.ts";
import { within } from "../time/within.ts";

/** The metrics that all programs share. Each program adds its own to `registry`. */
export type Metrics = {
  registry: Registry;
  /** `route` is the template (`/reports/:report_id`), never the path: ids would create unlimited numbers of series. */
  httpRequests: Counter<"method" | "route" | "status">;
  httpSeconds: Histogram<"method" | "route">;
  /** Event streams and requests that wait for a change. */
  watchers: Gauge;
};

/** @param options.process also collect memory, CPU and event loop metrics of this process */
export function createMetrics(options: { process?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  return {
    registry,
    httpRequests: new Counter({
      name: "http_requests_total",
      help: "HTTP requests handled.",
      labelNames: ["method", "route", "status"],
      registers: [registry],
    }),
    httpSeconds: new Histogram({
      name: "http_request_duration_seconds",
      help: "Time from a request's headers to the end of its response.",
      labelNames: ["method", "route"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
    watchers: new Gauge({
      name: "site_validator_watchers",
      help: "Event streams and requests that wait for a report to change.",
      registers: [registry],
    }),
  };
}

/**
 * Whether a program is ready: since its dependency responded for the first time. When the dependency is away later, all
 * replicas lack it at once, and none of them serves better for being taken out (docs/adr/0068).
 *
 * @param probe rejects while the dependency cannot be used, and settles at the latest when its own time limit is over. One
 *   runs at a time, also when it takes longer than those who ask wait for it, and none after the first success.
 */
export function readiness(probe: () => Promise<unknown>): () => Promise<boolean> {
  let isReady = false;
  let asking: Promise<void> | undefined;
  return async () => {
    if (isReady) return true;
    asking ??= probe()
      .then(
        () => {
          isReady = true;
        },
        () => {},
      )
      .finally(() => {
        asking = undefined;
      });
    await within(MAX_READY_MS, asking, undefined);
    return isReady;
  };
}

/** How long a dependency may take to respond before the program counts as not ready. */
const MAX_READY_MS = 2_000;

/**
 * Serves `/metrics`, `/healthz` and `/readyz` for programs that have no HTTP server of their own.
 *
 * @param options.ready rejects while the program cannot work yet
 */
export async function serveMetrics(
  metrics: Metrics,
  options: { host: string; port: number; ready?: () => Promise<unknown> },
): Promise<{ url: string; close(): Promise<void> }> {
  // Then a page whose name leads to this machine for a moment (DNS rebinding) is refused.
  const isLocal = namesThisMachine(options.host.includes(":") ? `[${options.host}]` : options.host);
  const isReady = readiness(async () => options.ready?.());
  const server = createServer(async (request, response) => {
    try {
      if (isLocal && !namesThisMachine(request.headers.host)) response.writeHead(400).end();
      else if (request.url === "/metrics") {
        const body = await metrics.registry.metrics();
        response.writeHead(200, { "content-type": metrics.registry.contentType }).end(body);
      } else if (request.url === "/readyz") {
        response.writeHead((await isReady()) ? 200 : 503).end();
      } else response.writeHead(request.url === "/healthz" ? 200 : 404).end();
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
