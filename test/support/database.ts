import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { connect } from "../../src/database/connection/connect.ts";
import { migrate } from "../../src/database/migrations/migrate.ts";
import type { Database } from "../../src/database/tables.ts";
import { type EmbeddedPostgres, startPostgres } from "../../src/embedded/postgres.ts";
import { PGBOUNCER, type Pooler, startPooler } from "./pooler.ts";
import { eventually } from "./wait.ts";

/**
 * A real PostgreSQL for the whole test run, and an empty, migrated database for
 * each test file that requests one: a clone of a template, created in some 30 ms.
 */

export type TestServer = Pick<EmbeddedPostgres, "url" | "urlOf" | "stop">;

let server: Promise<TestServer> | undefined;
let pooler: Promise<Pooler> | undefined;

/** The environment variable in which `npm test` gives a process that runs tests the URL of its server. */
export const serverVariable = (worker: number) => `TEST_POSTGRES_${worker}`;

/**
 * Starts a server with the migrated template; `stop` deletes its files.
 *
 * @param autovacuum false: no process is started for it each second, of which short tests have nothing
 */
export async function startTestServer({ autovacuum = true } = {}): Promise<TestServer> {
  const folder = await mkdtemp(path.join(tmpdir(), "sv-test-"));
  await chmod(folder, 0o755);
  const postgres = await startPostgres({ dataDir: path.join(folder, "pgdata"), durable: false });
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const db = connectTo(postgres.url);
  try {
    await migrate(db);
    if (!autovacuum) {
      await sql`alter system set autovacuum = off`.execute(db);
      await sql`select pg_reload_conf()`.execute(db);
    }
  } catch (error) {
    await db.destroy();
    await stop();
    throw error;
  }
  await db.destroy();
  return { ...postgres, stop };
}

/** mocha counts the processes that run files, also one that replaces another. */
function givenServer(): TestServer | undefined {
  const { MOCHA_WORKER_ID, TEST_JOBS } = process.env;
  const url = process.env[serverVariable(Number(MOCHA_WORKER_ID) % Number(TEST_JOBS))];
  if (url === undefined) return undefined;
  const urlOf = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  return { url, urlOf, async stop() {} };
}

/**
 * A test's own statements may insert 100,000 rows on a busy machine: only the test's time limit ends them. The wait for
 * a lock has the limit of the programs, because services that run in the test's process use these connections, too.
 */
export const testLimits = { connectMs: 300_000, statementMs: 300_000, queryMs: 310_000 };

/** @param maxConnections one, where statistics of the connection are asked for */
export function connectTo(url: string, maxConnections = 10, poolerUrl?: string): Kysely<Database> {
  return connect({
    url,
    poolerUrl,
    applicationName: "test",
    maxConnections,
    onIdleError: () => {},
    limits: testLimits,
  });
}

export type TestDatabase = {
  db: Kysely<Database>;
  /** For programs under test that connect by themselves. */
  url: string;
  /** Closes the connections and drops the database. */
  drop(): Promise<void>;
};

/**
 * Starts the run's server on first use and clones the migrated template.
 *
 * @param options.folder where the database's files are, for a disk of its own (small-disk.ts)
 */
export async function createTestDatabase({ folder }: { folder?: string } = {}): Promise<TestDatabase> {
  server ??= Promise.resolve(givenServer() ?? startTestServer());
  const postgres = await server;
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: postgres.urlOf("postgres") });
  await admin.connect();
  if (folder !== undefined) await admin.query(`create tablespace ${name} location ${pg.escapeLiteral(folder)}`);
  await admin.query(
    // By copies of files, which takes half of the processor time that copying by pages and the log takes.
    `create database ${name} template site_validator strategy file_copy ${folder === undefined ? "" : `tablespace ${name}`}`,
  );
  await admin.end();
  const url = postgres.urlOf(name);
  if (PGBOUNCER !== undefined) pooler ??= startPooler(PGBOUNCER, url);
  const db = connectTo(url, 10, (await pooler)?.urlOf(url));
  return {
    db,
    url,
    async drop() {
      await db.destroy();
      const client = new pg.Client({ connectionString: postgres.urlOf("postgres") });
      await client.connect();
      await untilUnused(client, name);
      await client.query(`drop database if exists ${name} with (force)`);
      if (folder !== undefined) await client.query(`drop tablespace ${name}`);
      await client.end();
    },
  };
}

/** How often to look whether closed connections are gone: a program under test may keep its own. */
const LOOKS = 10;

/**
 * A closed connection's server process may live a moment longer. Ended by the drop, it would send its client an error
 * that nobody listens to any more.
 */
async function untilUnused(client: pg.Client, name: string): Promise<void> {
  let looks = 0;
  await eventually(async () => {
    const { rows } = await client.query("select from pg_stat_activity where datname = $1", [name]);
    return rows.length === 0 || ++looks >= LOOKS;
  });
}

/** Called after all tests (test/support/hooks.ts). */
export async function stopTestServer(): Promise<void> {
  await (await pooler?.catch(() => undefined))?.stop();
  pooler = undefined;
  await (await server?.catch(() => undefined))?.stop();
  server = undefined;
}

/**
 * Deletes every row of every table but keeps the schema, and begins again with the first ids: for a fresh start between
 * tests. Only of tables that have had a row: to truncate them all, with their indexes, takes eight times as long.
 */
export async function emptyDatabase(db: Kysely<Database>): Promise<void> {
  await sql`
    do $$
    declare
      filled regclass[] := array(
        with recursive emptied(of) as (
          select name::regclass::oid from unnest(array['accounts', 'setup_codes', 'provider_sign_ins', 'failed_sign_ins', 'compared_findings', 'cluster_objects', 'cluster_changes']) name
          union select conrelid from pg_constraint join emptied on confrelid = of where contype = 'f'
        )
        select of from emptied where pg_relation_size(of) > 0
      );
      one regclass;
    begin
      -- As truncate does: without checks of foreign keys, and after what others are still writing.
      set local session_replication_role = replica;
      foreach one in array filled loop execute format('lock table %s', one); end loop;
      foreach one in array filled loop execute format('delete from %s', one); end loop;
      perform setval(seqrelid, 1, false) from pg_sequence join pg_depend on objid = seqrelid
      where classid = 'pg_class'::regclass and deptype = 'i' and refobjid = any(filled);
    end $$`.execute(db);
}
