import pg from "pg";

export type ListenOptions = {
  /** `postgres://user:password@host:port/database` */
  url: string;
  channel: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  onNotification: (payload: string) => void;
};

export type Listener = {
  /** Resolves when the connection is gone, however it ended. Notifications may have been lost: look yourself. */
  closed: Promise<void>;
  close(): Promise<void>;
};

/**
 * LISTENs on a connection of its own; resolves once notifications arrive.
 * @throws the driver's error when no connection can be made
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    // Without it a server that vanished is noticed by nobody: a listener never writes.
    keepAlive: true,
  });
  const closed = new Promise<void>((resolve) => {
    client.once("end", () => resolve());
    // The driver emits "end" after "error"; without a listener the process would end here.
    client.on("error", () => resolve());
  });
  client.on("notification", (message) => options.onNotification(message.payload ?? ""));
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(options.channel)}`);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  return {
    closed,
    async close() {
      await client.end().catch(() => {});
    },
  };
}
