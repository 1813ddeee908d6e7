import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Stop } from "./web-service.ts";

/** Serves pages as they were, at `/<name>`, and everything that they load from the service. */
export type Snapshots = { url: string; close(): Promise<void> };

export async function serveSnapshots(service: string, cookie: string, stops: readonly Stop[]): Promise<Snapshots> {
  const byPath = new Map(stops.map((stop) => [`/${stop.name}`, stop]));
  const server = createServer((request, response) => {
    const stop = byPath.get(request.url ?? "");
    if (stop) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(stop.html);
      return;
    }
    if (request.url?.endsWith("/events")) {
      // A report that is under way in the picture stays so.
      response.writeHead(204).end();
      return;
    }
    fetch(`${service}${request.url}`, { headers: { cookie, "accept-encoding": "identity" } })
      .then(async (answer) => {
        const type = answer.headers.get("content-type") ?? "application/octet-stream";
        response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
