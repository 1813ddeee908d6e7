import type { CDPSession, Browser as Connection } from "puppeteer-core";
import { BrokenEnvironmentError, UsageError } from "../domain/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { chromiumArguments } from "./arguments.ts";
import type { Context } from "./context.ts";
import type { BrowserRequest } from "./endpoint.ts";
import { findChromium } from "./find.ts";
import { type ChromiumProcess, startChromium } from "./process.ts";
import { startRemoteChromium } from "./remote.ts";

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

/** Where Chromium processes come from. */
export type BrowserSource = {
  /** For messages. */
  name: string;
  /** Whether there may be a sandbox. */
  sandbox: boolean;
  start(wish: BrowserRequest): Promise<ChromiumProcess>;
};

/** A Chromium of this machine, or one behind an endpoint. @throws UsageError when there is none to use */
export async function browserSource(options: {
  chromePath: string | undefined;
  browserSocket?: string | undefined;
}): Promise<BrowserSource> {
  const { browserSocket } = options;
  if (browserSocket !== undefined)
    return { name: browserSocket, sandbox: true, start: (wish) => startRemoteChromium(browserSocket, wish) };
  const chromium = await findChromium(options.chromePath);
  return {
    name: chromium.path,
    sandbox: process.getuid?.() !== 0 || chromium.uid !== undefined,
    start: (wish) => startChromium(chromium, chromiumArguments(wish)),
  };
}

/** Starts processes; remembers when there can be no sandbox. */
export function launcher(source: BrowserSource, proxyPort: number, log: Logger): () => Promise<Running> {
  let { sandbox } = source;
  let started = false;
  return async () => {
    try {
      const running = await launch(source, { proxyPort, sandbox });
      started = true;
      return running;
    } catch (error) {
      // Where it worked once, something else is wrong: the sandbox is not given up for that.
      if (!sandbox || started || error instanceof BrokenEnvironmentError) throw error;
      // Containers often forbid the namespaces that the sandbox is made of.
      log.warn("Chromium did not start with its sandbox; trying without", {
        reason: error instanceof Error ? error.message.slice(-300) : String(error),
      });
      sandbox = false;
      return launch(source, { proxyPort, sandbox });
    }
  };
}

async function launch(source: BrowserSource, wish: BrowserRequest): Promise<Running> {
  const process = await source.start(wish);
  const { connect } = await import("puppeteer-core");
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void process.kill();
  }, START_TIMEOUT_MS);
  try {
    const connection = await connect({ transport: process.transport, defaultViewport: null, protocolTimeout: 0 });
    // Paginated a moment after the connection is made.
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
    if (isLate) throw new Error(`Chromium (${source.name}) did not start in ${START_TIMEOUT_MS / 1000} s.`);
    throw new UsageError(`Chromium (${source.name}) ended when started: ${process.stderrTail() || error}`);
  } finally {
    clearTimeout(timer);
  }
}
