import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Express } from "express";

/**
 * How long an idle connection is kept, in milliseconds. This is longer than in ingresses and load balancers (nginx and
 * those of clouds: 60 s, Traefik: 90 s), so that they close it first: a request that they send while the server closes
 * the connection is lost, and they respond with 502.
 */
const KEEP_ALIVE_MS = 95_000;

/** How long a new connection may wait with its first request after the server is asked to stop, in milliseconds. */
const FIRST_REQUEST_MS = 1_000;

/** How long requests may still run after the server is asked to stop, in milliseconds. */
const GRACE_MS = 25_000;

export type RunningServer = {
  url: string;
  /** Stops accepting, ends streams, lets running requests finish, closes, and lets the application do what is left. */
  close(): Promise<void>;
};

/** Serves the application. @throws the system's error when the address cannot be listened on */
export async function listen(
  app: Express,
  options: { host?: string | undefined; port: number },
): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // How often Node checks headersTimeout and requestTimeout; its default of 30 s would make them imprecise.
      connectionsCheckingInterval: 2_000,
      // The application refuses requests without Host (framing.ts): Node would continue to read from the connection.
      requireHostHeader: false,
    },
    app,
  );
  const connections = new Set<Socket>();
  server.on("connection", (connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address, family, port } = server.address() as AddressInfo;
  const any = address === "::" || address === "0.0.0.0";
  const host = any ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return {
    url: `http://${host}:${port}`,
    async close() {
      // Whoever hears of it adds what is to be done when no request comes any more.
      const whenClosed: (() => Promise<unknown>)[] = [];
      await new Promise<void>((resolve) => {
        app.emit("stop", whenClosed);
        // A keep-alive connection becomes idle only after its last response: check repeatedly.
        const idle = setInterval(() => server.closeIdleConnections(), 50);
        // Browsers and proxies open connections before they need them. Node takes those for busy until something is sent.
        const first = setTimeout(() => {
          for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
        }, FIRST_REQUEST_MS);
        const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
        server.close(() => {
          clearInterval(idle);
          clearTimeout(first);
          clearTimeout(grace);
          resolve();
        });
      });
      await Promise.all(whenClosed.map((last) => last()));
    },
  };
}
