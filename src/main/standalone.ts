import path from "node:path";
import { greeting } from "../cli/greeting.ts";
import { type Config, readConfig } from "../config.ts";
import { createSignInCode, findPrincipal } from "../database/accounts/tokens.ts";
import { holdSingleInstanceLock } from "../database/connection/single-instance-lock.ts";
import { errorText } from "../domain/error-text.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { explainEnd } from "../embedded/explain-end.ts";
import { type FirstToken, firstToken, ownSecretKey } from "../embedded/first-token.ts";
import { type KeptPostgres, keepRunning } from "../embedded/keep-running.ts";
import { type EmbeddedPostgres, startPostgres } from "../embedded/postgres.ts";
import { makeFolder } from "../files/make-folder.ts";
import { openScratch, type Scratch } from "../files/scratch.ts";
import { requireTrusted } from "../files/trust.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { aborted, endStuckStart, exitOnSecondInterrupt } from "./lifecycle/interrupts.ts";
import { noSpace, runProgram } from "./lifecycle/program.ts";
import { say } from "./lifecycle/say.ts";
import { findHtmlEngines } from "./wiring/html-engines.ts";
import { jobsUrlOf } from "./wiring/job-user.ts";
import { migrateAt } from "./wiring/schema.ts";
import { openEncryptorAt } from "./wiring/secret-key.ts";
import { type Service, startService } from "./wiring/service.ts";

/** The whole service on one machine. After a restart it continues its unfinished work. */
export async function main(): Promise<void> {
  exitOnSecondInterrupt();
  await runProgram(async (signal) => {
    const config = standaloneConfig(await findHtmlEngines(readConfig(process.env)));
    const log = createLogger(config.logLevel, { program: "standalone" });
    const started = endStuckStart(signal);
    await openDataDir(config.dataDir);
    const scratch = await openScratch();
    try {
      return await onDatabase(config, log, scratch, { signal, started });
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      log.info("stopped during startup", { reason: String(error) });
      return exitCodes.ok;
    } finally {
      await scratch.remove();
    }
  });
}

/** Reports that start at this machine may crawl it; other machines can reach the service only if HOST is set. */
function standaloneConfig(config: Config): Config {
  return {
    ...config,
    host: config.host ?? "127.0.0.1",
    allowLocalhost: true,
  };
}

async function openDataDir(dataDir: string): Promise<void> {
  try {
    // When started by root, the server runs as another user, who must be able to enter; the token's file stays private.
    await makeFolder(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
    await requireTrusted(dataDir, { kind: "folder", what: "The data folder", remedy: "Set DATA_DIR to a folder" });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The data folder ${dataDir} cannot be used: ${(error as Error).message}. Set DATA_DIR.`);
  }
}

/** `started` is called when the service is up; until then the start may hang. */
type Run = { signal: AbortSignal; started: () => void };

async function onDatabase(config: Config, log: Logger, scratch: Scratch, run: Run): Promise<number> {
  if (config.databaseUrl !== undefined) return serve(config, config.databaseUrl, undefined, log, scratch, run);
  const options = {
    dataDir: path.join(config.dataDir, "postgresql"),
    socketDir: path.join(scratch.path, "pg"),
    durable: true,
  };
  const postgres = await startPostgres(options);
  let kept: KeptPostgres | undefined;
  const keep = () => {
    kept = keepRunning(postgres, (signal) => startPostgres({ ...options, existing: true, signal }), log);
    return kept.failed;
  };
  const latest = () => kept?.latest() ?? postgres;
  try {
    return await serve(config, postgres.url, { keep, latest }, log, scratch, run);
  } catch (error) {
    const cause = await explainEnd(error, latest());
    if (cause === error) throw error;
    return reportFatal(cause);
  } finally {
    await (kept ?? postgres).stop();
  }
}

/**
 * `keep` starts it again from then on whenever it ends, and resolves with the reason if that cannot be done. `latest` is
 * the server whose end may explain a failure: not one that ended long ago.
 */
type OwnPostgres = { keep: () => Promise<Error>; latest: () => EmbeddedPostgres };

async function serve(
  config: Config,
  databaseUrl: string,
  postgres: OwnPostgres | undefined,
  log: Logger,
  scratch: Scratch,
  { signal, started }: Run,
): Promise<number> {
  const lock = await holdSingleInstanceLock(databaseUrl, log).catch((error) => {
    signal.throwIfAborted();
    throw postgres || error instanceof UsageError ? error : cannotConnect(error);
  });
  try {
    await migrateAt(databaseUrl);
    signal.throwIfAborted();
    const secretKey = config.secretKey ?? (await ownSecretKey(config.dataDir));
    const encryptor = await openEncryptorAt(databaseUrl, { ...config, secretKey });
    const jobsDatabaseUrl = config.jobsDatabaseUrl ?? (await jobsUrlOf(databaseUrl, log));
    let token: FirstToken | undefined;
    const service = await startService({
      config,
      jobsDatabaseUrl,
      prepare: async (db) => {
        const { dataDir, firstToken: configured, databaseUrl: external } = config;
        token = await firstToken(db, { dataDir, configured, databaseUrl: external });
      },
      encryptor,
      databaseUrl,
      temp: scratch.temp,
      log,
      onJobLine: say,
      environment: process.env,
    });
    try {
      signal.throwIfAborted();
      started();
      const folder = postgres && config.dataDir;
      const networks = ["localhost", "127.0.0.0/8", "::1"];
      const signInCode = config.webEnabled && token?.token ? await signInCodeOf(service.db, token.token) : undefined;
      if (token) process.stdout.write(greeting({ url: service.url, token, signInCode, folder, networks }));
      const failure = await Promise.race([
        aborted(signal).then(() => undefined),
        service.failed,
        lock.lost,
        ...(postgres ? [postgres.keep()] : []),
      ]);
      if (!failure) {
        log.info("stopping", { reason: String(signal.reason) });
        return exitCodes.ok;
      }
      return reportFatal(await explainEnd(failure, postgres?.latest()));
    } finally {
      await service.stop();
    }
  } finally {
    await lock.release();
  }
}

/** A code for the link that signs in with the first token. */
async function signInCodeOf(db: Service["db"], token: string): Promise<string | undefined> {
  const now = new Date();
  const principal = await findPrincipal(db, token, now);
  return principal && createSignInCode(db, principal.tokenId, now);
}

function reportFatal(cause: unknown): number {
  say(noSpace(cause) ?? `The service cannot continue: ${cause instanceof Error ? cause.message : cause}`);
  return exitCodes.failed;
}

function cannotConnect(error: Error): Error {
  return new UsageError(`DATABASE_URL does not lead to a usable PostgreSQL: ${errorText(error)}.`);
}
