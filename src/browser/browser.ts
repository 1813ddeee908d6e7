import type { CDPSession, Browser as Connection } from "puppeteer-core";
import { PageError } from "../domain/failure.ts";
import { addressPolicy } from "../net/addresses.ts";
import { startProxy } from "../net/proxy.ts";
import type { Logger } from "../telemetry/log.ts";
import { chromiumArguments } from "./arguments.ts";
import type { Device } from "./devices.ts";
import { type Chromium, findChromium } from "./find.ts";
import { type ChromiumProcess, startChromium } from "./process.ts";
import { BrowserEnded, openTab, type Tab } from "./tab.ts";

/** A Chromium that is always there: started when needed, replaced when it ends or grows old. */
export type Browser = {
  /**
   * Runs `visit` with a tab of its own, in a context of its own. When the browser or the
   * tab's process ends meanwhile, once more in a browser that nothing else uses.
   *
   * @throws PageError of `visit`, `timeout` after the time limit, or `browser_crashed`
   */
  withTab<Result>(options: TabOptions, visit: (tab: Tab) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type TabOptions = {
  device: Device;
  signal: AbortSignal;
  /** All of the visit's time. */
  timeLimitMs: number;
};

type Options = {
  chromePath: string | undefined;
  allowedPrivateCidrs: readonly string[];
  log: Logger;
  /** Tabs after which a new process takes over: what leaks does not add up. */
  tabsPerProcess?: number;
};

type Running = {
  connection: Connection;
  /** The browser's own; kept for good, as puppeteer forgets a target whose session is detached. */
  session: CDPSession;
  process: ChromiumProcess;
  tabs: number;
  open: number;
  ended: boolean;
};

const START_TIMEOUT_MS = 30_000;
/** A tab that does not close in this time has a browser that is stuck. */
const CLOSE_TIMEOUT_MS = 5_000;

/** @throws UsageError when there is no Chromium, or it cannot run */
export async function openBrowser(options: Options): Promise<Browser> {
  const chromium = await findChromium(options.chromePath);
  const proxy = await startProxy(addressPolicy(options.allowedPrivateCidrs));
  const launch = launcher(chromium, proxy.port, options.log);
  const processes = new Set<Running>();
  let current: Promise<Running> | undefined;
  let closed = false;

  const start = async (): Promise<Running> => {
    const running = await launch();
    if (closed) {
      await running.process.kill();
      throw new Error("the browser is closed");
    }
    processes.add(running);
    void running.process.ended.then(() => processes.delete(running));
    return running;
  };
  /** The process for the next tab. One that is old serves its open tabs to their end. */
  const acquire = async (): Promise<Running> => {
    for (;;) {
      current ??= start();
      const pending = current;
      const running = await pending.catch((error) => {
        if (current === pending) current = undefined;
        throw error;
      });
      if (!running.ended && running.tabs < (options.tabsPerProcess ?? 200)) return running;
      if (current === pending) {
        current = undefined;
        await retire(running);
      }
    }
  };
  const retire = async (running: Running): Promise<void> => {
    if (running.open === 0) await running.process.kill();
  };
  const visitIn = async <Result>(
    running: Running,
    tabOptions: TabOptions,
    visit: (tab: Tab) => Promise<Result>,
  ): Promise<Result> => {
    running.tabs += 1;
    running.open += 1;
    let tab: Tab | undefined;
    try {
      return await within(running, tabOptions, async () => {
        tab = await openTab(running.connection, running.session, {
          device: tabOptions.device,
          failureOf: proxy.failureOf,
        });
        return await Promise.race([visit(tab), tab.crashed]);
      });
    } finally {
      // A tab whose page hangs closes from outside; a browser that cannot do that is done.
      const closing = tab?.close();
      if (!running.ended && !(closing && (await settlesIn(closing, CLOSE_TIMEOUT_MS)))) await running.process.kill();
      running.open -= 1;
      if ((await current?.catch(() => undefined)) !== running) await retire(running);
    }
  };

  return {
    withTab: async (tabOptions, visit) => {
      try {
        return await visitIn(await acquire(), tabOptions, visit);
      } catch (error) {
        if (!(error instanceof BrowserEnded) || closed) throw error;
        options.log.warn("the browser ended while visiting a page; trying again", { reason: error.message });
      }
      // Alone, so that neither of two pages pays for the other's crash twice.
      const running = await start();
      try {
        return await visitIn(running, tabOptions, visit);
      } catch (error) {
        throw error instanceof BrowserEnded ? new PageError("browser_crashed", error.message) : error;
      } finally {
        await running.process.kill();
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([...processes].map((running) => running.process.kill()));
      await current?.catch(() => undefined);
      await proxy.close();
    },
  };
}

/** Runs `body` until it ends, the time is up, the signal aborts or the browser ends. */
async function within<Result>(
  running: Running,
  { signal, timeLimitMs }: TabOptions,
  body: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const stop = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => stop.reject(new PageError("timeout", `The page was not done after ${timeLimitMs / 1000} s.`)),
    timeLimitMs,
  );
  const abort = (): void => stop.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const gone = (): void => stop.reject(new BrowserEnded("The browser ended."));
  running.connection.on("disconnected", gone);
  const work = body();
  // The loser of the race may fail later, when nobody waits for it.
  work.catch(() => {});
  stop.promise.catch(() => {});
  try {
    if (running.ended) gone();
    return await Promise.race([work, stop.promise]);
  } catch (error) {
    // Calls fail the moment that the browser ends, a little before it is said to have.
    if (isDisconnection(error)) throw new BrowserEnded("The browser ended.");
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    running.connection.off("disconnected", gone);
  }
}

function isDisconnection(error: unknown): boolean {
  return error instanceof Error && /Target closed|Connection closed|Session closed|disconnected/i.test(error.message);
}

/** Starts processes; remembers when there can be no sandbox. */
function launcher(chromium: Chromium, proxyPort: number, log: Logger): () => Promise<Running> {
  let sandbox = process.getuid?.() !== 0 || chromium.uid !== undefined;
  const attempt = async (): Promise<Running> => {
    const process = await startChromium(chromium, chromiumArguments({ proxyPort, sandbox }));
    const { connect } = await import("puppeteer-core");
    const connecting = connect({ transport: process.transport, defaultViewport: null, protocolTimeout: 0 });
    connecting.catch(() => {});
    const ended = process.ended.then(() => {
      throw new Error(`Chromium (${chromium.path}) ended when started: ${process.lastWords() || "no message"}`);
    });
    ended.catch(() => {});
    const timer = setTimeout(() => void process.kill(), START_TIMEOUT_MS);
    try {
      const connection = await Promise.race([connecting, ended]);
      // Listed a moment after the connection is made.
      const target = connection.waitForTarget((found) => found.type() === "browser", { timeout: 0 });
      const session = await Promise.race([target.then((found) => found.createCDPSession()), ended]);
      const running: Running = { connection, session, process, tabs: 0, open: 0, ended: false };
      connection.on("disconnected", () => {
        running.ended = true;
      });
      return running;
    } finally {
      clearTimeout(timer);
    }
  };
  return async () => {
    try {
      return await attempt();
    } catch (error) {
      if (!sandbox) throw error;
      // Containers often forbid the namespaces that the sandbox is made of.
      log.warn("Chromium did not start with its sandbox; trying without", {
        reason: error instanceof Error ? error.message.slice(-300) : String(error),
      });
      sandbox = false;
      return attempt();
    }
  };
}

async function settlesIn(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  const done = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
