import type { CDPSession, Browser as Connection } from "puppeteer-core";
import { BrokenEnvironmentError, UsageError } from "../domain/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { within } from "../time/within.ts";
import { chromiumArguments } from "./arguments.ts";
import type { BrowserRequest } from "./browser-request.ts";
import type { Context } from "./context.ts";
import { findChromium } from "./find.ts";
import { type ChromiumProcess, startChromium } from "./process.ts";
import { startRemoteChromium } from "./remote.ts";

/** A Chromium process with a connection to it. */
export type RunningBrowser = {
  connection: Connection;
  /** The session of the browser itself. It is never detached, because puppeteer would then forget the target. */
  session: CDPSession;
  process: ChromiumProcess;
  ended: boolean;
  /** Number of visits begun; `open` counts those in progress. */
  visits: number;
  open: number;
  /** Cleared contexts that wait for a visit. */
  idle: Context[];
};

const START_TIMEOUT_MS = 30_000;

/** Starts Chromium processes, on this machine or behind an endpoint. */
export type BrowserSource = {
  /** Names the source in messages. */
  name: string;
  /** Whether the Chromium runs behind an endpoint. */
  remote: boolean;
  /** Whether a sandbox may work. */
  sandbox: boolean;
  start(request: BrowserRequest): Promise<ChromiumProcess>;
};

/** A Chromium of this machine, or one behind an endpoint. @throws UsageError when there is no Chromium */
export async function browserSource(options: {
  chromePath: string | undefined;
  browserSocket?: string | undefined;
  log: Logger;
}): Promise<BrowserSource> {
  const { browserSocket } = options;
  if (browserSocket !== undefined)
    return {
      name: browserSocket,
      remote: true,
      sandbox: true,
      start: (request) => startRemoteChromium(browserSocket, request),
    };
  const chromium = await findChromium(options.chromePath);
  return {
    name: chromium.path,
    remote: false,
    sandbox: process.getuid?.() !== 0 || chromium.uid !== undefined,
    start: (request) => startChromium(chromium, chromiumArguments(request), options.log),
  };
}

/** What Chromium writes when its sandbox does not work. The word alone is not enough: other messages have it, too. */
const SANDBOX_FAILURE =
  /No usable sandbox|Failed to move to new namespace|without --no-sandbox|SUID sandbox helper|FATAL:\S*(?:zygote_host|credentials|namespace_sandbox|sandbox_linux)\S*/;

/**
 * @returns a function that starts processes, and that remembers when the sandbox does not work. When the first
 * Chromium ends while it is starting, it throws a UsageError, or a BrokenEnvironmentError if the source is remote.
 */
export function launcher(
  source: BrowserSource,
  settings: Omit<BrowserRequest, "sandbox">,
  log: Logger,
  startTimeoutMs = START_TIMEOUT_MS,
): () => Promise<RunningBrowser> {
  let { sandbox } = source;
  let started = false;
  const start = async (): Promise<RunningBrowser> => {
    try {
      return await launch(source, { ...settings, sandbox }, startTimeoutMs);
    } catch (error) {
      // Only a failure of the sandbox itself turns it off, since pages are hostile: a busy machine is no reason.
      if (!sandbox || started || !(error instanceof EndedAtStart) || !SANDBOX_FAILURE.test(error.stderr)) throw error;
      // Containers often forbid the namespaces that the sandbox needs.
      log.warn("Chromium's sandbox does not work here; it runs without", { reason: error.stderr.slice(-300) });
      sandbox = false;
      return launch(source, { ...settings, sandbox }, startTimeoutMs);
    }
  };
  return async () => {
    try {
      const running = await start();
      started = true;
      return running;
    } catch (error) {
      if (started || !(error instanceof EndedAtStart)) throw error;
      // The endpoint's container may have run out of memory or processes; a local executable simply does not work.
      throw source.remote ? new BrokenEnvironmentError(error.message) : new UsageError(error.message);
    }
  };
}

/** Chromium itself ended while it was starting. */
class EndedAtStart extends Error {
  readonly stderr: string;

  constructor(name: string, stderr: string, cause: unknown) {
    super(`Chromium (${name}) ended while it was starting: ${stderr || cause}`);
    this.stderr = stderr;
  }
}

async function launch(source: BrowserSource, request: BrowserRequest, timeoutMs: number): Promise<RunningBrowser> {
  const process = await source.start(request);
  const { connect } = await import("puppeteer-core");
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void process.kill();
  }, timeoutMs);
  try {
    const connecting = async () => {
      const connection = await connect({ transport: process.transport, defaultViewport: null, protocolTimeout: 0 });
      // The browser's target appears a moment after the connection. The timer above is the only one.
      const target = await connection.waitForTarget((found) => found.type() === "browser", { timeout: 0 });
      const session = await target.createCDPSession();
      await session.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] });
      return { connection, session };
    };
    const gone = process.ended.then(() => Promise.reject(new Error("its process ended")));
    // Whichever comes second may reject when nothing awaits it.
    gone.catch(() => {});
    const connected = connecting();
    connected.catch(() => {});
    const { connection, session } = await Promise.race([connected, gone]);
    const running: RunningBrowser = { connection, session, process, ended: false, visits: 0, open: 0, idle: [] };
    connection.on("disconnected", () => {
      running.ended = true;
    });
    return running;
  } catch (error) {
    // Determined before we kill it ourselves. A Chromium that does not work ends by itself, or by another signal.
    const wasKilled = await killedFromOutside(process);
    await process.kill();
    if (!isLate && wasKilled) throw new Error(`Chromium (${source.name}) was killed while it was starting.`);
    if (isLate) throw new Error(`Chromium (${source.name}) did not start within ${timeoutMs / 1000} s.`);
    throw new EndedAtStart(source.name, process.recentStderr(), error);
  } finally {
    clearTimeout(timer);
  }
}

/** How long a process that closed its pipe may take to end. */
const END_MS = 5_000;

/** Waits for the end of the process: only then is its signal known, or what an endpoint says about it. */
async function killedFromOutside({ ended, endedBy }: ChromiumProcess): Promise<boolean> {
  await within(END_MS, ended, undefined);
  return endedBy?.() === "SIGKILL";
}
