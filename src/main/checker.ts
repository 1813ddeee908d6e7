import { parseArgs } from "node:util";
import type { EngineRunner } from "../checker/engine.ts";
import { createHtmlRunner } from "../checker/engines/html-runner.ts";
import { runChecker } from "../checker/loop.ts";
import { type Config, readConfig, requireDatabaseUrl } from "../config.ts";
import { connect } from "../database/connect.ts";
import { withReconnect } from "../database/retry.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { type CheckKind, checkKinds } from "../domain/findings.ts";
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
      const done = await runChecker({ db, databaseUrl, context, runner, log, signal, now: () => new Date() });
      return done ? exitCodes.ok : exitCodes.failed;
    } finally {
      await db.destroy();
    }
  });
}

async function createRunner(kind: CheckKind, config: Config, spec: ReportSpec, log: Logger): Promise<EngineRunner> {
  if (kind === "html") return createHtmlRunner({ log });
  // Not loaded for HTML checks, whose image has no browser.
  const { createAxeRunner } = await import("../checker/engines/axe-runner.ts");
  const { chromePath, allowedPrivateCidrs } = config;
  return createAxeRunner({ chromePath, allowedPrivateCidrs, spec, log });
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
