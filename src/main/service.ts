import type { Kysely } from "kysely";
import type { RunningServer } from "../api/server.ts";
import { createLocalCluster } from "../cluster/local/local-cluster.ts";
import type { Config } from "../config.ts";
import { expireLeases } from "../database/checks.ts";
import { connect } from "../database/connection/connect.ts";
import type { Database } from "../database/tables.ts";
import { UsageError } from "../domain/errors.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { startApi } from "./api.ts";
import { type ControllerOptions, startController } from "./controller.ts";

export type ServiceOptions = Omit<ControllerOptions, "db" | "cluster" | "registry">;

export type Service = {
  url: string;
  db: Kysely<Database>;
  /** Resolves when a part ended that should not have. */
  failed: Promise<Error>;
  /** Ends requests, then controller and Jobs, then the connections. */
  stop(): Promise<void>;
};

/**
 * API, controller and job runner in this process, on a database that is up to date.
 * Jobs are child processes.
 *
 * @throws UsageError when the address cannot be listened on
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, databaseUrl, log } = options;
  const stop = new AbortController();
  const db = connect({
    url: databaseUrl,
    applicationName: "site-validator standalone",
    maxConnections: 20,
    onIdleError: (error) => {
      // At the end the server may be quicker than the pool.
      if (!stop.signal.aborted) log.warn("database connection lost", { error: error.message });
    },
  });
  const cluster = createLocalCluster(db, { url: databaseUrl, log });
  const metrics = createMetrics({ process: true });
  let server: RunningServer | undefined;
  try {
    await expireLeases(db);
    server = await startApi(
      {
        db,
        cluster,
        log,
        limits: { maxPages: config.maxPages, maxRateLimit: config.maxRateLimit },
        baseUrl: config.baseUrl,
        namespace: config.namespace,
        metrics,
        ...(options.sealer && { sealer: options.sealer }),
        now: () => new Date(),
        requestsPerMinute: config.requestsPerMinute,
        trustedProxies: config.trustedProxies,
        databaseUrl,
      },
      { host: config.host, port: config.port },
    );
  } catch (error) {
    await db.destroy();
    throw cannotListen(error, config);
  }
  const parts = startController({ ...options, db, cluster, registry: metrics.registry }, stop.signal);
  const failed = Promise.race(
    parts.map((part) =>
      part.then(
        () => new Error("A part of the service ended."),
        (error) => (error instanceof Error ? error : new Error(String(error))),
      ),
    ),
  );
  const running = server;
  return {
    url: running.url,
    db,
    failed,
    async stop() {
      const closed = running.close();
      stop.abort(new Error("the service stops"));
      await Promise.allSettled([closed, ...parts]);
      await db.destroy();
    },
  };
}

/** The system's words for an address that is taken or not ours, with the variable to change. */
function cannotListen(error: unknown, { host, port }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use by another program. Set PORT to a free one, or to 0 for any.`,
    EACCES: `Port ${port} may not be used by this user. Set PORT to one above 1023.`,
    EADDRNOTAVAIL: `HOST is ${host}, which is no address of this machine.`,
    ENOTFOUND: `HOST is ${host}, which is no address of this machine.`,
  };
  const reason = reasons[code ?? ""];
  return reason ? new UsageError(reason) : error;
}
