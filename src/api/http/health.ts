import { setTimeout as delay } from "node:timers/promises";
import { Router } from "express";
import { sql } from "kysely";
import type { ApiDeps } from "../context.ts";

/** How long the database may take to respond before this process counts as not ready. */
const MAX_READY_MS = 2_000;

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. `/metrics`: its metrics. */
export function healthRoutes({ db, metrics }: Pick<ApiDeps, "db" | "metrics">): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    response.locals.route = "/healthz";
    response.json({ status: "ok" });
  });
  router.get("/readyz", async (_request, response) => {
    response.locals.route = "/readyz";
    const timer = new AbortController();
    const ready = await Promise.race([
      sql`select 1`.execute(db).then(
        () => true,
        () => false,
      ),
      delay(MAX_READY_MS, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    if (ready) response.json({ status: "ready" });
    else response.status(503).set("Retry-After", "5").json({ status: "database not reachable" });
  });
  router.get("/metrics", async (_request, response) => {
    response.locals.route = "/metrics";
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  return router;
}
