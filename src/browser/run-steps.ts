import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle, Frame, KeyInput, Page } from "puppeteer-core";
import { errorText } from "../domain/error-text.ts";
import { describeStep, type Selectors, type Step } from "../schema/steps.ts";

/** A step that could not be done. */
export class StepError extends Error {
  /** @param number from 1 */
  constructor(number: number, step: Step, reason: string) {
    super(`Step ${number} (${describeStep(step)}) failed: ${reason}`);
    this.name = "StepError";
  }
}

const STEP_TIMEOUT_MS = 15_000;
const POLL_MS = 100;

type Options = {
  signal: AbortSignal;
  /** What is typed for the value of a step. */
  typedFor: (value: string) => string;
  /** Why the proxy could not request a URL: it responds in place of the server then. */
  failureOf: (url: string) => Error | undefined;
  /** Called after each step. @param number from 1 */
  onDone?: (number: number, step: Step) => Promise<void>;
};

/** Does steps in a page, one after the other. @throws StepError for the first that fails, or the signal's reason */
export async function runSteps(page: Page, steps: readonly Step[], options: Options): Promise<void> {
  try {
    await runInOrder(page, steps, options);
  } finally {
    // A key that stays down would be down in the pages that follow, too.
    const keys = new Set(steps.flatMap((step) => (step.type === "keyDown" ? [step.key as KeyInput] : [])));
    for (const key of keys) await page.keyboard.up(key).catch(() => {});
  }
}

async function runInOrder(page: Page, steps: readonly Step[], options: Options): Promise<void> {
  for (const [index, step] of steps.entries()) {
    options.signal.throwIfAborted();
    const timeout = step.timeout ?? STEP_TIMEOUT_MS;
    try {
      const leaves = step.assertedEvents?.some(({ type }) => type === "navigation") && step.type !== "navigate";
      const left = leaves ? page.waitForNavigation({ timeout, waitUntil: "load" }) : undefined;
      left?.catch(() => {});
      await runStep(page, step, timeout, options);
      await left;
    } catch (error) {
      options.signal.throwIfAborted();
      throw new StepError(index + 1, step, reasonOf(error));
    }
    await options.onDone?.(index + 1, step);
  }
}

/** The first line, without the values that puppeteer may repeat. */
function reasonOf(error: unknown): string {
  if (error instanceof NotThere) return error.message;
  const [line = ""] = errorText(error).split("\n", 1);
  return /timeout|timed out/i.test(line) ? "it took too long" : line.slice(0, 200);
}

class NotThere extends Error {}

async function runStep(
  page: Page,
  step: Step,
  timeout: number,
  { signal, typedFor, failureOf }: Options,
): Promise<void> {
  const find = (where: { selectors: Selectors; frame?: readonly number[] }, visible = true) =>
    findElement(page, where, { visible, timeout, signal });
  switch (step.type) {
    case "navigate":
      await page.goto(step.url, { timeout, waitUntil: "load" }).catch((error: unknown) => {
        throw failureOf(step.url) ?? error;
      });
      if (failureOf(page.url())) throw failureOf(page.url());
      return;
    case "click":
    case "doubleClick":
      return (await find(step)).click({ count: step.type === "click" ? 1 : 2 });
    case "hover":
      return (await find(step)).hover();
    case "change":
      return fillIn(await find(step), typedFor(step.value));
    case "keyDown":
      return page.keyboard.down(step.key as KeyInput);
    case "keyUp":
      return page.keyboard.up(step.key as KeyInput);
    case "scroll":
      return step.selectors === undefined
        ? page.evaluate((x, y) => scrollTo(x, y), step.x ?? 0, step.y ?? 0)
        : (await find({ ...step, selectors: step.selectors })).scrollIntoView();
    case "waitForElement":
      await find(step, step.visible ?? true);
      return;
    case "setViewport":
      return page.setViewport({ width: step.width, height: step.height });
  }
}

/** Chooses an option, or types a text as a person does, so that the page's scripts see it. */
async function fillIn(element: ElementHandle, value: string): Promise<void> {
  const kind = await element.evaluate((node) => `${node.localName} ${node.getAttribute("type") ?? ""}`.toLowerCase());
  if (kind.startsWith("select")) {
    await element.select(value);
    return;
  }
  if (/^input (?:color|date|datetime-local|month|range|time|week)$/.test(kind)) {
    await element.evaluate((node, text) => {
      (node as HTMLInputElement).value = text;
      for (const type of ["input", "change"]) node.dispatchEvent(new Event(type, { bubbles: true }));
    }, value);
    return;
  }
  await element.click({ count: 3 });
  await element.press("Backspace");
  await element.type(value);
}

type Wanted = { visible: boolean; timeout: number; signal: AbortSignal };

/** Waits for the first alternative that is there. */
async function findElement(
  page: Page,
  { selectors, frame = [] }: { selectors: Selectors; frame?: readonly number[] },
  { visible, timeout, signal }: Wanted,
): Promise<ElementHandle> {
  const end = performance.now() + timeout;
  for (;;) {
    signal.throwIfAborted();
    const within = frame.reduce<Frame | undefined>((at, index) => at?.childFrames()[index], page.mainFrame());
    for (const alternative of within ? selectors : []) {
      // A page that is just being replaced has no elements.
      const found = await within?.$(selectorOf(alternative)).catch((error: unknown) => {
        if (/not a valid selector|SyntaxError/i.test(errorText(error)))
          throw new NotThere(`${JSON.stringify(alternative)} is not a selector`);
        return null;
      });
      if (found && (!visible || (await found.isVisible().catch(() => false)))) return found;
    }
    if (performance.now() > end)
      throw new NotThere(
        `no such element was ${visible ? "visible" : "there"} in ${page.url().split("?", 1)[0]} within ${timeout / 1_000} s`,
      );
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Whether an element of a step is visible now. */
export async function isThere(
  page: Page,
  { selectors, frame }: Pick<Extract<Step, { type: "change" }>, "selectors" | "frame">,
): Promise<boolean> {
  const where = { selectors, ...(frame && { frame }) };
  return findElement(page, where, { visible: true, timeout: 0, signal: new AbortController().signal }).then(
    () => true,
    () => false,
  );
}

/** Puppeteer knows the recorder's prefixes, but writes those of lists with the deep combinator. */
function selectorOf(alternative: string | readonly string[]): string {
  const parts = typeof alternative === "string" ? [alternative] : alternative;
  return parts
    .map((part) => part.replace(/^pierce\//, ">>> "))
    .join(" >>> ")
    .replace(/(?:>>> ){2,}/g, ">>> ");
}
