import type { CDPSession } from "puppeteer-core";
import type { Pixels } from "../domain/acting/pictures.ts";
import type { Device } from "./devices.ts";
import { readPng } from "./read-png.ts";

/** Keys that move the focus, leave what holds it, or choose. */
const keyCodes = { Tab: 9, Escape: 27, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Space: 32, Enter: 13 } as const;
export type HandKey = keyof typeof keyCodes;

const SHIFT = 8;

/** What somebody who uses a page can do with it, besides reading it. Each command may wait for the page's scripts. */
export type Hands = {
  /** Lets the document have the focus, as if its window had it. */
  hold(): Promise<void>;
  press(key: HandKey, withShift?: boolean): Promise<void>;
  /** Moves the mouse to a place in the window, in CSS pixels; nothing is pressed. */
  pointAt(x: number, y: number): Promise<void>;
  /** How often the page wanted to go elsewhere, or to open a window, since this was asked last. */
  takeLeaving(): number;
  /** What the window shows, as the text of a picture: equal texts are equal pictures. */
  picture(): Promise<string>;
  /**
   * The pixels of a part of the document, in CSS pixels from its upper left corner.
   *
   * @param beyond also of what the window does not show: no script of the page runs meanwhile
   */
  pixels(part: { x: number; y: number; width: number; height: number }, beyond?: boolean): Promise<Pixels>;
  /** The bytes of a file that the page has loaded; nothing is requested. Undefined for what is there no more. */
  loaded(frameId: string, url: string): Promise<Uint8Array | undefined>;
  /** Gives the window another size, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** Undoes what a page cannot: focus, size, and what styles need. */
  rest(): Promise<void>;
  /** Adds a style sheet to a frame. @returns what removes it */
  addStyle(frameId: string, css: string): Promise<() => Promise<void>>;
  /** Lets the page's clock run so many ms at once, in which its timers fire; then the clock stands still, for good. */
  advance(ms: number): Promise<void>;
  /** Whether the clock stands still, so that nothing can be loaded any more. */
  isSpent(): boolean;
  /**
   * Calls a function in the main document's world with the elements that somebody can click: links, controls, and those
   * whose clicks a script listens to. Its result is JSON.
   */
  callOnClickable<Result>(world: number, body: (...elements: Element[]) => Result, max: number): Promise<Result>;
};

/** What a page does that would take its reader elsewhere: the visit does not let it. */
const leavingEvents = ["Page.frameRequestedNavigation", "Page.windowOpen"] as const;

/** Gives the window the size of the device's. */
export async function emulateScreen(session: CDPSession, device: Device): Promise<void> {
  const orientation = device.is_landscape
    ? ({ type: "landscapePrimary", angle: 90 } as const)
    : ({ type: "portraitPrimary", angle: 0 } as const);
  await session.send("Emulation.setDeviceMetricsOverride", {
    width: device.width,
    height: device.height,
    deviceScaleFactor: device.device_scale_factor,
    mobile: device.is_mobile,
    ...(device.is_mobile ? { screenOrientation: orientation } : {}),
  });
}

export function handsOf(session: CDPSession, device: Device): Hands {
  let isHeld = false;
  let isResized = false;
  let isStyled = false;
  let isSpent = false;
  let leaving = 0;
  const leave = (): void => {
    leaving += 1;
  };
  return {
    hold: async () => {
      if (!isHeld) for (const event of leavingEvents) session.on(event, leave);
      isHeld = true;
      await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    },
    takeLeaving: () => {
      const count = leaving;
      leaving = 0;
      return count;
    },
    rest: async () => {
      for (const event of leavingEvents) session.off(event, leave);
      if (isHeld) await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
      if (isResized) await emulateScreen(session, device);
      // A style sheet goes with its document.
      if (isStyled) await Promise.all([session.send("CSS.disable"), session.send("DOM.disable")]);
      isHeld = false;
      isResized = false;
      isStyled = false;
    },
    press: async (key, withShift = false) => {
      const event = {
        ...{ key: key === "Space" ? " " : key, code: key, windowsVirtualKeyCode: keyCodes[key] },
        modifiers: withShift ? SHIFT : 0,
      };
      // A key without a character presses no link, and no button by Enter.
      const down = key === "Enter" ? ({ type: "keyDown", text: "\r" } as const) : ({ type: "rawKeyDown" } as const);
      await session.send("Input.dispatchKeyEvent", { ...down, ...event });
      await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
    pointAt: async (x, y) => {
      await session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y, pointerType: "mouse" });
    },
    picture: async () => {
      const { data } = await session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
      return data;
    },
    pixels: async (part, beyond = false) => {
      const take = async () => {
        const options = { format: "png", optimizeForSpeed: true, clip: { ...part, scale: 1 } } as const;
        const { data } = await session.send("Page.captureScreenshot", { ...options, captureBeyondViewport: beyond });
        return readPng(Buffer.from(data, "base64"));
      };
      if (!beyond) return take();
      // The page gets a resize event, on which a script could move elements.
      await session.send("Emulation.setScriptExecutionDisabled", { value: true });
      try {
        return await take();
      } finally {
        await session.send("Emulation.setScriptExecutionDisabled", { value: false });
      }
    },
    loaded: async (frameId, url) => {
      try {
        const { content, base64Encoded } = await session.send("Page.getResourceContent", { frameId, url });
        return Buffer.from(content, base64Encoded ? "base64" : "latin1");
      } catch {
        return undefined;
      }
    },
    resize: async (width, height) => {
      isResized = true;
      await emulateScreen(session, { ...device, width, height, is_mobile: false, device_scale_factor: 1 });
    },
    addStyle: async (frameId, css) => {
      isStyled = true;
      await session.send("DOM.enable");
      await session.send("CSS.enable");
      const { styleSheetId } = await session.send("CSS.createStyleSheet", { frameId });
      await session.send("CSS.setStyleSheetText", { styleSheetId, text: css });
      return async () => {
        await session.send("CSS.setStyleSheetText", { styleSheetId, text: "" });
      };
    },
    isSpent: () => isSpent,
    advance: async (ms) => {
      isSpent = true;
      const over = new Promise((resolve) => session.once("Emulation.virtualTimeBudgetExpired", resolve));
      await session.send("Emulation.setVirtualTimePolicy", {
        policy: "pauseIfNetworkFetchesPending",
        budget: ms,
        // Tasks without end must not keep the clock from going on.
        maxVirtualTimeTaskStarvationCount: 200,
      });
      await over;
    },
    callOnClickable: async (world, body, max) => {
      const { documents } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
      const { isClickable, backendNodeId = [] } = documents[0]?.nodes ?? {};
      const nodes = (isClickable?.index ?? []).slice(0, max).map((index) => backendNodeId[index] ?? 0);
      const resolved = await Promise.all(
        nodes.map((node) =>
          session.send("DOM.resolveNode", { backendNodeId: node, executionContextId: world }).then(
            ({ object }) => [{ objectId: object.objectId ?? "" }],
            // It is gone since.
            () => [],
          ),
        ),
      );
      const { result, exceptionDetails } = await session.send("Runtime.callFunctionOn", {
        functionDeclaration: `function (...nodes) { return (${body})(...nodes.filter((node) => node instanceof Element)); }`,
        executionContextId: world,
        arguments: resolved.flat(),
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
  };
}
