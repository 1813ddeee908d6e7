import type { CDPSession, Browser as Connection } from "puppeteer-core";
import { UsageError } from "../domain/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { chromiumArguments } from "./arguments.ts";
import type { Context } from "./context.ts";
import type { Chromium } from "./find.ts";
import { type ChromiumProcess, startChromium } from "./process.ts";

/** A Chromium process, connected. */
export type Running = {
  connection: Connection;
  /** The browser's own; kept for good, as puppeteer forgets a target whose session is detached. */
  session: CDPSession;
  process: ChromiumProcess;
  ended: boolean;
  /** Visits begun, and those under way. */
  visits: number;
  open: number;
  /** Cleared contexts that wait for a visit. */
  idle: Context[];
};

const START_TIMEOUT_MS = 30_000;

/** Starts processes; remembers when there can be no sandbox. */
export function launcher(chromium: Chromium, proxyPort: number, log: Logger): () => Promise<Running> {
  let sandbox = process.getuid?.() !== 0 || chromium.uid !== undefined;
  return async () => {
    try {
      return await launch(chromium, chromiumArguments({ proxyPort, sandbox }));
    } catch (error) {
      if (!sandbox) throw error;
      // Containers often forbid the namespaces that the sandbox is made of.
      log.warn("Chromium did not start with its sandbox; trying without", {
        reason: error instanceof Error ? error.message.slice(-300) : String(error),
      });
      sandbox = false;
      return launch(chromium, chromiumArguments({ proxyPort, sandbox }));
    }
  };
}

async function launch(chromium: Chromium, args: string[]): Promise<Running> {
  const process = await startChromium(chromium, args);
  const { connect } = await import("puppeteer-core");
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void process.kill();
  }, START_TIMEOUT_MS);
  try {
    const connection = await connect({ transport: process.transport, defaultViewport: null, protocolTimeout: 0 });
    // Listed a moment after the connection is made.
    const target = await connection.waitForTarget((found) => found.type() === "browser", {
      timeout: START_TIMEOUT_MS,
    });
    const session = await target.createCDPSession();
    const running: Running = { connection, session, process, ended: false, visits: 0, open: 0, idle: [] };
    connection.on("disconnected", () => {
      running.ended = true;
    });
    return running;
  } catch (error) {
    await process.kill();
    if (isLate) throw new Error(`Chromium (${chromium.path}) did not start in ${START_TIMEOUT_MS / 1000} s.`);
    throw new UsageError(`Chromium (${chromium.path}) ended when started: ${process.lastWords() || error}`);
  } finally {
    clearTimeout(timer);
  }
}
