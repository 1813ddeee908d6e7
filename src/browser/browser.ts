import type { ActRule } from "../domain/acts/acts.ts";
import type { Backoff } from "../domain/backoff.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError, UsageError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import type { SiteCredentials } from "../domain/headers/site-credentials.ts";
import type { AddressPolicy } from "../net/addresses.ts";
import { startProxy } from "../net/proxy.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Over } from "../time/clock-limit.ts";
import { createReadWriteLock } from "../time/read-write-lock.ts";
import { retry } from "../time/retry.ts";
import { succeedsWithin } from "../time/within.ts";
import { type Context, isDisconnection, openContext } from "./context.ts";
import { BrowserEndedError } from "./crash.ts";
import { hasCookies } from "./credentials.ts";
import type { Device } from "./devices.ts";
import { browserSource, launcher, type RunningBrowser } from "./launch.ts";
import { timeText } from "./load.ts";
import type { Tab } from "./tab.ts";
import { startVisitClock, type VisitClock } from "./visit-clock.ts";

/** A Chromium that is started when needed, and replaced when it ends or after a number of visits. */
export type Browser = {
  /**
   * Runs `visit` with a tab that shares no data with others. When the browser or the page's process
   * ends meanwhile, retries in a separate browser, while no other page is visited.
   *
   * @throws PageError from `visit`, `timeout` after the time limit, `browser_crashed` or `too_much_memory`;
   * BrokenEnvironmentError when the browser cannot be started again
   */
  withTab<Result>(options: VisitOptions, visit: (tab: Tab) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

export type VisitOptions = {
  signal: AbortSignal;
  /** Time limit of the whole visit (visit-clock.ts). */
  timeLimitMs: number;
  /** The device that the tab emulates; that of the browser by default. */
  device?: Device | undefined;
};

/** Settings of every browser that a program opens. */
export type BrowserSettings = {
  chromePath: string | undefined;
  /** Unix socket of a browser endpoint (endpoint.ts); without it the browser is started on this machine. */
  browserSocket?: string | undefined;
  /** Which addresses its pages may reach. */
  policy: AddressPolicy;
  log: Logger;
  /** Sent to their own host only. */
  credentials?: SiteCredentials | undefined;
  /** What pages may ask for with them, before anything is done with these; all by default. */
  acts?: ActRule | undefined;
};

type Options = BrowserSettings & {
  /** The device that tabs emulate. */
  device: Device;
  /** How long a server may keep a request waiting, if that is more than the proxy's own limit. */
  idleLimitMs?: number;
  /** A script that runs in our isolated world of every document. */
  script?: string;
  /** Whether pages may play sound by themselves. */
  playsSound?: boolean;
  /** A new process replaces the browser after this many visits. This bounds leaks. */
  visitsPerProcess?: number;
  /** How long to retry the start of a browser that has ended. */
  restartTimeoutMs?: number;
};

const MAX_VISITS_PER_PROCESS = 200;
const MAX_VISITS_PER_CONTEXT = 25;
/** A page that is visited alone is given up after this many crashes: a machine without memory may have caused one. */
const MAX_CRASHES_ALONE = 2;
const MAX_TRIES_ALONE = 5;
const RESTART_TIMEOUT_MS = 120_000;
const RESTART_BACKOFF: Backoff = { baseMs: 100, maxMs: 5_000 };
const OPEN_TIMEOUT_MS = 30_000;
/** A context that cannot be cleared within this time is closed. */
const CLEAR_TIMEOUT_MS = 2_000;
/** When a context does not close within this time, the browser hangs and is killed. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * @throws UsageError when there is no Chromium, or it cannot be started; BrokenEnvironmentError when the one behind
 * an endpoint cannot be reached or ends while it is starting
 */
export async function openBrowser(options: Options): Promise<Browser> {
  const source = await browserSource(options);
  const proxy = await startProxy(options.policy, options.idleLimitMs);
  const settings = {
    proxyPort: proxy.port,
    userAgent: options.device.user_agent || undefined,
    portBoundCookies: hasCookies(options.credentials),
    playsSound: options.playsSound,
    acceptedKey: proxy.spki,
  };
  const launch = launcher(source, settings, options.log);
  const contextOptions = {
    device: options.device,
    script: options.script,
    requests: proxy,
    credentials: options.credentials,
    acts: options.acts,
  };
  const { restartTimeoutMs = RESTART_TIMEOUT_MS } = options;
  const processes = new Set<RunningBrowser>();
  const lock = createReadWriteLock();
  let current: Promise<RunningBrowser> | undefined;
  let closed = false;

  const start = async (): Promise<RunningBrowser> => {
    const running = await launch();
    if (closed) {
      await running.process.kill();
      throw new Error("the browser is closed");
    }
    processes.add(running);
    void running.process.ended.then(() => processes.delete(running));
    return running;
  };
  /** The process for the next visit. An old process ends when its open tabs are done. */
  const acquire = async (): Promise<RunningBrowser> => {
    for (;;) {
      current ??= start();
      const pending = current;
      const running = await pending.catch((error) => {
        if (current === pending) current = undefined;
        throw error;
      });
      if (!running.ended && running.visits < (options.visitsPerProcess ?? MAX_VISITS_PER_PROCESS)) return running;
      if (current === pending) {
        current = undefined;
        await retire(running);
      }
    }
  };
  const retire = async (running: RunningBrowser): Promise<void> => {
    if (running.open === 0) await running.process.kill();
  };
  /** Failures here say nothing about the page, which is not visited yet. */
  const openTab = async (running: RunningBrowser, signal: AbortSignal): Promise<Context> => {
    const failed = (reason: string) => new BrowserEndedError(`No tab could be opened: ${reason}`, { visited: false });
    const limits = {
      signal,
      timeLimitMs: OPEN_TIMEOUT_MS,
      timedOut: (over: Over) => failed(`it took more than ${timeText(OPEN_TIMEOUT_MS, over)}`),
    };
    return withLimits(running, limits, () => {
      const pass = proxy.admit();
      void running.process.ended.then(pass.end);
      return openContext(running.connection, running.session, { ...contextOptions, pass });
    }).catch((error) => {
      throw signal.aborted ? error : failed(errorText(error));
    });
  };
  const visitIn = async <Result>(
    running: RunningBrowser,
    limits: VisitOptions,
    visit: (tab: Tab) => Promise<Result>,
  ): Promise<Result> => {
    running.visits += 1;
    running.open += 1;
    let context = running.idle.pop();
    let hangs = false;
    try {
      const tab = context ?? (await openTab(running, limits.signal));
      context = tab;
      const timedOut = (over: Over) => tab.timedOut(limits.timeLimitMs, over);
      return await withLimits(running, { ...limits, timedOut }, (clock) =>
        Promise.race([tab.begin(clock, limits.device).then(visit), tab.crashed]),
      );
    } catch (error) {
      hangs = !(error instanceof PageError) || error.code === "timeout";
      throw error;
    } finally {
      await release(running, context, hangs);
      running.open -= 1;
      if ((await current?.catch(() => undefined)) !== running) await retire(running);
    }
  };

  /** Visits a page in a separate browser, while no other page is visited: only then is the page certainly the cause. */
  const visitAlone = async <Result>(limits: VisitOptions, visit: (tab: Tab) => Promise<Result>): Promise<Result> => {
    const endings: BrowserEndedError[] = [];
    for (;;) {
      const running = await restarted(start, limits.signal);
      try {
        return await visitIn(running, limits, visit);
      } catch (error) {
        if (!(error instanceof BrowserEndedError) || closed) throw error;
        endings.push(error);
        giveUp(endings, running.process.memoryExcess());
        options.log.warn("the browser ended while visiting a page alone; trying again", {
          reason: error.message,
        });
      } finally {
        await running.process.kill();
      }
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all([...processes].map((running) => running.process.kill()));
    await current?.catch(() => undefined);
    await proxy.close();
  };
  /** Retries for a while: when a usable browser does not start, the fault is the machine's, not that of a page. */
  const restarted = (starting: () => Promise<RunningBrowser>, signal: AbortSignal): Promise<RunningBrowser> =>
    retry(starting, {
      signal,
      backoff: RESTART_BACKOFF,
      shouldRetry(error, { failures, elapsedMs, delayMs }) {
        if (closed || signal.aborted || error instanceof BrokenEnvironmentError || error instanceof UsageError)
          return false;
        const reason = errorText(error);
        if (elapsedMs >= restartTimeoutMs)
          throw new BrokenEnvironmentError(
            `The browser could not be started: ${failures} attempts in a row failed (the last one: ${reason}). ` +
              "Check this machine's limits on processes, open files and memory.",
          );
        options.log.warn("the browser did not start", { failures, delayMs, reason });
        return true;
      },
    });

  // Starts a browser now, so that an unusable one is reported before the first page.
  await restarted(acquire, new AbortController().signal).catch(async (error) => {
    await close();
    throw error;
  });
  return {
    withTab: async (limits, visit) => {
      try {
        return await lock.shared(async () => visitIn(await restarted(acquire, limits.signal), limits, visit));
      } catch (error) {
        if (!(error instanceof BrowserEndedError) || closed) throw error;
        options.log.warn("the browser ended while visiting a page; trying again", { reason: error.message });
      }
      return lock.exclusive(() => visitAlone(limits, visit));
    },
    close,
  };
}

/**
 * Returns when the visit of a page is to be tried again, alone.
 *
 * @throws PageError when the page is the cause; BrokenEnvironmentError when the browser does not work
 */
function giveUp(endings: readonly BrowserEndedError[], memoryExcess: string | undefined): void {
  if (memoryExcess !== undefined) throw new PageError("too_much_memory", memoryExcess);
  const message = endings.at(-1)?.message ?? "";
  if (endings.filter(({ visited }) => visited).length >= MAX_CRASHES_ALONE)
    throw new PageError("browser_crashed", message);
  if (endings.length >= MAX_TRIES_ALONE) throw new BrokenEnvironmentError(`The browser does not work: ${message}`);
}

/** Keeps a context for the next visit if it can be cleared. Otherwise closes it, or kills the browser if that fails. */
async function release(running: RunningBrowser, context: Context | undefined, hangs: boolean): Promise<void> {
  // Needed even when the browser has ended: otherwise whatever waits for the page would wait forever.
  context?.end();
  if (running.ended) return;
  if (!context) return running.process.kill();
  const isFresh = !hangs && context.visits() < MAX_VISITS_PER_CONTEXT;
  if (isFresh && (await succeedsWithin(CLEAR_TIMEOUT_MS, context.clear()))) {
    running.idle.push(context);
    return;
  }
  if (!(await succeedsWithin(CLOSE_TIMEOUT_MS, context.close()))) await running.process.kill();
}

/** Runs `body` until it ends, the time is up, the signal aborts or the browser ends. */
async function withLimits<Result>(
  running: RunningBrowser,
  { signal, timeLimitMs, timedOut }: VisitOptions & { timedOut: (over: Over) => Error },
  body: (clock: VisitClock) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const stop = Promise.withResolvers<never>();
  const clock = startVisitClock(running.process.pid, timeLimitMs, (over) => stop.reject(timedOut(over)));
  const abort = (): void => stop.reject(signal.reason);
  signal.addEventListener("abort", abort);
  const gone = (): void => stop.reject(new BrowserEndedError("The browser ended."));
  running.connection.on("disconnected", gone);
  const work = body(clock);
  // The promise that loses the race may reject later, when nothing awaits it.
  work.catch(() => {});
  stop.promise.catch(() => {});
  try {
    if (running.ended) gone();
    return await Promise.race([work, stop.promise]);
  } catch (error) {
    // When the browser ends, calls fail a little before the `disconnected` event.
    if (isDisconnection(error)) throw new BrowserEndedError("The browser ended.");
    throw error;
  } finally {
    clock.stop();
    signal.removeEventListener("abort", abort);
    running.connection.off("disconnected", gone);
  }
}
