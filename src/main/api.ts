import type { RequestHandler } from "express";
import type { Kysely } from "kysely";
import { createApi } from "../api/app.ts";
import type { ApiDeps } from "../api/context.ts";
import { listen, type RunningServer } from "../api/http/server.ts";
import type { PagePort } from "../api/page-port.ts";
import { type Config, readConfig, requireDatabaseUrl } from "../config.ts";
import { ensureFirstAccount } from "../database/accounts/tokens.ts";
import { connect } from "../database/connection/connect.ts";
import { missingLimits } from "../database/connection/pooler.ts";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import { once } from "../domain/once.ts";
import { parseNetworks } from "../net/addresses.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { createMetrics, serveMetrics } from "../telemetry/metrics.ts";
import { issueSetupCode } from "../transactions/setup-code.ts";
import { aborted } from "./lifecycle/interrupts.ts";
import { ownVersion } from "./lifecycle/own-version.ts";
import { runProgram } from "./lifecycle/program.ts";
import { openCluster } from "./wiring/cluster.ts";
import { receiverPolicy } from "./wiring/delivery.ts";
import { findHtmlEngines, specLimits } from "./wiring/html-engines.ts";
import { openEncryptor } from "./wiring/secret-key.ts";
import { openHtmlTool } from "./wiring/tools-html.ts";

/** What the API needs besides the configuration. */
type Parts = Pick<ApiDeps, "db" | "cluster" | "log" | "metrics"> & {
  databaseUrl: string;
  encryptor?: Encryptor | undefined;
};

/** Builds the API from the configuration and serves it: as its own program, and inside standalone. */
export async function startApi(config: Config, { encryptor, ...parts }: Parts): Promise<RunningServer> {
  const { baseUrl, namespace, requestsPerMinute, trustedProxies, corsOrigins, maxAccountBytes, host, port } = config;
  // Loaded on first use: their parsers would make every start slower.
  const guides = once(async () => (await import("../files/read-guides.ts")).readGuides());
  const html = openHtmlTool(config, parts.log);
  const deps: ApiDeps = {
    ...parts,
    guides,
    baseUrl,
    namespace,
    requestsPerMinute,
    trustedProxies,
    corsOrigins,
    maxAccountBytes,
    retention: config.retention,
    ...(config.notifications && {
      receivers: { policy: receiverPolicy(config), mail: config.mailFrom !== undefined },
    }),
    // On a cluster the API's port is scraped, and Ingresses forward only paths of the API. Elsewhere it is what clients reach.
    hidesMetrics: config.cluster !== "kubernetes" || config.metricsPort !== undefined,
    host,
    limits: specLimits(config),
    ...(encryptor && { encryptor }),
    now: () => new Date(),
    hasSignIn: config.webEnabled,
    people: {
      mail: config.smtpUrl !== undefined && config.mailFrom !== undefined,
      // The controller has the server's address: the API of a cluster knows no more than from whom mails are.
      invites: config.notifications && config.mailFrom !== undefined && baseUrl !== undefined,
      contact: config.accessContact,
      groupRoles: config.groupRoles,
    },
    ...(config.proxySignIn && {
      proxy: {
        networks: parseNetworks(config.proxySignIn.cidrs),
        headers: config.proxySignIn.headers,
        signOut: config.proxySignIn.signOut,
      },
    }),
    // Loaded where there is one: most services need none.
    ...(config.oidc &&
      config.webEnabled && { provider: await (await import("./wiring/provider.ts")).signInProvider(config) }),
    async tools(exchange, port) {
      const { serveMessage, version } = await loadTools();
      await serveMessage(exchange, port, { version, guides, checkHtml: html.checkHtml });
    },
    monthFile: async (...given) => (await import("../web/month-file.ts")).monthFile(...given),
    pages: config.webEnabled ? (await import("../web/app.ts")).createWeb : guidePages,
  };
  const api = await listen(createApi(deps), { host, port });
  const server = { url: api.url, close: async () => void (await Promise.all([api.close(), html.close()])) };
  if (config.metricsPort === undefined) return server;
  try {
    const own = await serveMetrics(parts.metrics, { host: host ?? "::", port: config.metricsPort });
    parts.log.info("metrics", { url: `${own.url}/metrics` });
    return { url: server.url, close: async () => void (await Promise.all([server.close(), own.close()])) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The tools of the Model Context Protocol, loaded on first use, as most services need none. */
const loadTools = once(async () => {
  const { serveMessage } = await import("../mcp/http.ts");
  return { serveMessage, version: await ownVersion() };
});

/** The guides without the other pages, loaded on first use: a check on the command line does not need them. */
function guidePages(port: PagePort): RequestHandler {
  const load = once(async () => (await import("../web/app.ts")).createGuidePages(port));
  return async (request, response, next) => {
    if (!/^\/(guides|assets)(\/|$)/.test(request.path)) return next();
    (await load())(request, response, next);
  };
}

/** The client gives a statement up, but only the server ends it. */
async function warnOfLimits(db: Kysely<Database>, log: Logger): Promise<void> {
  const missing = await missingLimits(db);
  if (missing.length === 0) return;
  const fix = missing.map(([name, ms]) => `alter role current_user set ${name} = '${ms / 1000}s'`);
  log.warn("sessions of the pooler lack limits, which the database's user can have", { fix });
}

/**
 * While there is no owner, each start makes a code that creates one: earlier ones may be in the log of a pod that is gone.
 * It is no reason to stop that the database is away.
 */
async function logSetupCode(db: Kysely<Database>, log: Logger): Promise<void> {
  try {
    const code = await issueSetupCode(db, new Date());
    if (code !== undefined) log.warn("setup code", { code, page: "/setup" });
  } catch (error) {
    log.warn("no setup code could be made; the page /setup makes one", { error });
  }
}

/** The API as a program: serves until it receives a signal. */
export async function main(): Promise<void> {
  await runProgram(async (signal) => {
    const read = readConfig(process.env);
    const config = read.cluster === "kubernetes" ? read : await findHtmlEngines(read);
    const url = requireDatabaseUrl(config);
    const log = createLogger(config.logLevel, { program: "api" });
    const db = connect({
      url,
      poolerUrl: config.databasePoolUrl,
      applicationName: "site-validator api",
      maxConnections: 10,
      onIdleError: (error) => log.warn("database connection lost", { error }),
    });
    try {
      if (config.databasePoolUrl) await warnOfLimits(db, log);
      if (config.firstToken) await ensureFirstAccount(db, { token: config.firstToken });
      const { cluster } = await openCluster(config, { db, url, log });
      const server = await startApi(config, {
        db,
        cluster,
        log,
        databaseUrl: url,
        metrics: createMetrics({ process: true }),
        encryptor: await openEncryptor(db, config),
      });
      log.info("listening", { url: server.url });
      if (config.webEnabled) await logSetupCode(db, log);
      await aborted(signal);
      log.info("stopping", { reason: String(signal.reason) });
      await server.close();
    } finally {
      await db.destroy();
    }
    return 0;
  });
}
