import type { Browser, BrowserContext, CDPSession, Page, Protocol, Target } from "puppeteer-core";
import type { ActRule } from "../domain/acts/acts.ts";
import { errorText } from "../domain/error-text.ts";
import { PageError } from "../domain/failure.ts";
import type { SiteCredentials } from "../domain/headers/site-credentials.ts";
import { secretsOf } from "../domain/sign-in/known-secrets.ts";
import type { ProxyPass } from "../net/proxy-pass.ts";
import type { Over } from "../time/clock-limit.ts";
import { BrowserEndedError, type TabProcess, watchProcess } from "./crash.ts";
import { fetchSettings, showPass } from "./credentials.ts";
import type { Device } from "./devices.ts";
import { emulateScreen } from "./hands.ts";
import {
  NOTE_TIMERS,
  readAfterLoad,
  readChanges,
  readStillness,
  readTimers,
  scrollThrough,
  watchChanges,
} from "./late-content.ts";
import { load, requireSameDocument, timedOut, untilDue, untilNetworkIdle } from "./load.ts";
import { loadNothingAhead } from "./load-ahead.ts";
import type { Requests } from "./navigation-failure.ts";
import { pauseRequests } from "./only-read.ts";
import { MAX_RENDERED_ELEMENTS, renderedHtml } from "./rendered-html.ts";
import { createSockets, type Sockets } from "./sockets.ts";
import { network, type Performed, type Tab, tabFunctions } from "./tab.ts";
import { untilStill } from "./until-still.ts";
import { shownOf } from "./usable.ts";
import { watchBudget } from "./visit-budget.ts";
import type { VisitClock } from "./visit-clock.ts";
import { missingOf } from "./wanted.ts";
import { attachWorkers, type Watch, watchTab } from "./watch.ts";
import { flushTasks } from "./watch-steps.ts";
import { watchWayIn } from "./way-in.ts";
import { WORLD } from "./world.ts";

/**
 * A browser context (like an incognito window) with one tab, for one visit after the other. What a
 * page stores is removed after its visit. The renderer process is kept, because it has axe-core
 * compiled: a new one costs more time than most checks.
 */
export type Context = {
  /** Number of visits begun. */
  visits(): number;
  /**
   * @param clock stands still while the visit waits for permission to send a request
   * @param device that of the context by default
   */
  begin(clock: Pick<VisitClock, "untimed" | "usedMs">, device?: Device): Promise<Tab>;
  /** The failure of a visit that took longer than its time. */
  timedOut(timeLimitMs: number, over: Over): PageError;
  /** Ends the visit: whatever waits for its page fails. */
  end(): void;
  /** Leaves the page and removes what it stored; rejects if no other page can be visited. */
  clear(): Promise<void>;
  /** Rejects with BrowserEndedError when the page's process ends. */
  crashed: Promise<never>;
  close(): Promise<void>;
};

export type ContextOptions = {
  device: Device;
  /** A script that runs in our world of every document, before the document's own scripts. */
  script?: string | undefined;
  requests: Requests;
  /** What it shows to the proxy; it ends with the context. */
  pass: ProxyPass;
  credentials?: SiteCredentials | undefined;
  acts?: ActRule | undefined;
};

type Opened = {
  context: BrowserContext;
  browserSession: CDPSession;
  tabProcess: TabProcess;
  /** Where what pages do is judged. */
  sockets: Sockets | undefined;
};

/** How far a page is scrolled, in heights of its window, and for how long. */
const MAX_SCROLL_STEPS = 60;
const MAX_SCROLL_MS = 3_000;
/** How long to wait for timers, and for requests, that may change a page that was judged. */
const MAX_CHANGES_WAIT_MS = 4_000;
/** For an element that a step needs: a banner that is not there must not use up the page's time. */
const STEP_TIMEOUT_MS = 5_000;
/** Bytes of a document that the browser keeps for `source`. */
const MAX_KEPT_BYTES = 10_000_000;

/**
 * Opens a context whose tab looks like the device. One that fails is not closed: its browser is killed (browser.ts).
 *
 * @throws BrowserEndedError when the tab's process ends meanwhile, however early: then no command would be answered
 */
export async function openContext(
  browser: Browser,
  browserSession: CDPSession,
  options: ContextOptions,
): Promise<Context> {
  const { acts, pass } = options;
  const sockets = acts?.guardsPages ? createSockets(acts) : undefined;
  const context = await browser.createBrowserContext({
    downloadBehavior: { policy: "deny" },
    ...(sockets && {
      proxyServer: await pass.separateSockets(sockets.mayConnect),
      proxyBypassList: ["<-loopback>"],
    }),
  });
  const tabProcess = watchProcess(browserSession, context.id ?? "");
  try {
    const opening = openIn({ context, browserSession, tabProcess, sockets }, options);
    return await Promise.race([opening, tabProcess.crashed]);
  } catch (error) {
    tabProcess.stop();
    throw isDisconnection(error) ? new BrowserEndedError("The page's process ended.") : error;
  }
}

async function openIn(
  { context, browserSession, tabProcess, sockets }: Opened,
  { device, script, requests, pass, credentials, acts }: ContextOptions,
): Promise<Context> {
  const target = await createTarget(context, browserSession);
  const session = await target.createCDPSession();
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    session.send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }).catch(() => {});
  });
  closePopups(context, target);
  showPass(session, pass.credentials, credentials);
  const wayIn = watchWayIn(session, pass);
  const budget = watchBudget(session, pass);
  sockets?.watch(session);
  const pausing = fetchSettings(credentials, pass.isOpen || acts?.guardsPages === true);
  await Promise.all([
    session.send("Page.enable"),
    session.send("DOMStorage.enable"),
    session.send("Network.enable", { maxTotalBufferSize: 2 * MAX_KEPT_BYTES, maxResourceBufferSize: MAX_KEPT_BYTES }),
    session.send("Network.setBypassServiceWorker", { bypass: true }),
    attachWorkers(session),
    session.send("Fetch.enable", pausing),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: NOTE_TIMERS }),
    ...(acts?.guardsPages ? loadNothingAhead(session) : []),
    ...(script ? [session.send("Page.addScriptToEvaluateOnNewDocument", isolatedWorldScript(script))] : []),
    ...emulate(session, device),
  ]);
  let emulated = device;
  const secrets = () => (credentials ? secretsOf(credentials, asked) : []);
  let functions = tabFunctions(session, device, secrets);
  let watch: Watch | undefined;
  let mainFrameId = "";
  let asked = "The page";
  let visits = 0;
  let endSteps = () => {};
  let resume: (() => Promise<void>) | undefined;
  /** Puppeteer's, if something was done in the tab. */
  let page: Page | undefined;

  return {
    visits: () => visits,
    crashed: tabProcess.crashed,
    begin: async ({ untimed, usedMs }, wanted = device) => {
      visits += 1;
      if (wanted !== emulated) {
        await Promise.all(emulate(session, wanted));
        functions = tabFunctions(session, wanted, secrets);
        emulated = wanted;
      }
      const [{ frameTree }] = await Promise.all([
        session.send("Page.getFrameTree"),
        session.send("Page.resetNavigationHistory"),
      ]);
      mainFrameId = frameTree.frame.id;
      asked = "The page";
      wayIn.begin(mainFrameId);
      await budget.begin();
      const watching = watchTab(session, mainFrameId);
      const { now, paused } = stepClock();
      watch = watching;
      let loaded = "";
      let act: Awaited<ReturnType<typeof load>>["act"] = async () => {};
      let refuse = () => {};
      let isActing = false;
      sockets?.begin(() => isActing);
      let stoppedRequests = (): string[] => [];
      let refusedRequests = (): string[] => [];
      const ended = new AbortController();
      endSteps = () => ended.abort();
      const world = () => functions.createWorld(mainFrameId);
      const afterLoad = async () => functions.call(await world(), readAfterLoad);
      const timers = async () => functions.call(await world(), readTimers);
      return {
        ...functions,
        mainFrameId,
        usedMs,
        load: async (url, hooks) => {
          asked = url;
          pass.begin(url);
          const found = { session, mainFrameId, watch: watching };
          const loading = { ...found, afterLoad, timers, requests, wayIn, credentials, acts };
          const {
            act: acting,
            onlyRead,
            stopped,
            refused,
            ...result
          } = await load({ ...loading, untimed: (work) => paused(() => untimed(work)) }, url, hooks);
          act = acting;
          refuse = onlyRead;
          stoppedRequests = stopped;
          refusedRequests = refused;
          loaded = watching.loaderId();
          return result;
        },
        perform: async (steps, handsOff = false) => {
          const failureOf = (url: string) => requests.failureOf(url);
          const read = async () => functions.call(await world(), readStillness);
          const shown = async () => functions.call(await world(), shownOf, steps.at(-1)?.type === "hover");
          const did: Performed = { passedBy: [], changing: [], isSame: false };
          const before = await shown().catch(() => undefined);
          isActing = true;
          try {
            await act(async () => {
              // Puppeteer's model of a page costs 20 round trips, and code that takes a while to load.
              const [model, { runSteps }] = await Promise.all([target.page(), import("./run-steps.ts")]);
              if (!model) throw new BrowserEndedError("The page's process ended.");
              page = model;
              await read();
              const asked = watching.asked();
              const { polling } = await timers().catch(() => ({ polling: 0 }));
              const earlier = { underWay: new Map(watching.underWay()), polling };
              const waits = { watch: watching, timers, flush: () => flushTasks(model), now };
              const given = { signal: ended.signal, waits, timeout: STEP_TIMEOUT_MS, failureOf };
              did.passedBy = (await runSteps(model, steps, { ...given, typedFor: (value) => value })).passedBy;
              if (handsOff) await takeHandsOff(model);
              did.changing = await untilStill({ ...waits, read }, earlier, watching.asked() > asked);
            });
            did.isSame = before !== undefined && (await shown().catch(() => undefined)) === before;
            return did;
          } finally {
            isActing = false;
            loaded = watching.loaderId();
          }
        },
        onlyRead: async () => {
          refuse();
          resume ??= await pauseRequests(session, browserSession, pausing);
        },
        stopped: () => [...stoppedRequests(), ...(sockets?.stopped() ?? [])],
        refused: () => [...refusedRequests(), ...pass.usedUp().map((host) => `More than a visit may send to ${host}`)],
        address: () => watching.documentUrl(),
        find: async (wanted) => functions.call(await world(), missingOf, wanted),
        source: async () => {
          try {
            return await sourceOf(session, loaded, asked);
          } catch (error) {
            requireSameDocument(watching, loaded, asked);
            throw error;
          }
        },
        forbidsScripts: (frameId) => watching.sandboxed.has(frameId),
        couldNotReach: (url) => URL.canParse(url) && requests.failureOf(url) !== undefined,
        html: async (maxLength, maxElements = MAX_RENDERED_ELEMENTS) =>
          functions.call(await world(), renderedHtml, maxElements, maxLength),
        scrollThrough: async () => {
          const steps = await functions.call(await world(), scrollThrough, MAX_SCROLL_STEPS, MAX_SCROLL_MS);
          if (steps > 0) await untilNetworkIdle(watching);
        },
        watchChanges: (ofVisit) => functions.call(ofVisit, watchChanges),
        changes: async (ofVisit) => {
          const { any } = await timers();
          if (any > 0 && any <= MAX_CHANGES_WAIT_MS) await untilDue(watching, any);
          if (watching.pending() > 0) await untilNetworkIdle(watching, MAX_CHANGES_WAIT_MS);
          return functions.call(ofVisit, readChanges);
        },
        requireSameDocument: () => requireSameDocument(watching, loaded, asked),
      };
    },
    timedOut: (timeLimitMs, over) => timedOut(watch, asked, requests.isAwaiting, timeLimitMs, over),
    end: () => {
      watch?.stop();
      endSteps();
    },
    clear: async () => {
      if (functions.hands.isSpent()) throw new Error("The clock of the tab stands still.");
      await functions.hands.rest();
      await resume?.();
      resume = undefined;
      if (page) await takeHandsOff(page);
      page = undefined;
      await clearVisit(session, mainFrameId, [...(watch?.origins ?? [])]);
    },
    close: () => {
      tabProcess.stop();
      wayIn.stop();
      pass.end();
      return context.close();
    },
  };
}

async function sourceOf(session: CDPSession, requestId: string, url: string): Promise<string> {
  try {
    const { body, base64Encoded } = await session.send("Network.getResponseBody", { requestId });
    return base64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
  } catch (error) {
    if (isDisconnection(error)) throw error;
    // The browser does not keep the body of a response that the page itself interrupted.
    throw new PageError("invalid_response", `The response of ${url} is not complete (${errorText(error)}).`);
  }
}

/** When the browser or the tab ends, calls fail a little before the event. */
export function isDisconnection(error: unknown): boolean {
  return error instanceof Error && /Target closed|Connection closed|Session closed|disconnected/i.test(error.message);
}

/** Skips the script on the blank page between two visits, where it is not used. */
function isolatedWorldScript(script: string): { source: string; worldName: string } {
  return { source: `if (top !== self || location.protocol !== "about:") { ${script} }`, worldName: WORLD };
}

/** Leaves the page and removes what it stored; rejects when something could not be removed. */
async function clearVisit(session: CDPSession, mainFrameId: string, origins: string[]): Promise<void> {
  // Stops the page's scripts, so that they cannot store anything more.
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: mainFrameId,
    worldName: WORLD,
  });
  await Promise.all([
    session.send("Runtime.evaluate", { expression: "window.name = ''", contextId }),
    // Fails for the origin of a removed frame. Such a context is not used again.
    ...origins.map((securityOrigin) =>
      session.send("DOMStorage.clear", { storageId: { securityOrigin, isLocalStorage: false } }),
    ),
  ]);
  await navigateToBlank(session);
  await Promise.all([
    session.send("Emulation.setScriptExecutionDisabled", { value: false }),
    // A visit may have ended in silence (tab.ts).
    session.send("Network.emulateNetworkConditions", network({ offline: false })),
    session.send("Network.clearBrowserCookies"),
    ...origins.map((origin) => session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" })),
  ]);
}

/** A clock, in ms, that stands still while something is waited for. */
function stepClock() {
  let pauses = 0;
  let since = 0;
  let pausedMs = 0;
  return {
    now: () => (pauses > 0 ? since : performance.now()) - pausedMs,
    async paused<Result>(wait: () => Promise<Result>): Promise<Result> {
      if (pauses === 0) since = performance.now();
      pauses += 1;
      try {
        return await wait();
      } finally {
        pauses -= 1;
        if (pauses === 0) pausedMs += performance.now() - since;
      }
    },
  };
}

/** Takes the mouse out of the window, with no button down: a page under it would be hovered when it comes. */
async function takeHandsOff({ mouse }: Page): Promise<void> {
  await mouse.reset();
  await mouse.move(-1, -1);
}

/** Waits for the blank page itself: the response to the command arrives before the old page is gone. */
async function navigateToBlank(session: CDPSession): Promise<void> {
  const left = Promise.withResolvers<void>();
  const listener = ({ frame }: Protocol.Page.FrameNavigatedEvent): void => {
    if (frame.url === "about:blank" && !frame.parentId) left.resolve();
  };
  session.on("Page.frameNavigated", listener);
  try {
    const { errorText } = await session.send("Page.navigate", { url: "about:blank" });
    if (errorText) throw new Error(`The page could not be left: ${errorText}`);
    await left.promise;
  } finally {
    session.off("Page.frameNavigated", listener);
  }
}

/** Like `context.newPage()`, but without puppeteer's page model, which costs 20 round trips and is not needed here. */
async function createTarget(context: BrowserContext, browserSession: CDPSession): Promise<Target> {
  const appearing = context.waitForTarget((target) => target.type() === "page", { timeout: 0 });
  appearing.catch(() => {});
  await browserSession.send("Target.createTarget", { url: "about:blank", browserContextId: context.id ?? "" });
  return appearing;
}

/** The headless shell opens no popups, but a full browser may. */
function closePopups(context: BrowserContext, own: Target): void {
  context.on("targetcreated", (target) => {
    if (target === own || target.type() !== "page") return;
    target
      .createCDPSession()
      .then((session) => session.send("Page.close"))
      .catch(() => {});
  });
}

/** Makes a tab look like a device, whatever it looked like before. */
function emulate(session: CDPSession, device: Device): Promise<unknown>[] {
  const touch = device.has_touch ? { enabled: true, maxTouchPoints: 5 } : { enabled: false };
  return [
    emulateScreen(session, device),
    session.send("Emulation.setTouchEmulationEnabled", touch),
    // An empty one is the browser's own.
    session.send("Emulation.setUserAgentOverride", { userAgent: device.user_agent }),
  ];
}
