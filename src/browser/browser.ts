import { setTimeout as sleep } from "node:timers/promises";
import type { BasicAuth } from "../domain/basic-auth.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import { addressPolicy } from "../net/addresses.ts";
import { startProxy } from "../net/proxy.ts";
import type { Logger } from "../telemetry/log.ts";
import { BrowserEnded, type Context, openContext } from "./context.ts";
import type { Device } from "./devices.ts";
import { browserSource, launcher, type Running } from "./launch.ts";
import type { Tab } from "./tab.ts";

/** A Chromium that is always there: started when needed, replaced when it ends or grows old. */
export type Browser = {
  /**
   * Runs `visit` with a tab that knows nothing of others. When the browser or the page's
   * process ends meanwhile, once more in a browser that nothing else uses.
   *
   * @throws PageError of `visit`, `timeout` after the time limit, or `browser_crashed`;
   * BrokenEnvironmentError when no browser can be started any more
   */
  withTab<Result>(options: VisitOptions, visit: (tab: Tab) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type VisitOptions = {
  signal: AbortSignal;
  /** All of the visit's time. */
  timeLimitMs: number;
};

/** What every browser of a program is opened with. */
export type BrowserSettings = {
  chromePath: string | undefined;
  /** Where browsers are served; one of this machine when not given. */
  browserSocket?: string | undefined;
  allowedPrivateCidrs: readonly string[];
  log: Logger;
  /** For pages behind Basic HTTP Authentication, on the credentials' own host only. */
  basicAuth?: BasicAuth | undefined;
};

type Options = BrowserSettings & {
  /** What every tab looks like. */
  device: Device;
  /** A script for our isolated world in every document. */
  script?: string;
  /** Visits after which a new process takes over: what leaks does not add up. */
  visitsPerProcess?: number;
  /** How long a visit waits for a browser that does not start again. */
  restartPatienceMs?: number;
};

const VISITS_PER_PROCESS = 200;
const VISITS_PER_CONTEXT = 25;
const RESTART_PATIENCE_MS = 120_000;
const FIRST_RESTART_PAUSE_MS = 100;
const MAX_RESTART_PAUSE_MS = 5_000;
/** A page that is not left in this time hangs; its context is closed. */
const CLEAR_TIMEOUT_MS = 2_000;
/** A context that does not close in this time has a browser that is stuck. */
const CLOSE_TIMEOUT_MS = 5_000;

/** @throws UsageError when there is no Chromium, or it cannot be started */
export async function openBrowser(options: Options): Promise<Browser> {
  const source = await browserSource(options);
  const proxy = await startProxy(addressPolicy(options.allowedPrivateCidrs));
  const launch = launcher(source, proxy.port, options.log);
  const contextOptions = {
    device: options.device,
    script: options.script,
    failureOf: proxy.failureOf,
    basicAuth: options.basicAuth,
  };
  const { restartPatienceMs = RESTART_PATIENCE_MS } = options;
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
  /** The process for the next visit. One that is old serves its open tabs to their end. */
  const acquire = async (): Promise<Running> => {
    for (;;) {
      current ??= start();
      const pending = current;
      const running = await pending.catch((error) => {
        if (current === pending) current = undefined;
        throw error;
      });
      if (!running.ended && running.visits < (options.visitsPerProcess ?? VISITS_PER_PROCESS)) return running;
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
    limits: VisitOptions,
    visit: (tab: Tab) => Promise<Result>,
  ): Promise<Result> => {
    running.visits += 1;
    running.open += 1;
    let context = running.idle.pop();
    let hangs = false;
    try {
      return await within(running, limits, async () => {
        context ??= await openContext(running.connection, running.session, contextOptions);
        return await Promise.race([context.begin().then(visit), context.crashed]);
      });
    } catch (error) {
      hangs = !(error instanceof PageError) || error.code === "timeout";
      throw error;
    } finally {
      await release(running, context, hangs);
      running.open -= 1;
      if ((await current?.catch(() => undefined)) !== running) await retire(running);
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all([...processes].map((running) => running.process.kill()));
    await current?.catch(() => undefined);
    await proxy.close();
  };
  /** A browser that started before and does not now is this machine's fault: it is waited for, and no page pays. */
  const restarted = async (starting: () => Promise<Running>, signal: AbortSignal): Promise<Running> => {
    const since = performance.now();
    for (let failures = 1; ; failures++) {
      try {
        return await starting();
      } catch (error) {
        if (closed || signal.aborted || error instanceof BrokenEnvironmentError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        if (performance.now() - since >= restartPatienceMs)
          throw new BrokenEnvironmentError(
            `The browser could not be started again, ${failures} times in a row (the last one: ${reason}). ` +
              "Look for limits of processes, open files and memory.",
          );
        const againMs = Math.min(MAX_RESTART_PAUSE_MS, FIRST_RESTART_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
        options.log.warn("the browser did not start again", { failures, againMs, reason });
        await sleep(againMs, undefined, { signal });
      }
    }
  };

  // What is wrong with this machine's browser is to be known before any page is.
  await acquire().catch(async (error) => {
    await close();
    throw error;
  });
  return {
    withTab: async (limits, visit) => {
      try {
        return await visitIn(await restarted(acquire, limits.signal), limits, visit);
      } catch (error) {
        if (!(error instanceof BrowserEnded) || closed) throw error;
        options.log.warn("the browser ended while visiting a page; trying again", { reason: error.message });
      }
      // Alone, so that neither of two pages pays for the other's crash twice.
      const running = await restarted(start, limits.signal);
      try {
        return await visitIn(running, limits, visit);
      } catch (error) {
        throw error instanceof BrowserEnded ? new PageError("browser_crashed", error.message) : error;
      } finally {
        await running.process.kill();
      }
    },
    close,
  };
}

/** Keeps a context for the next visit if it can be cleared; else it goes, and a browser that cannot do that too. */
async function release(running: Running, context: Context | undefined, hangs: boolean): Promise<void> {
  if (running.ended) return;
  if (!context) return running.process.kill();
  const isFresh = !hangs && context.visits() < VISITS_PER_CONTEXT;
  if (isFresh && (await succeedsIn(context.clear(), CLEAR_TIMEOUT_MS))) {
    running.idle.push(context);
    return;
  }
  if (!(await succeedsIn(context.close(), CLOSE_TIMEOUT_MS))) await running.process.kill();
}

/** Runs `body` until it ends, the time is up, the signal aborts or the browser ends. */
async function within<Result>(
  running: Running,
  { signal, timeLimitMs }: VisitOptions,
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

async function succeedsIn(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  const done = work.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([done, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
