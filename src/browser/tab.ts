import type { CDPSession, Protocol } from "puppeteer-core";
import type { Screenshot } from "../domain/findings/findings.ts";
import type { Step } from "../schema/steps.ts";
import type { Device } from "./devices.ts";
import { type Hands, handsOf } from "./hands.ts";
import type { Changes } from "./late-content.ts";
import type { Loaded, LoadHooks } from "./load.ts";
import type { Wanted } from "./wanted.ts";
import { WORLD } from "./world.ts";

/**
 * What a visit can do with its page. The page is hostile, so all our code runs in an isolated
 * world, where the page's scripts cannot change what it sees.
 */
export type Tab = {
  /** Loads a page and waits for network idle. Call it once per visit. */
  load(url: string, hooks: LoadHooks): Promise<Loaded>;
  /**
   * Does steps in the loaded page, which may lead to another one, and waits until what they bring has come.
   *
   * @param handsOff whether the mouse leaves the page afterwards
   * @throws StepError; PageError as `load` does
   */
  perform(steps: readonly Step[], handsOff?: boolean): Promise<Performed>;
  /**
   * From now on the page, and its frames, may request only what changes nothing, and no documents: for somebody who uses it
   * without knowing what its controls do.
   */
  onlyRead(): Promise<void>;
  /** The requests that the page could not send, because they may change something in the session (domain/acts), in words. */
  stopped(): string[];
  /** The requests that were refused, because they lead into private networks from outside, or are too many, in words. */
  refused(): string[];
  /** The address of the document that is there. */
  address(): string;
  /** What of this is not there, in words; undefined when nothing is missing. */
  find(wanted: Wanted): Promise<string | undefined>;
  mainFrameId: string;
  /** How much of its time the visit has used, in ms: on a busy machine less than has passed. */
  usedMs(): number;
  /** True when the page has frames, also inside shadow roots. */
  hasFrames(): Promise<boolean>;
  /** The isolated world in a frame, created if necessary. @returns its id, for `call` and `run` */
  createWorld(frameId: string): Promise<number>;
  /**
   * Makes the browser run the context's script in the main document, unless it has done so already. By default it does
   * so when the document's own scripts start: never in a document without scripts.
   */
  runContextScript(): Promise<void>;
  /** Runs a script in a world. */
  run(world: number, source: string): Promise<void>;
  /** Calls a function in a world. Its arguments and result are JSON, and it must not use anything outside itself. */
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
  /**
   * The whole page, up to 8,000 CSS pixels in each direction. Its scripts are paused, so that they move nothing. Known secrets are
   * painted over; undefined if they cannot be.
   */
  screenshot(): Promise<Screenshot | undefined>;
  /**
   * From now on no script of the page runs, and nothing is requested, until the page is left: what is changed then is noticed by
   * nobody. The last thing of a visit.
   */
  silence(): Promise<void>;
  /** To use the page, as somebody with a keyboard does. */
  hands: Hands;
  /** Whether the response of the frame's document has a policy that forbids scripts: then nothing can run in it. */
  forbidsScripts(frameId: string): boolean;
  /** Whether the server of this URL could not be reached when it was requested last. */
  couldNotReach(url: string): boolean;
  /** The document as it is now, as HTML of up to this many characters; "" for one with more elements, by default some thousand. */
  html(maxLength: number, maxElements?: number): Promise<string>;
  /** Scrolls through the page once, bounded, and back to the top, and waits for network idle. */
  scrollThrough(): Promise<void>;
  /** Counts what is added to the document of this world from now on. */
  watchChanges(world: number): Promise<void>;
  /** What was added since `watchChanges` in the same world. Waits for requests in progress, bounded. */
  changes(world: number): Promise<Changes>;
  /** The text of the main document as the server sent it. @throws PageError */
  source(): Promise<string>;
  /** @throws PageError when the page has replaced the document that was loaded */
  requireSameDocument(): void;
};

/** What steps on a page came to. */
export type Performed = {
  /** The optional ones that could not be done, with the reason of each. */
  passedBy: string[];
  /** What was still changing when the page was waited for no longer, in words. */
  changing: string[];
  /** Whether the page shows what it has shown before them. */
  isSame: boolean;
};

/** What needs to know more of a visit than its session. */
type VisitFunctions = Pick<
  Tab,
  | "load"
  | "perform"
  | "onlyRead"
  | "find"
  | "stopped"
  | "refused"
  | "address"
  | "mainFrameId"
  | "usedMs"
  | "forbidsScripts"
  | "couldNotReach"
  | "html"
  | "scrollThrough"
  | "watchChanges"
  | "changes"
  | "source"
  | "requireSameDocument"
>;

const MAX_SCREENSHOT_SIZE = 8_000;
/** For a picture in which secrets are painted over. */
const MAX_COVERED_MS = 10_000;

/** The functions of a tab that need only its session. @param secrets what pictures must not show */
export function tabFunctions(
  session: CDPSession,
  device: Device,
  secrets: () => readonly string[],
): Omit<Tab, keyof VisitFunctions> {
  const evaluate = async (world: number, body: unknown, args: unknown[], returnByValue: boolean) => {
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
    hands: handsOf(session, device),
    hasFrames: async () => {
      const { frameTree } = await session.send("Page.getFrameTree");
      return (frameTree.childFrames ?? []).length > 0;
    },
    createWorld: async (frameId) => {
      const made = await session.send("Page.createIsolatedWorld", { frameId, worldName: WORLD });
      return made.executionContextId;
    },
    runContextScript: async () => {
      // Evaluating anything in the document's own world creates that world and, with it, ours.
      await session.send("Runtime.evaluate", { expression: "0" });
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
    silence: async () => {
      await session.send("Emulation.setScriptExecutionDisabled", { value: true });
      await session.send("Network.emulateNetworkConditions", network({ offline: true }));
    },
    screenshot: async () => {
      const { cssContentSize: size } = await session.send("Page.getLayoutMetrics");
      const bounded = (length: number): number => Math.max(1, Math.min(Math.ceil(length), MAX_SCREENSHOT_SIZE));
      const [width, height] = [bounded(size.width), bounded(size.height)];
      // While the picture is taken the page gets a resize event, on which a script could move elements.
      await session.send("Emulation.setScriptExecutionDisabled", { value: true });
      try {
        const take = async (): Promise<Screenshot> => {
          const { data } = await session.send("Page.captureScreenshot", {
            format: "png",
            captureBeyondViewport: true,
            optimizeForSpeed: true,
            clip: { x: 0, y: 0, width, height, scale: 1 },
          });
          return { png: Buffer.from(data, "base64"), width, height, scale: device.device_scale_factor };
        };
        const values = secrets();
        if (values.length === 0) return await take();
        const { whileCovered } = await import("./masked-picture.ts");
        return await whileCovered(session, { values, hidesFields: false, limitMs: MAX_COVERED_MS }, take);
      } finally {
        await session.send("Emulation.setScriptExecutionDisabled", { value: false });
      }
    },
  };
}

/** Without a limit, if there is one. */
export function network({ offline }: { offline: boolean }): Protocol.Network.EmulateNetworkConditionsRequest {
  return { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
}
