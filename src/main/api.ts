import { createApi } from "../api/app.ts";
import type { ApiDeps } from "../api/context.ts";
import { listen, type RunningServer } from "../api/http/server.ts";
import { readConfig, requireDatabaseUrl } from "../config.ts";
import { ensureFirstAccount } from "../database/accounts/tokens.ts";
import { connect } from "../database/connection/connect.ts";
import { createEncryptor } from "../domain/encryption.ts";
import { createLogger } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { openCluster } from "./cluster.ts";
import { runProgram } from "./program.ts";

/** Builds the API and serves it, as its own program and inside standalone. */
export function startApi(deps: ApiDeps, address: { host?: string | undefined; port: number }): Promise<RunningServer> {
  return listen(createApi(deps), address);
}

/** The API as a program: serves until it receives a signal. */
export async function main(): Promise<void> {
  await runProgram(async (signal) => {
    const config = readConfig(process.env);
    const url = requireDatabaseUrl(config);
    const log = createLogger(config.logLevel, { program: "api" });
    const db = connect({
      url,
      applicationName: "site-validator api",
      maxConnections: 10,
      onIdleError: (error) => log.warn("database connection lost", { error: error.message }),
    });
    try {
      if (config.firstToken) await ensureFirstAccount(db, { token: config.firstToken });
      const { cluster } = await openCluster(config, { db, url, log });
      const server = await startApi(
        {
          db,
          cluster,
          log,
          limits: { maxPages: config.maxPages, maxRateLimit: config.maxRateLimit },
          baseUrl: config.baseUrl,
          namespace: config.namespace,
          metrics: createMetrics({ process: true }),
          ...(config.secretKey !== undefined && { encryptor: createEncryptor(config.secretKey) }),
          now: () => new Date(),
          requestsPerMinute: config.requestsPerMinute,
          trustedProxies: config.trustedProxies,
          databaseUrl: url,
        },
        { host: config.host, port: config.port },
      );
      log.info("listening", { url: server.url });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      log.info("stopping", { reason: String(signal.reason) });
      await server.close();
    } finally {
      await db.destroy();
    }
    return 0;
  });
}
