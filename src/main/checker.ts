import { parseArgs } from "node:util";
import type { Kysely } from "kysely";
import type { EngineRunner } from "../checker/engine.ts";
import { createHtmlRunner } from "../checker/engines/html-runner.ts";
import { runChecker } from "../checker/loop.ts";
import { type Config, readConfig, requireDatabaseUrl } from "../config.ts";
import type { SourceFetcher } from "../crawler/source-fetcher.ts";
import { connect } from "../database/connect.ts";
import { withReconnect } from "../database/retry.ts";
import type { Database } from "../database/tables.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { type CheckKind, checkKinds } from "../domain/findings.ts";
import { addressPolicy } from "../net/addresses.ts";
import type { ReportSpec } from "../schema/report.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { runProgram } from "./program.ts";

/** Checks a report's pages with one engine, until all are checked. */
export async function main(args: string[]): Promise<void> {
  await runProgram(async (signal) => {
    const { reportId, kind, run } = readArgs(args);
    const config = readConfig(process.env);
    const databaseUrl = requireDatabaseUrl(config);
    const log = createLogger(config.logLevel, {
      program: "checker",
      report: reportId,
      engine: kind,
      run,
      requestId: config.requestId,
    });
    const db = connect({
      url: databaseUrl,
      applicationName: "site-validator checker",
      maxConnections: 4,
      onIdleError: (error) => log.warn("database connection lost", { error: error.message }),
    });
    try {
      const report = await withReconnect(() =>
        db.selectFrom("reports").select("spec").where("id", "=", reportId).executeTakeFirst(),
      );
      if (!report) throw new UsageError(`There is no report ${reportId}.`);
      const { spec } = report;
      const runner = await createRunner(kind, config, spec, log);
      const context = { reportId, kind, spec };
      const sources = lazySources(config, db, reportId);
      try {
        const { fetchSource } = sources;
        const now = () => new Date();
        const done = await runChecker({ db, databaseUrl, context, runner, fetchSource, log, signal, now });
        return done ? exitCodes.ok : exitCodes.failed;
      } finally {
        await sources.close();
      }
    } finally {
      await db.destroy();
    }
  });
}

async function createRunner(kind: CheckKind, config: Config, spec: ReportSpec, log: Logger): Promise<EngineRunner> {
  if (kind === "html") return createHtmlRunner({ log });
  // Not loaded for HTML checks, whose image has no browser.
  const { createAxeRunner } = await import("../checker/engines/axe-runner.ts");
  const { chromePath, allowedPrivateCidrs, basicAuth } = config;
  return createAxeRunner({ chromePath, allowedPrivateCidrs, spec, log, basicAuth });
}

/** The Spider's own way to a page, for pages that are checked again. Rarely needed: loaded when it is. */
function lazySources(config: Config, db: Kysely<Database>, reportId: string) {
  let opened: Promise<SourceFetcher> | undefined;
  const open = async (): Promise<SourceFetcher> => {
    const { createSourceFetcher } = await import("../crawler/source-fetcher.ts");
    return createSourceFetcher({
      db,
      reportId,
      policy: addressPolicy(config.allowedPrivateCidrs),
      basicAuth: config.basicAuth,
    });
  };
  return {
    fetchSource: async (...[url, options]: Parameters<SourceFetcher["fetchSource"]>) => {
      opened ??= open();
      return (await opened).fetchSource(url, options);
    },
    close: async () => (await opened)?.close(),
  };
}

const usage = "Use: checker --report <id> --engine html|a11y --run <number>";

function readArgs(args: string[]): { reportId: string; kind: CheckKind; run: number } {
  const { report = "", engine, run = "" } = parse(args);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(report)) {
    throw new UsageError(`--report is ${JSON.stringify(report)}; it must be a report's id. ${usage}`);
  }
  const kind = checkKinds.find((known) => known === engine);
  if (!kind) throw new UsageError(`--engine is ${JSON.stringify(engine ?? "")}; it must be html or a11y. ${usage}`);
  if (!/^\d{1,9}$/.test(run)) throw new UsageError(`--run is ${JSON.stringify(run)}; it must be a number. ${usage}`);
  return { reportId: report, kind, run: Number(run) };
}

function parse(args: string[]): { report?: string; engine?: string; run?: string } {
  try {
    return parseArgs({
      args,
      options: { report: { type: "string" }, engine: { type: "string" }, run: { type: "string" } },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} ${usage}`);
  }
}
