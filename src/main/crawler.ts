import { parseArgs } from "node:util";
import { validate as isUuid } from "uuid";
import { readConfig, requireDatabaseUrl } from "../config.ts";
import { crawlReport } from "../crawler/crawl-report.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { reportPolicy } from "../net/report-policy.ts";
import { readTlsTrust } from "../net/tls-files.ts";
import { createLogger } from "../telemetry/log.ts";
import { awaitJob, isPrestarted } from "./lifecycle/environment.ts";
import { JOB_STOP_MS, runProgram } from "./lifecycle/program.ts";
import { siteSession } from "./wiring/site-session.ts";

/** Crawls the site of one report and ends: `crawler --report ID --run N`. */
export async function main(given: string[]): Promise<void> {
  const args = isPrestarted(given) ? awaitJob() : given;
  await runProgram((signal) => crawl(args, process.env, signal), { stopMs: JOB_STOP_MS });
}

/** Crawls in this process. @param environment the Job's @returns the exit code */
export async function crawl(args: string[], environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const { report, run } = parseArguments(args);
  const config = readConfig(environment);
  const tls = await readTlsTrust(config);
  const { chromePath, browserSocket, credentials, urlListFile } = config;
  const log = createLogger(config.logLevel, {
    program: "crawler",
    report,
    run,
    requestId: config.requestId,
  });
  try {
    await crawlReport({
      databaseUrl: requireDatabaseUrl(config),
      reportId: report,
      policyOf: ({ startingUrl }, ofGuest) => reportPolicy(startingUrl, { ...config, tls, ofGuest }),
      // Loading the browser code takes a second, so only when needed.
      openBrowser: async (spec, policy, given) => {
        const { createDynamicFetcher } = await import("../crawler/dynamic-fetcher.ts");
        return createDynamicFetcher({ chromePath, browserSocket, policy, spec, log, credentials: given });
      },
      sessionOf: ({ policy, ...given }) =>
        siteSession(
          { chromePath, browserSocket, policy, log, credentials },
          { ...given, reportId: report, program: "crawler", signal },
        ),
      credentials,
      urlListFile,
      signal,
      log,
    });
    return exitCodes.ok;
  } catch (error) {
    if (!signal.aborted) throw error;
    // The next crawler of this report continues from the stored frontier.
    log.info("stopped", { reason: String(signal.reason) });
    return exitCodes.failed;
  }
}

function parseArguments(args: string[]): { report: string; run: number } {
  let values: { report?: string | undefined; run?: string | undefined };
  try {
    ({ values } = parseArgs({
      args,
      strict: true,
      allowPositionals: false,
      options: { report: { type: "string" }, run: { type: "string" } },
    }));
  } catch (error) {
    throw new UsageError(`crawler: ${(error as Error).message}`);
  }
  const { report = "", run = "" } = values;
  if (!isUuid(report))
    throw new UsageError(`crawler: --report is ${JSON.stringify(report)}; it must be the id of a report (a UUID).`);
  if (!/^\d{1,9}$/.test(run))
    throw new UsageError(`crawler: --run is ${JSON.stringify(run)}; it must be the number of the run.`);
  return { report, run: Number(run) };
}
