import { setImmediate as turn } from "node:timers/promises";
import { logText } from "html-conformance/log-text";
import type { Kysely } from "kysely";
import type { Client } from "../../cli/client.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/tables.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import { DATABASE } from "../../embedded/database.ts";
import { explainEnd } from "../../embedded/explain-end.ts";
import type { EmbeddedPostgres } from "../../embedded/postgres.ts";
import { startDisposablePostgres } from "../../embedded/template.ts";
import type { Scratch } from "../../files/scratch.ts";
import { prepareAt, SCHEMA_SOURCES } from "./schema.ts";
import type { Service, ServiceOptions } from "./service.ts";

/** A service in this process, and a client with the token of its only account. Nothing of it outlives its use. */
export type OwnService = { service: Service; client: Client };

type Options = Pick<ServiceOptions, "inside" | "prestarted"> & {
  /** In its log. */
  program: string;
  config: Config;
  scratch: Scratch;
  encryptor?: Encryptor | undefined;
  /** Runs before the service does. */
  prepare?: (db: Kysely<Database>, accountId: string) => Promise<void>;
  /** Loads what is needed besides, while the database starts. */
  load?: () => Promise<unknown>;
};

/** Starts the database of such a service. @param onCopying called when this process has time for other work */
export function startOwnDatabase(
  { cacheDir }: Config,
  scratch: Scratch,
  onCopying: () => void = () => {},
): Promise<EmbeddedPostgres> {
  return startDisposablePostgres({ cacheDir, sources: SCHEMA_SOURCES, prepare: prepareAt, scratch, onCopying });
}

/**
 * Runs a service for as long as it is used, and stops it with its database.
 *
 * @throws Error of `use`, or why the service ended before
 */
export async function withOwnService<Result>(
  starting: Promise<EmbeddedPostgres>,
  { program, config, scratch, encryptor, prepare, load, inside, prestarted }: Options,
  signal: AbortSignal,
  use: (own: OwnService) => Promise<Result>,
): Promise<Result> {
  const modules = loadModules(load);
  modules.catch(() => {});
  const postgres = await starting;
  try {
    const { startService, createLogger, ensureFirstAccount, generateToken, createClient, ...jobRole } = await modules;
    const { ownLogin, renewPassword, withLogin } = jobRole;
    signal.throwIfAborted();
    const log = createLogger(config.logLevel, { program });
    const token = generateToken();
    const login = ownLogin(DATABASE);
    const service = await startService({
      // Nobody can look at pages or sources: they are gone when the service ends.
      config: { ...config, webEnabled: false, keepPageSources: false },
      ...(encryptor && { encryptor }),
      prepare: async (db) => {
        await renewPassword(db, login);
        const { accountId } = await ensureFirstAccount(db, { token });
        await prepare?.(db, accountId);
      },
      databaseUrl: postgres.url,
      jobsDatabaseUrl: withLogin(postgres.url, login),
      temp: scratch.temp,
      ...{ inside, prestarted },
      log,
      // On a terminal the progress line is in the way.
      onJobLine: (line) => process.stderr.write(`${process.stderr.isTTY ? "\r\x1b[K" : ""}${logText(line)}\n`),
      environment: process.env,
    });
    try {
      const broken = Promise.race([service.failed, postgres.ended.then((message) => new Error(message))]).then(
        (error) => Promise.reject(error),
      );
      broken.catch(() => {});
      const client = createClient({ base: service.url, token, signal });
      const running = use({ service, client });
      running.catch(() => {}).finally(() => client.close());
      return await Promise.race([running, broken]);
    } finally {
      await service.stop();
    }
  } catch (error) {
    throw await explainEnd(error, postgres);
  } finally {
    await postgres.stop();
  }
}

/** Loads modules one after the other, so that the database's start can go on between them. */
async function loadModules(others: () => Promise<unknown> = async () => {}) {
  const { createLogger } = await import("../../telemetry/log.ts");
  await turn();
  const { ownLogin, renewPassword, withLogin } = await import("../../database/job-role.ts");
  const { ensureFirstAccount, generateToken } = await import("../../database/accounts/tokens.ts");
  await turn();
  const { createClient } = await import("../../cli/client.ts");
  await others();
  await turn();
  const { startService } = await import("./service.ts");
  return {
    startService,
    createLogger,
    ensureFirstAccount,
    generateToken,
    createClient,
    ownLogin,
    renewPassword,
    withLogin,
  };
}
