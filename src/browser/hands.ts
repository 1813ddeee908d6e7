import type { CDPSession } from "puppeteer-core";

/** Keys that move the focus, or leave what holds it. */
const keyCodes = { Tab: 9, Escape: 27, ArrowRight: 39, ArrowDown: 40 } as const;
export type HandKey = keyof typeof keyCodes;

const SHIFT = 8;

/** What somebody who uses a page can do with it, besides reading it. Each command may wait for the page's scripts. */
export type Hands = {
  /** Lets the document have the focus, as if its window had it; or ends that. */
  hold(focused: boolean): Promise<void>;
  press(key: HandKey, withShift?: boolean): Promise<void>;
};

export function handsOf(session: CDPSession): Hands {
  return {
    hold: async (enabled) => {
      await session.send("Emulation.setFocusEmulationEnabled", { enabled });
    },
    press: async (key, withShift = false) => {
      const event = {
        ...{ key, code: key, windowsVirtualKeyCode: keyCodes[key] },
        modifiers: withShift ? SHIFT : 0,
      };
      await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...event });
      await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
  };
}
