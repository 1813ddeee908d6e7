import { once } from "node:events";
import { createServer, request as requestOf } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that an application got, and how it answered. */
export type Visit = {
  method: string;
  /** Path and query. */
  url: string;
  status: number;
  /** The response's Content-Type, without parameters. */
  type: string;
  cookie: string | undefined;
  /** The page that asked, if it says so. */
  from: string | undefined;
  /** Who asked: only a browser sends `sec-fetch-dest`. */
  byBrowser: boolean;
};

/** Stands before an application, hands every request on, and keeps a list of them. */
export type Door = { url: string; visits: Visit[]; close(): Promise<void> };

/** @param port where the application listens on 127.0.0.1 */
export async function openDoor(port: number): Promise<Door> {
  const visits: Visit[] = [];
  const server = createServer((incoming, response) => {
    const { method = "GET", url = "/", headers } = incoming;
    const onward = requestOf({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (answer) => {
      const { statusCode: status = 502 } = answer;
      const type = (answer.headers["content-type"] ?? "").split(";")[0] ?? "";
      const byBrowser = headers["sec-fetch-dest"] !== undefined;
      visits.push({ method, url, status, type, cookie: headers.cookie, from: headers.referer, byBrowser });
      response.writeHead(status, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The session with which pages were read, but by no browser: the crawler's, as a header Cookie. */
export function crawlersCookie(visits: readonly Visit[]): string {
  const own = visits.filter(
    ({ method, type, byBrowser, cookie }) => method === "GET" && type === "text/html" && !byBrowser && cookie,
  );
  const counted = [...Map.groupBy(own, ({ cookie = "" }) => cookie)].sort(
    ([, one], [, other]) => one.length - other.length,
  );
  return counted.at(-1)?.[0] ?? "";
}
