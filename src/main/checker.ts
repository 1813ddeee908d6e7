import { parseArgs } from "node:util";
import { validate as isUuid } from "uuid";
import type { EngineRunner } from "../checker/engine.ts";
import { createHtmlRunner } from "../checker/engines/html/runner.ts";
import { manifestOf } from "../checks/kinds.ts";
import { type ParentChannel, requestSlots } from "../cluster/local/request-slots.ts";
import { type Config, readConfig } from "../config.ts";
import { errorText } from "../domain/error-text.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { type CheckKind, checkKinds } from "../domain/findings/findings.ts";
import { digestOfCode } from "../files/own-modules.ts";
import { type HtmlEngineName, htmlEngines } from "../schema/html-engines.ts";
import { addFields, createLogger, type Logger } from "../telemetry/log.ts";
import { awaitJob, isPrestarted } from "./lifecycle/environment.ts";
import { JOB_STOP_MS, runProgram } from "./lifecycle/program.ts";

/** Checks a report's pages with one engine, until all are checked. */
export async function main(given: string[]): Promise<void> {
  const ready = isPrestarted(given) ? await getReady(given.slice(1), process.env, process) : undefined;
  const args = ready ? awaitJob() : given;
  await runProgram((signal) => check(args, { environment: process.env, parent: process, ready }, signal), {
    stopMs: JOB_STOP_MS,
  });
}

type Place = {
  /** The Job's. */
  environment: NodeJS.ProcessEnv;
  /** What grants cores of this machine. */
  parent: ParentChannel;
  /** What was made before the Job. */
  ready: Ready | undefined;
};

/** Checks in this process. @returns the exit code */
export async function check(
  args: string[],
  { environment, parent, ready }: Place,
  signal: AbortSignal,
): Promise<number> {
  const { reportId, kind, run, htmlEngine } = readArgs(args);
  const config = readConfig(environment);
  const { requestId } = config;
  const log = ready?.log ?? createLogger(config.logLevel, { program: "checker" });
  addFields(log, { report: reportId, engine: kind, run, requestId });
  if (ready) log.debug("took its Job");
  const cores = ready ? ready.cores : requestSlots(parent);
  // The engine's process starts while this one loads the rest.
  const htmlRunner = ready ? await ready.htmlRunner : await startEngine(htmlEngine, config, { cores, log });
  try {
    const { checkPages } = await import("./wiring/check-pages.ts");
    return await checkPages({ config, reportId, kind, startedRunner: htmlRunner, cores, log, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    log.info("stopped", { reason: String(signal.reason) });
    return exitCodes.failed;
  } finally {
    await htmlRunner?.close();
  }
}

type Cores = ReturnType<typeof requestSlots>;
export type Ready = { cores: Cores; log: Logger; htmlRunner: Promise<EngineRunner | undefined> };

/** Does what can be done before there is a report: starts the engine's process and loads all modules. */
export async function getReady(given: string[], environment: NodeJS.ProcessEnv, parent: ParentChannel): Promise<Ready> {
  const { "html-engine": wanted } = parse(given);
  const htmlEngine = htmlEngines.find((known) => known === wanted);
  const config = readConfig(environment);
  const log = createLogger(config.logLevel, { program: "checker", engine: "html" });
  const cores = requestSlots(parent);
  const htmlRunner = startEngine(htmlEngine, config, { cores, log });
  // Rejections make the Job fail later. Waiting for the Job blocks this thread, so all this has to end first.
  await Promise.allSettled([htmlRunner, import("./wiring/check-pages.ts"), config.keepPageSources && digestOfCode()]);
  return { cores, log, htmlRunner };
}

async function startEngine(
  htmlEngine: HtmlEngineName | undefined,
  { cacheDir, javaExecutables }: Config,
  { cores, log }: { cores: Cores; log: Logger },
): Promise<EngineRunner | undefined> {
  return htmlEngine && createHtmlRunner(htmlEngine, { log, cacheDir, javaExecutables, cores });
}

const usage = `Use: checker --report <id> --engine ${checkKinds.join("|")} --run <number> [--html-engine ${htmlEngines.join("|")}]`;

type Arguments = {
  reportId: string;
  kind: CheckKind;
  run: number;
  /** undefined for a kind that has no choice of engines. */
  htmlEngine: HtmlEngineName | undefined;
};

function readArgs(args: string[]): Arguments {
  const { report = "", engine, run = "", "html-engine": wanted } = parse(args);
  if (!isUuid(report)) {
    throw new UsageError(`--report is ${JSON.stringify(report)}; it must be a report's id. ${usage}`);
  }
  const kind = checkKinds.find((known) => known === engine);
  if (!kind)
    throw new UsageError(
      `--engine is ${JSON.stringify(engine ?? "")}; it must be ${checkKinds.join(" or ")}. ${usage}`,
    );
  if (!/^\d{1,9}$/.test(run)) throw new UsageError(`--run is ${JSON.stringify(run)}; it must be a number. ${usage}`);
  const hasChoice = manifestOf(kind).settings.engine !== undefined;
  const htmlEngine = htmlEngines.find((known) => known === wanted);
  if (hasChoice && !htmlEngine)
    throw new UsageError(
      `--html-engine is ${JSON.stringify(wanted ?? "")}; it must be one of ${htmlEngines.join(", ")}. ${usage}`,
    );
  return { reportId: report, kind, run: Number(run), htmlEngine: hasChoice ? htmlEngine : undefined };
}

function parse(args: string[]): { report?: string; engine?: string; run?: string; "html-engine"?: string } {
  try {
    return parseArgs({
      args,
      options: {
        report: { type: "string" },
        engine: { type: "string" },
        run: { type: "string" },
        "html-engine": { type: "string" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${errorText(error)} ${usage}`);
  }
}
