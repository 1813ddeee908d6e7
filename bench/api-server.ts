import express from "express";
import pg from "pg";
import { createApi } from "../src/api/app.ts";
import { listen } from "../src/api/http/server.ts";
import { createLocalCluster } from "../src/cluster/local/local-cluster.ts";
import { readConfig } from "../src/config.ts";
import { connect } from "../src/database/connection/connect.ts";
import { once } from "../src/domain/once.ts";
import { readGuides } from "../src/files/read-guides.ts";
import { openKubernetes } from "../src/main/wiring/cluster.ts";
import { htmlEngines } from "../src/schema/html-engines.ts";
import { createLogger } from "../src/telemetry/log.ts";
import { createMetrics } from "../src/telemetry/metrics.ts";

/**
 * The two servers that bench/api.ts compares, each a process of its own: the API as in production (but for the rate
 * limit of calls), and a bare express application that makes the same statements in the same order and sends the same
 * bytes.
 */

/** As in src/main/api.ts. */
const CONNECTIONS = 10;

/** A statement as it was sent to the server. */
export type Statement = { text: string; values: unknown[] };
/** What the bare server does for a path. */
export type Replay = { path: string; statements: Statement[]; type: string; body: string };
export type ServerRequest =
  | { serve: "api"; url: string; environment?: Record<string, string> }
  | { serve: "bare"; url: string; replays: Replay[] }
  | "record";
export type ServerMessage = { listening: string } | { recorded: Statement[] };

let recorded: Statement[] | undefined;

process.on("message", async (message: ServerRequest) => {
  if (message === "record") {
    send({ recorded: recorded ?? [] });
    recorded = [];
  } else if (message.serve === "api") send({ listening: await serveApi(message) });
  else send({ listening: await serveBare(message.url, message.replays) });
});
process.once("disconnect", () => process.exit());

function send(message: ServerMessage): void {
  process.send?.(message);
}

/** @param given.environment of a pod of the cluster that has the resources; without it they are rows */
async function serveApi({ url, environment }: { url: string; environment?: Record<string, string> }): Promise<string> {
  recordStatements();
  const log = createLogger("warn", { program: "bench" });
  const db = connect({ url, applicationName: "bench api", maxConnections: CONNECTIONS, onIdleError: () => {} });
  const cluster = async () => {
    if (environment === undefined) return createLocalCluster(db, { url, log });
    return (await openKubernetes(readConfig(environment))).cluster;
  };
  const api = createApi({
    ...{ db, log, cluster: await cluster(), namespace: "default" },
    guides: once(() => readGuides()),
    limits: { maxPages: 5_000, maxRateLimit: 25, htmlEngines },
    metrics: createMetrics({ process: true }),
    now: () => new Date(),
    requestsPerMinute: 0,
  });
  return (await listen(api, { host: "127.0.0.1", port: 0 })).url;
}

async function serveBare(url: string, replays: readonly Replay[]): Promise<string> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const app = express().disable("x-powered-by").disable("etag");
  for (const { path, statements, type, body } of replays)
    app.get(new URL(path, "http://localhost").pathname, async (_request, response) => {
      for (const { text, values } of statements) await pool.query(text, values);
      response.type(type).send(Buffer.from(body));
    });
  return (await listen(app, { host: "127.0.0.1", port: 0 })).url;
}

/** Notes each statement while the parent asks for them; the functions below are the same otherwise. */
function recordStatements(): void {
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]): unknown {
    const [first, values] = given;
    if (recorded)
      recorded.push(
        typeof first === "string"
          ? { text: first, values: Array.isArray(values) ? values : [] }
          : { text: (first as Statement).text, values: (first as Statement).values ?? (values as unknown[]) ?? [] },
      );
    return query.apply(this, given);
  } as typeof pg.Client.prototype.query;
}
