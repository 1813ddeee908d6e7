import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export type CuttableProxy = {
  /** The database's URL through the proxy. */
  url: string;
  /** Cuts all connections and refuses new ones, as when the server is gone. */
  cut(): Promise<void>;
  /**
   * From now on drops all bytes in both directions, also of new connections, without an error: as when
   * a firewall drops the packets, or a machine freezes.
   */
  swallow(): void;
  /** Lets new connections through again, on the same port. Those that were swallowed stay silent. */
  mend(): Promise<void>;
};

/** A proxy to the database that can be cut. */
export async function cuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  // The embedded server listens on a socket in a folder, which the URL has as its host.
  const target = { path: `${decodeURIComponent(new URL(databaseUrl).hostname)}/.s.PGSQL.5432` };
  const pairs = new Set<Pair>();
  let silent = false;

  function accept(client: Socket): void {
    const pair: Pair = { client, upstream: connect({ ...target, allowHalfOpen: true }), silent: false };
    pairs.add(pair);
    const { upstream } = pair;
    for (const socket of [client, upstream]) {
      socket.on("error", () => {});
      socket.once("close", () => {
        if (pair.silent) return;
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
    if (silent) silence(pair);
  }

  const start = (port: number) =>
    new Promise<ReturnType<typeof createServer>>((resolve) => {
      const server = createServer({ allowHalfOpen: true }, accept);
      server.listen(port, "127.0.0.1", () => resolve(server));
    });
  let server = await start(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: databaseUrl.replace(/@[^/]*/, `@127.0.0.1:${port}`),
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { client, upstream } of pairs) {
          client.destroy();
          upstream.destroy();
        }
        pairs.clear();
      }),
    swallow() {
      silent = true;
      for (const pair of pairs) silence(pair);
    },
    async mend() {
      silent = false;
      if (!server.listening) server = await start(port);
    },
  };
}

type Pair = { client: Socket; upstream: Socket; silent: boolean };

/** Separates the two ends: neither gets data or the end of the connection any more. */
function silence(pair: Pair): void {
  const { client, upstream } = pair;
  pair.silent = true;
  client.unpipe(upstream);
  upstream.unpipe(client);
  // What arrives is read and dropped.
  client.resume();
  upstream.resume();
}
