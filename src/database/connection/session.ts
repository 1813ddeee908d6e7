import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Database } from "../tables.ts";

export type SessionOptions = {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
};

/** Exactly one connection, so that what belongs to a connection (advisory locks) holds while it lives. */
export type Session = {
  /** For one statement or transaction after the other. Fails for good once the connection is gone. */
  db: Kysely<Database>;
  close(): Promise<void>;
};

/** @throws the driver's error when no connection can be made */
export async function openSession({ url, applicationName }: SessionOptions): Promise<Session> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // The next statement fails, which is soon enough; without a listener the process would end here.
  client.on("error", () => {});
  await client.connect();
  const connection: PostgresPoolClient = Object.assign(client, { release: () => {} }) as unknown as PostgresPoolClient;
  const pool: PostgresPool = { connect: async () => connection, end: async () => {}, options: {} };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    async close() {
      await db.destroy();
      await client.end().catch(() => {});
    },
  };
}
