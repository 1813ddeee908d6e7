import { setTimeout as sleep } from "node:timers/promises";
import { requireGrammar } from "../checker/engines/grammar-store.ts";
import { errorDocument } from "../cli/documents.ts";
import { type CheckOptions, parseCheck } from "../cli/options.ts";
import { createProgress } from "../cli/progress.ts";
import { networksOfHost } from "../cli/request.ts";
import { type Config, readConfig } from "../config.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { explainEnd } from "../embedded/explain-end.ts";
import { startDisposablePostgres } from "../embedded/template.ts";
import { openScratch, type Scratch } from "../files/scratch.ts";
import { findHtmlEngines } from "./html-engines.ts";
import { exitOnSecondInterrupt } from "./interrupts.ts";
import { runProgram } from "./program.ts";
import { MIGRATIONS, migrateAt } from "./schema.ts";

const INTERRUPTED = 130;

/** Runs one report from the command line, on a temporary service of its own. */
export async function main(args: string[]): Promise<void> {
  exitOnSecondInterrupt();
  await runProgram(async (signal) => {
    try {
      const parsed = parseCheck(args);
      if ("help" in parsed) {
        process.stdout.write(parsed.help);
        return exitCodes.ok;
      }
      return await check(parsed.options, signal);
    } catch (error) {
      if (signal.aborted) {
        process.stderr.write("Interrupted.\n");
        return INTERRUPTED;
      }
      if (args.includes("--json"))
        await write(errorDocument(error instanceof UsageError ? error.message : "Internal error."));
      throw error;
    }
  });
}

async function check(options: CheckOptions, signal: AbortSignal): Promise<number> {
  const own = checkConfig(options.url);
  // Looking for Java takes time that html-validate and conformance need not wait for.
  const config = options.htmlEngine === "nu" ? await findHtmlEngines(own) : own;
  if (options.html && options.htmlEngine === "conformance") await requireGrammar(own.cacheDir);
  const scratch = await openScratch();
  try {
    return await onOwnService(config, scratch, options, signal);
  } finally {
    await scratch.remove();
  }
}

async function onOwnService(
  config: Config,
  scratch: Scratch,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<number> {
  // The server starts while the modules of the service are loaded.
  const starting = startDisposablePostgres({
    cacheDir: config.cacheDir,
    schemaDir: MIGRATIONS,
    prepare: migrateAt,
    scratch,
  });
  starting.catch(() => {});
  const modules = Promise.all([
    import("./job-user.ts"),
    import("./service.ts"),
    import("../telemetry/log.ts"),
    import("../database/accounts/tokens.ts"),
    import("../cli/client.ts"),
    import("../cli/run-check.ts"),
  ]);
  modules.catch(() => {});
  const postgres = await starting;
  try {
    const [
      { jobsUrlOf },
      { startService },
      { createLogger },
      { ensureFirstAccount, generateToken },
      { createClient },
      { runCheck },
    ] = await modules;
    signal.throwIfAborted();
    const log = createLogger(config.logLevel, { program: "check" });
    const service = await startService({
      config,
      databaseUrl: postgres.url,
      jobsDatabaseUrl: await jobsUrlOf(postgres.url, log),
      temp: scratch.temp,
      log,
      // On a terminal the progress line is in the way.
      onJobLine: (line) => process.stderr.write(`${process.stderr.isTTY ? "\r\x1b[K" : ""}${line}\n`),
      environment: process.env,
    });
    try {
      const token = generateToken();
      await ensureFirstAccount(service.db, { token });
      const broken = Promise.race([service.failed, postgres.ended.then((message) => new Error(message))]).then(
        (error) => Promise.reject(error),
      );
      broken.catch(() => {});
      const client = createClient({ base: service.url, token, signal });
      const running = runCheck(options, {
        client,
        progress: createProgress(process.stderr),
        now: Date.now,
        sleep: (ms) => sleep(ms, undefined, { signal }),
      });
      running.catch(() => {}).finally(() => client.close());
      const { exitCode, output, message } = await Promise.race([running, broken]);
      await write(output);
      if (message) process.stderr.write(`${message}\n`);
      return exitCode;
    } finally {
      await service.stop();
    }
  } catch (error) {
    throw await explainEnd(error, postgres);
  } finally {
    await postgres.stop();
  }
}

/** The user is the operator, and nobody else uses the service: no maxima, a free port, only errors in the log. */
function checkConfig(url: string): Config {
  const config = readConfig({ LOG_LEVEL: "error", ...process.env });
  return {
    ...config,
    databaseUrl: undefined,
    host: "127.0.0.1",
    port: 0,
    baseUrl: undefined,
    requestsPerMinute: 0,
    maxPages: 0,
    maxRateLimit: 0,
    maxAccountBytes: 0,
    maxRunningReports: 1,
    allowedPrivateCidrs: [...config.allowedPrivateCidrs, ...networksOfHost(new URL(url).hostname)],
  };
}

/** Resolves when the text has been written: the reader may be slow or gone. */
function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once("error", () => resolve());
    process.stdout.write(text, () => resolve());
  });
}
