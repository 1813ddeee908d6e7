import { Router } from "express";
import { sql } from "kysely";
import { respondsInTime } from "../../telemetry/metrics.ts";
import type { ApiDeps } from "../context.ts";

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. `/metrics`: its metrics. */
export function healthRoutes({ db, metrics }: Pick<ApiDeps, "db" | "metrics">): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    response.locals.route = "/healthz";
    response.json({ status: "ok" });
  });
  router.get("/readyz", async (_request, response) => {
    response.locals.route = "/readyz";
    if (await respondsInTime(sql`select 1`.execute(db))) response.json({ status: "ready" });
    else response.status(503).set("Retry-After", "5").json({ status: "database not reachable" });
  });
  router.get("/metrics", async (_request, response) => {
    response.locals.route = "/metrics";
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  return router;
}
