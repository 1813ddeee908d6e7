import type { Kysely } from "kysely";
import type { RunningServer } from "../../api/http/server.ts";
import { createLocalCluster } from "../../cluster/local/local-cluster.ts";
import type { Config } from "../../config.ts";
import { expireLeases } from "../../database/checks/leases.ts";
import { connect } from "../../database/connection/connect.ts";
import type { Database } from "../../database/tables.ts";
import { UsageError } from "../../domain/errors.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { startApi } from "../api.ts";
import { type ControllerOptions, startController } from "../controller.ts";
import { expectedJobs, onReport, openPrestarted } from "./prestart.ts";

export type ServiceOptions = Omit<ControllerOptions, "db" | "cluster" | "registry"> & {
  /** Runs before the API accepts requests, so that the first token can be used as soon as the API is ready. */
  prepare?: (db: Kysely<Database>) => Promise<void>;
};

export type Service = {
  url: string;
  db: Kysely<Database>;
  /** Resolves when a part has ended unexpectedly. */
  failed: Promise<Error>;
  /** Stops the API, the controller and the Jobs, then closes the connections. */
  stop(): Promise<void>;
};

/** How long a process that was started for a report waits for its Job: the report may have to wait for others. */
const MAX_PRESTARTED_MS = 10_000;

/**
 * Runs API, controller and job runner in this process, on a database with an up-to-date schema.
 * Jobs are child processes, unless the options run them inside.
 *
 * @throws UsageError when the service cannot listen on the address
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, databaseUrl, log } = options;
  const stop = new AbortController();
  const db = connect({
    url: databaseUrl,
    applicationName: "site-validator standalone",
    maxConnections: 20,
    onIdleError: (error) => {
      // At the end the server may stop before the pool.
      if (!stop.signal.aborted) log.warn("database connection lost", { error });
    },
  });
  const local = createLocalCluster(db, { url: databaseUrl, log });
  // Unless the caller has some for its only report, or runs its Jobs inside.
  const own = options.prestarted || options.inside ? undefined : openPrestarted(config, options);
  const prestarted = options.prestarted ?? own;
  let isIdle = () => false;
  const cluster = onReport(local, ({ performHtmlChecks, htmlEngine }) => {
    // Other processes would have to share the cores with these.
    if (isIdle()) own?.start(expectedJobs({ html: performHtmlChecks, htmlEngine }), MAX_PRESTARTED_MS);
  });
  const metrics = createMetrics({ process: true });
  let server: RunningServer | undefined;
  try {
    await expireLeases(db);
    await options.prepare?.(db);
    server = await startApi(config, { db, cluster, log, metrics, databaseUrl, encryptor: options.encryptor });
  } catch (error) {
    await server?.close();
    await db.destroy();
    throw cannotListen(error, config);
  }
  const { parts, hasPods } = await startController(
    { ...options, prestarted, db, cluster, registry: metrics.registry },
    stop.signal,
  );
  isIdle = () => !hasPods();
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
      await Promise.allSettled([closed, ...parts, own?.close()]);
      await db.destroy();
    },
  };
}

/** Explains the system's error for an address that cannot be used, and names the variable to change. */
function cannotListen(error: unknown, { host, port: ofApi, metricsPort }: Config): unknown {
  const { code, port = ofApi } = error as NodeJS.ErrnoException & { port?: number };
  const variable = port === metricsPort && port !== ofApi ? "METRICS_PORT" : "PORT";
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use by another program. Set ${variable} to a free one, or to 0 for any.`,
    EACCES: `Port ${port} may not be used by this user. Set ${variable} to one above 1023.`,
    EADDRNOTAVAIL: `HOST is ${host}, which is not an address of this machine.`,
    ENOTFOUND: `HOST is ${host}, which is not an address of this machine.`,
  };
  const reason = reasons[code ?? ""];
  return reason ? new UsageError(reason) : error;
}
