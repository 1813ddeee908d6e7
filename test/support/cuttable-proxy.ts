import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export type CuttableProxy = {
  /** The database's URL, by way of the proxy. */
  url: string;
  /** Cuts all connections and refuses new ones, as when the server is gone. */
  cut(): Promise<void>;
  /** Accepts connections again, on the same port. */
  mend(): Promise<void>;
};

/** A way to the database that can be cut. */
export async function cuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  // The embedded server listens on a socket in a folder, which the URL has as its host.
  const target = { path: `${decodeURIComponent(new URL(databaseUrl).hostname)}/.s.PGSQL.5432` };
  const sockets = new Set<Socket>();
  const start = (port: number) =>
    new Promise<ReturnType<typeof createServer>>((resolve) => {
      const server = createServer((client) => {
        const upstream = connect(target);
        for (const socket of [client, upstream]) {
          sockets.add(socket);
          socket.on("error", () => {});
          socket.once("close", () => {
            sockets.delete(socket);
            client.destroy();
            upstream.destroy();
          });
        }
        client.pipe(upstream).pipe(client);
      });
      server.listen(port, "127.0.0.1", () => resolve(server));
    });
  let server = await start(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: databaseUrl.replace(/@[^/]*/, `@127.0.0.1:${port}`),
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    async mend() {
      server = await start(port);
    },
  };
}
