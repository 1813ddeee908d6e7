import path from "node:path";
import { pathToFileURL } from "node:url";
import { contentTypeOf, decodeFile } from "html-conformance/documents";
import { fixFile } from "html-conformance/fixing";
import type { HtmlEngine } from "../checker/engines/html/port.ts";
import { startHtmlEngine } from "../checker/engines/html/start-engine.ts";
import { listHtmlFiles } from "../cli/check-html/html-files.ts";
import { fileResult } from "../cli/check-html/html-report.ts";
import { type CheckHtmlOptions, parseCheckHtml } from "../cli/check-html/options.ts";
import { runCheckHtml } from "../cli/check-html/run-check-html.ts";
import { createProgress, noProgress } from "../cli/progress.ts";
import { cacheFolder, javaExecutables } from "../config.ts";
import { exitCodes } from "../domain/errors.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { createLogger } from "../telemetry/log.ts";
import { exitOnSecondInterrupt } from "./lifecycle/interrupts.ts";
import { runProgram } from "./lifecycle/program.ts";
import { say } from "./lifecycle/say.ts";

const INTERRUPTED = 130;
const STANDARD_INPUT = "-";

/** Checks files on this machine: `npm run check-html`. */
export async function main(args: string[]): Promise<void> {
  exitOnSecondInterrupt();
  await runProgram(async (signal) => {
    const parsed = parseCheckHtml(args);
    if ("help" in parsed) {
      process.stdout.write(parsed.help);
      return exitCodes.ok;
    }
    try {
      return await checkHtml(parsed.options, signal);
    } catch (error) {
      // `| head` has read enough.
      if ((error as NodeJS.ErrnoException).code === "EPIPE") return exitCodes.failed;
      if (!signal.aborted) throw error;
      say("Interrupted.");
      return INTERRUPTED;
    }
  });
}

async function checkHtml(options: CheckHtmlOptions, signal: AbortSignal): Promise<number> {
  const files = await listHtmlFiles(options.paths, say);
  const cacheDir = cacheFolder(process.env);
  const log = createLogger("error", { program: "check-html" });
  const engine = await startHtmlEngine(options.htmlEngine, {
    log,
    cacheDir,
    readsFiles: true,
    javaExecutables: javaExecutables(process.env),
  });
  const { isTTY } = process.stdout;
  // Each write receives its own error.
  process.stdout.on("error", () => {});
  try {
    const isClean = await runCheckHtml(files, options, {
      check: async (file) => fileResult(file, await (options.fix ? fix : check)(file, engine, signal, options)),
      ahead: 4 * engine.concurrency,
      write: (text) => write(text, signal),
      warn: (text) => process.stderr.write(text),
      tool: engine.engine,
      colour: isTTY === true && !process.env.NO_COLOR,
      // On one terminal, findings and progress would overwrite each other.
      progress: isTTY && options.format !== "json" ? noProgress : createProgress(process.stderr),
      now: Date.now,
    });
    return isClean ? exitCodes.ok : exitCodes.failed;
  } finally {
    await engine.close();
  }
}

async function check(
  file: string,
  engine: HtmlEngine,
  signal: AbortSignal,
  { format }: Pick<CheckHtmlOptions, "format">,
) {
  // Tools that read SARIF offer the changes.
  const causes = format === "sarif" ? { causes: "fixes" as const } : {};
  const contentType = contentTypeOf(file);
  if (file !== STANDARD_INPUT)
    return engine.check({ url: pathToFileURL(file).href, contentType, file: path.resolve(file), ...causes }, signal);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return engine.check({ url: "about:blank", ...decodeFile(Buffer.concat(chunks), contentType), ...causes }, signal);
}

/** Makes changes of safe kinds in a file, or says what they would be. */
async function fix(file: string, engine: HtmlEngine, signal: AbortSignal, options: CheckHtmlOptions) {
  const contentType = contentTypeOf(file);
  let failure: { engineError: string } | undefined;
  try {
    const bytes = await readRegularFile(file);
    const document = { url: pathToFileURL(file).href, contentType };
    const { messages, ...fixing } = await fixFile(
      { file, bytes, contentType },
      async (text, causes) => {
        const result = await engine.check({ ...document, ...text, causes }, signal);
        if (!("engineError" in result)) return result.messages;
        failure = result;
        throw new Error(result.engineError);
      },
      options,
    );
    if (messages) return { messages: [...messages], fixing };
    const checked = await check(file, engine, signal, options);
    return "engineError" in checked ? checked : { ...checked, fixing };
  } catch (error) {
    signal.throwIfAborted();
    return failure ?? { engineError: (error as Error).message };
  }
}

/** Resolves when the text has left this process; rejects when its reader is gone. */
function write(text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
