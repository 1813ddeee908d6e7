import { Router } from "express";
import { sql } from "kysely";
import { createClient } from "../../database/connection/client.ts";
import { readiness } from "../../telemetry/metrics.ts";
import type { ApiDeps } from "../context.ts";

type HealthDeps = Pick<ApiDeps, "db" | "databaseUrl" | "databaseLimits" | "metrics" | "hidesMetrics">;

/**
 * `/healthz`: the process is alive. `/readyz`: it has reached its database once, so it can respond to requests, if only
 * with 503. `/metrics`: its metrics.
 */
export function healthRoutes(deps: HealthDeps): Router {
  const { metrics, hidesMetrics } = deps;
  const isReady = readiness(() => reachDatabase(deps));
  const router = Router();
  router.get("/healthz", (_request, response) => {
    response.locals.route = "/healthz";
    response.json({ status: "ok" });
  });
  router.get("/readyz", async (_request, response) => {
    response.locals.route = "/readyz";
    if (await isReady()) response.json({ status: "ready" });
    else response.status(503).set("Retry-After", "5").json({ status: "database not reachable" });
  });
  if (!hidesMetrics)
    router.get("/metrics", async (_request, response) => {
      response.locals.route = "/metrics";
      response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    });
  return router;
}

/** On a connection of its own: it waits for none of the pool's, which may all be in use. */
async function reachDatabase({ db, databaseUrl: url, databaseLimits: limits }: HealthDeps): Promise<void> {
  if (url === undefined) {
    await sql`select 1`.execute(db);
    return;
  }
  const client = createClient({ url, applicationName: "site-validator api (probe)", limits });
  try {
    await client.connect();
  } finally {
    await client.end().catch(() => {});
  }
}
