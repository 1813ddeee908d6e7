import { parseArgs } from "node:util";
import { validate as isUuid } from "uuid";
import { readConfig, requireDatabaseUrl } from "../config.ts";
import { connect } from "../database/connection/connect.ts";
import { endMonthFile, readMonthHtml } from "../database/months/month-files.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { MAKING_SECONDS, MAX_PDF_BYTES } from "../domain/months/month-file.ts";
import { createLogger } from "../telemetry/log.ts";
import { JOB_STOP_MS, runProgram } from "./lifecycle/program.ts";

/** Makes the PDF of a month and ends: `printer --file ID`. */
export async function main(args: string[]): Promise<void> {
  await runProgram(() => print(args), { stopMs: JOB_STOP_MS });
}

/** A part of the Job's time is for its start. */
const TIME_LIMIT_MS = (MAKING_SECONDS * 1_000) / 2;

/** @returns the exit code @throws UsageError when there is no such file to be made */
async function print(args: string[]): Promise<number> {
  const id = fileIn(args);
  const config = readConfig(process.env);
  const { chromePath, browserSocket } = config;
  const log = createLogger(config.logLevel, { program: "printer", file: id });
  const db = connect({
    url: requireDatabaseUrl(config),
    applicationName: "site-validator printer",
    maxConnections: 1,
    onIdleError: (error) => log.warn("database connection lost", { error }),
  });
  try {
    const html = await readMonthHtml(db, id);
    if (html === undefined) throw new UsageError(`There is no file ${id} to be made.`);
    const { printPdf } = await import("../browser/print-pdf.ts");
    const pdf = await printPdf(html, { chromePath, browserSocket, log, timeLimitMs: TIME_LIMIT_MS });
    const failure = `The file would have ${pdf.length} bytes; at most ${MAX_PDF_BYTES} are kept.`;
    await endMonthFile(db, id, pdf.length > MAX_PDF_BYTES ? { failure } : { pdf });
    return exitCodes.ok;
  } finally {
    await db.destroy();
  }
}

function fileIn(args: string[]): string {
  let file = "";
  try {
    ({ file = "" } = parseArgs({ args, options: { file: { type: "string" } } }).values);
  } catch (error) {
    throw new UsageError(`printer: ${(error as Error).message}`);
  }
  if (isUuid(file)) return file;
  throw new UsageError(`printer: --file is ${JSON.stringify(file)}; it must be the id of a file (a UUID).`);
}
