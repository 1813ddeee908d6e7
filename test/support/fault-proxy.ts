import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The two ends of a connection through the proxy. */
export type ProxyEnd = "client" | "server";

export type FaultProxy = {
  /** The database's URL through the proxy. */
  url: string;
  /** Cuts all connections and refuses new ones, as when the server is gone. */
  cut(): Promise<void>;
  /** Resets all connections, and lets new ones through. */
  reset(): void;
  /**
   * From now on drops all bytes in both directions, also of new connections, without an error: as when
   * a firewall drops the packets, or a machine freezes.
   */
  swallow(): void;
  /**
   * From now on drops the bytes from one end only, without an error: the other end waits for an answer, while
   * what it says still arrives. Holds for new connections, too.
   */
  deafen(from: ProxyEnd): void;
  /** From now on passes on each piece of data only after that time; 0 ends it. */
  delay(milliseconds: number): void;
  /** Lets new connections through again, on the same port. Those whose bytes were dropped stay silent. */
  mend(): Promise<void>;
};

type Pair = { client: Socket; server: Socket; dropped: Set<ProxyEnd> };

/** A proxy to the database with the faults that networks have. */
export async function faultProxy(databaseUrl: string): Promise<FaultProxy> {
  // The embedded server listens on a socket in a folder, which the URL has as its host.
  const target = { path: `${decodeURIComponent(new URL(databaseUrl).hostname)}/.s.PGSQL.5432` };
  const pairs = new Set<Pair>();
  let dropped: ProxyEnd[] = [];
  let delayMs = 0;

  function accept(client: Socket): void {
    const server = connect({ ...target, allowHalfOpen: true });
    const pair: Pair = { client, server, dropped: new Set(dropped) };
    pairs.add(pair);
    for (const socket of [client, server]) {
      socket.on("error", () => {});
      socket.once("close", () => {
        // Who is at the other end of a silent connection does not learn of its end.
        if (pair.dropped.size > 0) return;
        destroy(pair);
      });
    }
    forward(pair, "client");
    forward(pair, "server");
  }

  /** Passes on what comes from one end, unless it is dropped. */
  function forward(pair: Pair, from: ProxyEnd): void {
    const source = pair[from];
    const other = pair[from === "client" ? "server" : "client"];
    let delayed: Promise<void> | undefined;
    // In its order, also when the delay changes.
    const pass = (write: () => void): void => {
      const writeUnlessDropped = (): void => {
        if (!pair.dropped.has(from)) write();
      };
      if (delayMs === 0 && !delayed) {
        writeUnlessDropped();
        return;
      }
      const due = Date.now() + delayMs;
      const mine = (delayed ?? Promise.resolve())
        .then(() => sleep(Math.max(0, due - Date.now())))
        .then(() => {
          if (delayed === mine) delayed = undefined;
          writeUnlessDropped();
        });
      delayed = mine;
    };
    source.on("data", (data: Buffer) => {
      pass(() => {
        if (!other.destroyed && !other.write(data)) {
          source.pause();
          other.once("drain", () => source.resume());
        }
      });
    });
    source.on("end", () => pass(() => other.end()));
  }

  function destroy(pair: Pair): void {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }

  function drop(ends: ProxyEnd[]): void {
    dropped = ends;
    for (const pair of pairs)
      for (const end of ends) {
        pair.dropped.add(end);
        pair[end].resume();
      }
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
        for (const pair of pairs) destroy(pair);
      }),
    reset() {
      for (const pair of pairs) {
        pair.client.resetAndDestroy();
        destroy(pair);
      }
    },
    swallow: () => drop(["client", "server"]),
    deafen: (from) => drop([from]),
    delay(milliseconds) {
      delayMs = milliseconds;
    },
    async mend() {
      dropped = [];
      delayMs = 0;
      if (!server.listening) server = await start(port);
    },
  };
}
