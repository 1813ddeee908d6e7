import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { serverOwner } from "../../src/embedded/server-user.ts";
import { eventually } from "./wait.ts";

/** TEST_PGBOUNCER: its program. With it, what tests ask of their databases goes through a pooler (docs/tests.md). */
export const PGBOUNCER = process.env.TEST_PGBOUNCER || undefined;

/** Whether it can follow prepared statements from server to server: from 1.21 on. */
export function followsPrepared(program: string): boolean {
  const [, minor = 0] = /PgBouncer 1\.(\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" })) ?? [];
  return Number(minor) >= 21;
}

export type Pooler = {
  /** The URL of the same database through the pooler. */
  urlOf(url: string): string;
  stop(): Promise<void>;
};

/**
 * Starts a PgBouncer in transaction mode before a server of tests.
 *
 * @param program the file of PgBouncer
 * @param url a database of the server, which is reached by a socket
 * @param connections how many the pooler has to each database: fewer than its clients have
 * @param prepared how many prepared statements it follows from server to server; 0 as before 1.21
 */
export async function startPooler(
  program: string,
  url: string,
  { connections = 3, prepared = followsPrepared(program) ? 100 : 0 }: { connections?: number; prepared?: number } = {},
): Promise<Pooler> {
  const server = new URL(url);
  const folder = await mkdtemp(path.join(tmpdir(), "sv-pooler-"));
  const owner = serverOwner();
  const settings = [
    "[databases]",
    `* = host=${decodeURIComponent(server.hostname)} port=${server.port} user=${server.username} password=${decodeURIComponent(server.password)}`,
    "[pgbouncer]",
    ...["listen_port = 6432", `unix_socket_dir = ${folder}`, "auth_type = any", "pool_mode = transaction"],
    ...[`default_pool_size = ${connections}`, "max_client_conn = 500", "server_idle_timeout = 1"],
    ...(prepared > 0 ? [`max_prepared_statements = ${prepared}`] : []),
  ];
  const file = path.join(folder, "pgbouncer.ini");
  await writeFile(file, `${settings.join("\n")}\n`);
  // As PostgreSQL, it refuses to run as root.
  if (owner) for (const name of [folder, file]) await chown(name, owner.uid, owner.gid);
  const child = spawn(program, [file], { ...owner, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const ended = once(child, "exit");
  const urlOf = (of: string): string => {
    const { username, pathname } = new URL(of);
    return `postgres://${username}@${encodeURIComponent(folder)}:6432${pathname}?sslmode=disable`;
  };
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${log}`);
    const client = new pg.Client({ connectionString: urlOf(url) });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  });
  return {
    urlOf,
    async stop() {
      child.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
