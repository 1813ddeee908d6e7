import type { Browser, BrowserContext, CDPSession, Target } from "puppeteer-core";
import type { PageError } from "../domain/failure.ts";
import type { Device } from "./devices.ts";
import { createLoader, type Loader } from "./load.ts";

/**
 * One page in a context of its own. The page is hostile: everything of ours runs in an
 * isolated world, where the page's scripts cannot change what our functions see.
 */
export type Tab = {
  /** Loads a page, see load.ts. */
  load: Loader["load"];
  mainFrameId: string;
  /** Makes an isolated world in a frame. @returns its id, for `call` and `run` */
  createWorld(frameId: string): Promise<number>;
  /** Runs a script in a world. */
  run(world: number, source: string): Promise<void>;
  /** Calls a function, which must not use anything from outside itself, with JSON arguments and result. */
  call<Args extends unknown[], Result>(
    world: number,
    body: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>;
  /** The frame inside the element that the function returns; undefined when there is none. */
  frameOf<Args extends unknown[]>(
    world: number,
    body: (...args: Args) => unknown,
    ...args: Args
  ): Promise<string | undefined>;
  /** PNG of the whole page, down to a limit. */
  screenshot(): Promise<Uint8Array>;
  /** The text of the main document as the server sent it. */
  source(): Promise<string>;
  /** Rejects with BrowserEnded when the page's process ends. */
  crashed: Promise<never>;
  close(): Promise<void>;
};

/** The browser's or the tab's process is gone: nothing is known about the page. */
export class BrowserEnded extends Error {}

type Options = { device: Device; failureOf: (url: string) => PageError | undefined };

const MAX_SCREENSHOT_HEIGHT = 8_000;

/** Opens an empty tab that looks like the device. */
export async function openTab(browser: Browser, session: CDPSession, options: Options): Promise<Tab> {
  const context = await browser.createBrowserContext({ downloadBehavior: { policy: "deny" } });
  try {
    return await openIn(context, session, options);
  } catch (error) {
    await context.close().catch(() => {});
    throw error;
  }
}

async function openIn(context: BrowserContext, browser: CDPSession, { device, failureOf }: Options): Promise<Tab> {
  const target = await createTarget(context, browser);
  const session = await target.createCDPSession();
  const crashed = Promise.withResolvers<never>();
  crashed.promise.catch(() => {});
  session.on("Inspector.targetCrashed", () => crashed.reject(new BrowserEnded("The page's process ended.")));
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    session.send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }).catch(() => {});
  });
  closePopups(context, target);
  const [{ frameTree }, loader] = await Promise.all([
    session.send("Page.getFrameTree"),
    createLoader(session, failureOf),
    session.send("Page.enable"),
    session.send("Inspector.enable"),
    ...emulate(session, device),
  ]);
  const mainFrameId = frameTree.frame.id;
  const evaluate = async <Args extends unknown[]>(
    world: number,
    body: (...args: Args) => unknown,
    args: Args,
    returnByValue: boolean,
  ) => {
    const { result, exceptionDetails } = await session.send("Runtime.callFunctionOn", {
      functionDeclaration: String(body),
      executionContextId: world,
      arguments: args.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result;
  };

  return {
    load: loader.load,
    mainFrameId,
    crashed: crashed.promise,
    createWorld: async (frameId) => {
      const made = await session.send("Page.createIsolatedWorld", { frameId, worldName: "site-validator" });
      return made.executionContextId;
    },
    run: async (world, source) => {
      const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: source, contextId: world });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    },
    call: async (world, body, ...args) => (await evaluate(world, body, args, true)).value,
    frameOf: async (world, body, ...args) => {
      const { objectId } = await evaluate(world, body, args, false);
      if (!objectId) return undefined;
      const { node } = await session.send("DOM.describeNode", { objectId });
      return node.frameId;
    },
    screenshot: () => screenshot(session),
    source: () => loader.source(),
    close: () => {
      loader.stop();
      return context.close();
    },
  };
}

/** As `context.newPage()`, without puppeteer's own page model, which costs 20 round trips that we do not need. */
async function createTarget(context: BrowserContext, browser: CDPSession): Promise<Target> {
  const appearing = context.waitForTarget((target) => target.type() === "page", { timeout: 0 });
  appearing.catch(() => {});
  await browser.send("Target.createTarget", { url: "about:blank", browserContextId: context.id });
  return appearing;
}

/** The headless shell opens none; a full browser may. */
function closePopups(context: BrowserContext, own: Target): void {
  context.on("targetcreated", (target) => {
    if (target === own || target.type() !== "page") return;
    target
      .createCDPSession()
      .then((session) => session.send("Page.close"))
      .catch(() => {});
  });
}

function emulate(session: CDPSession, device: Device): Promise<unknown>[] {
  const orientation = device.is_landscape
    ? ({ type: "landscapePrimary", angle: 90 } as const)
    : ({ type: "portraitPrimary", angle: 0 } as const);
  return [
    session.send("Emulation.setDeviceMetricsOverride", {
      width: device.width,
      height: device.height,
      deviceScaleFactor: device.device_scale_factor,
      mobile: device.is_mobile,
      ...(device.is_mobile ? { screenOrientation: orientation } : {}),
    }),
    ...(device.has_touch
      ? [session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 })]
      : []),
    ...(device.user_agent ? [session.send("Emulation.setUserAgentOverride", { userAgent: device.user_agent })] : []),
  ];
}

async function screenshot(session: CDPSession): Promise<Uint8Array> {
  const { cssContentSize: size } = await session.send("Page.getLayoutMetrics");
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    captureBeyondViewport: true,
    optimizeForSpeed: true,
    clip: {
      x: 0,
      y: 0,
      width: Math.max(1, Math.min(size.width, MAX_SCREENSHOT_HEIGHT)),
      height: Math.max(1, Math.min(size.height, MAX_SCREENSHOT_HEIGHT)),
      scale: 1,
    },
  });
  return Buffer.from(data, "base64");
}
