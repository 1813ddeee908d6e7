import { serveBrowsers } from "../browser/endpoint.ts";
import { findChromium } from "../browser/find.ts";
import { readConfig } from "../config.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import { createLogger } from "../telemetry/log.ts";
import { runProgram } from "./lifecycle/program.ts";

/** Serves browsers at BROWSER_SOCKET until it receives a signal: the sidecar of crawlers and checkers. */
export async function main(): Promise<void> {
  await runProgram(async (signal) => {
    const { browserSocket: socket, chromePath, logLevel } = readConfig(process.env);
    if (socket === undefined) throw new UsageError("BROWSER_SOCKET is not set: set it to the file to listen at.");
    const log = createLogger(logLevel, { program: "browser" });
    const endpoint = await serveBrowsers({ chromium: await findChromium(chromePath), socket, log });
    log.info("browser endpoint started", { socket });
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await endpoint.close();
    log.info("stopped", { reason: String(signal.reason) });
    return exitCodes.ok;
  });
}
