import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle, Frame, KeyInput, Page } from "puppeteer-core";
import { stepAddress, stepText } from "../domain/addresses/shown-address.ts";
import { errorText } from "../domain/error-text.ts";
import { describeStep, type Selectors, type Step } from "../schema/steps.ts";
import { type Before, beforeStep, hasLeft, isReplaced, type StepWatch, untilAnswered } from "./after-step.ts";
import { type Look, lookAt, outOfFrame, shownOf, type Use } from "./usable.ts";

/** A step that could not be done. */
export class StepError extends Error {
  /** @param number from 1 */
  constructor(number: number, step: Step, reason: string) {
    super(`Step ${number} (${describeStep(step)}) failed: ${reason}`);
    this.name = "StepError";
  }
}

/** For an element to be there, and for answers to what a step asks for. */
const STEP_TIMEOUT_MS = 15_000;
/** For an element that may not come. */
const OPTIONAL_TIMEOUT_MS = 3_000;
/** For the page that a step leads to, if the step has no limit of its own. */
const PAGE_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
/** How many elements are looked at of those that match. */
const MAX_LOOKS = 30;
/** How long a heading is not taken for the button that may come. */
const CONTROL_WAIT_MS = 1_000;
const MAX_NAMED = 3;

type Options = {
  signal: AbortSignal;
  waits: StepWatch;
  /** For an element to be there, if the step has no limit of its own, in ms. */
  timeout?: number;
  /** What is typed for the value of a step. */
  typedFor: (value: string) => string;
  /** Why nothing may be typed into the document of a URL, if that is so. */
  mayNotType?: (url: string) => string | undefined;
  /** Why the proxy could not request a URL: it responds in place of the server then. */
  failureOf: (url: string) => Error | undefined;
  /** Called after each step. @param number from 1 */
  onDone?: (number: number, step: Step) => Promise<void>;
};

export type StepsDone = {
  /** The steps that may be left out and were, with the reason of each. */
  passedBy: string[];
  /** What is odd about the last element that was pressed, as a sentence; "" for nothing. */
  hint: () => Promise<string>;
};

/** Does steps in a page, one after the other. @throws StepError for the first that fails, or the signal's reason */
export async function runSteps(page: Page, steps: readonly Step[], options: Options): Promise<StepsDone> {
  const { signal } = options;
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const end = () => ended.reject(signal.reason);
  signal.addEventListener("abort", end);
  const work = runInOrder(page, steps, options);
  // A page may never answer.
  work.catch(() => {});
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
    // A key that stays down would be down in the pages that follow, too.
    const keys = new Set(steps.flatMap((step) => (step.type === "keyDown" ? [step.key as KeyInput] : [])));
    for (const key of keys) await page.keyboard.up(key).catch(() => {});
  }
}

/** What is known of the steps that were done. */
type Course = {
  typed: Set<string>;
  passedBy: string[];
  /** What was pressed last. */
  pressed: Pressed | undefined;
  hint(): Promise<string>;
};

async function runInOrder(page: Page, steps: readonly Step[], options: Options): Promise<StepsDone> {
  const course: Course = {
    typed: new Set(),
    passedBy: [],
    pressed: undefined,
    // What a page shows may be what was typed.
    hint: async () => masked(await oddityOf(page, options.waits, course.pressed), course.typed),
  };
  const typedFor = (value: string): string => {
    const text = options.typedFor(value);
    course.typed.add(text);
    return text;
  };
  for (const [index, step] of steps.entries()) {
    options.signal.throwIfAborted();
    await doStep(page, { step, number: index + 1, course, options: { ...options, typedFor } });
    await options.onDone?.(index + 1, step);
  }
  return course;
}

type Doing = { step: Step; number: number; course: Course; options: Options };

/** Does a step, and waits for what it has started; an optional one may be impossible. @throws StepError */
async function doStep(page: Page, { step, number, course, options }: Doing): Promise<void> {
  const { waits, failureOf } = options;
  const usual = step.optional ? OPTIONAL_TIMEOUT_MS : (options.timeout ?? STEP_TIMEOUT_MS);
  const before = beforeStep(waits);
  const isPress = step.type === "click" || step.type === "doubleClick";
  const shown = isPress && !step.frame?.length ? await shownBy(page) : undefined;
  const address = page.url();
  let isDone = false;
  try {
    const used = await runStep(page, step, step.timeout ?? usual, options);
    isDone = true;
    if (isPress && used) course.pressed = { ...used, number, shown, before };
    if (step.type !== "waitForElement") await awaitAnswers(step, options, before, () => page.url() !== address);
    const failure = failureOf(page.url());
    if (failure) throw failure;
  } catch (error) {
    options.signal.throwIfAborted();
    const reason = masked(reasonOf(error), course.typed);
    if (!step.optional || isDone || error instanceof WrongStep) {
      const hint = isDone ? "" : await course.hint();
      throw new StepError(number, step, [reason, hint, ...course.passedBy].filter((text) => text !== "").join(". "));
    }
    course.passedBy.push(`Step ${number} (${describeStep(step)}) was passed by: ${reason}`);
  }
}

/**
 * Waits for what a step has started.
 *
 * @param isElsewhere whether the page has another address by now, as applications give themselves
 * @throws NotThere for a page that has not come
 */
async function awaitAnswers(
  step: Step,
  { waits, timeout }: Options,
  before: Before,
  isElsewhere: () => boolean,
): Promise<void> {
  const answer = step.timeout ?? Math.max(timeout ?? 0, STEP_TIMEOUT_MS);
  const limits = { page: step.timeout ?? PAGE_TIMEOUT_MS, answer };
  const missing = await untilAnswered(waits, before, limits);
  if (missing?.what === "page")
    throw new NotThere(
      `the page that it leads to (${stepAddress(missing.url)}) had not come after ${limits.page / 1_000} s`,
    );
  const isAsserted = step.assertedEvents?.some(({ type }) => type === "navigation") && step.type !== "navigate";
  if (!isAsserted || missing || hasLeft(waits, before) || isElsewhere()) return;
  const end = waits.now() + answer;
  while (!hasLeft(waits, before) && !isElsewhere()) {
    if (waits.now() > end)
      throw new NotThere(
        `another page was to come (assertedEvents), but none had begun to come after ${answer / 1_000} s`,
      );
    await waits.watch.changes(POLL_MS);
  }
  await untilAnswered(waits, before, limits);
}

/** The first line, without the values that puppeteer may repeat. */
function reasonOf(error: unknown): string {
  if (error instanceof NotThere) return error.message;
  if (isReplaced(error)) return "the page was replaced by another one while it was done";
  const [line = ""] = errorText(error).split("\n", 1);
  return /timeout|timed out/i.test(line) ? "it took too long" : stepText(line).slice(0, 200);
}

function masked(text: string, typed: ReadonlySet<string>): string {
  const values = [...typed].filter((value) => value.length > 1).sort((a, b) => b.length - a.length);
  return values.reduce((said, value) => said.replaceAll(value, "…"), text);
}

class NotThere extends Error {}
/** Something covers the frame that an element is in, or it cannot be brought into the window. */
class FrameCovered extends NotThere {}
/** A step that could never be done. */
class WrongStep extends NotThere {}

type Where = { selectors: Selectors; frame?: readonly number[] };

/** An element that was used, and what else matched. */
type Used = { look: Look; others: Look[] };
/** @property shown what the page showed before; undefined where it could not be read */
type Pressed = Used & { number: number; shown: number | undefined; before: Before };

async function runStep(page: Page, step: Step, timeout: number, options: Options): Promise<Used | undefined> {
  const { typedFor, failureOf, mayNotType = () => undefined } = options;
  /** Finds an element and uses it; again if the page is replaced before it is used, or its frame is covered. */
  const use = async (where: Where, how: Use, action: (found: Found) => Promise<unknown>): Promise<Used> => {
    const end = options.waits.now() + timeout;
    const offset = "offset" in step ? step.offset : undefined;
    for (;;) {
      const left = Math.max(0, end - options.waits.now());
      const found = await findElement(page, where, { ...options, use: how, limitMs: left, timeout, offset });
      try {
        await action(found);
        return found;
      } catch (error) {
        if (!(isReplaced(error) || error instanceof FrameCovered) || options.waits.now() > end) throw error;
        await sleep(POLL_MS, undefined, { signal: options.signal });
      }
    }
  };
  switch (step.type) {
    case "navigate":
      await page.goto(step.url, { timeout: step.timeout ?? PAGE_TIMEOUT_MS, waitUntil: "load" }).catch((error) => {
        throw failureOf(step.url) ?? error;
      });
      return undefined;
    case "click":
    case "doubleClick":
      return use(step, "press", async (found) => {
        const { x, y } = await placeInPage(found);
        const { button = "left", duration = 0 } = step;
        await page.mouse.click(x, y, { count: step.type === "click" ? 1 : 2, button, delay: duration });
      });
    case "hover":
      return use(step, "point", async (found) => {
        const { x, y } = await placeInPage(found);
        await page.mouse.move(x, y);
      });
    case "change":
      return use(step, "fill", async (found) => {
        requireTyping(found.element.frame, mayNotType);
        const press = async (count: number) => {
          const { x, y } = await placeInPage(found);
          await page.mouse.click(x, y, { count });
        };
        await fillIn(found.element, typedFor(step.value), press);
      });
    case "keyDown":
      for (const frame of await focusedFrames(page)) requireTyping(frame, mayNotType);
      await page.keyboard.down(step.key as KeyInput);
      return undefined;
    case "keyUp":
      await page.keyboard.up(step.key as KeyInput);
      return undefined;
    case "scroll": {
      const { selectors, x, y } = step;
      if (selectors === undefined) {
        await page.evaluate((left, top) => scrollTo(left, top), x ?? 0, y ?? 0);
        return undefined;
      }
      return use({ ...step, selectors }, "see", async ({ element }) => {
        await element.scrollIntoView();
        if (x !== undefined || y !== undefined)
          await element.evaluate((node, left, top) => node.scrollTo(left, top), x ?? 0, y ?? 0);
      });
    }
    case "waitForElement":
      await waitFor(page, step, { ...options, timeout });
      return undefined;
    case "setViewport":
      await page.setViewport({ width: step.width, height: step.height });
      return undefined;
  }
}

/** Waits until as many elements are there as the step says. */
async function waitFor(
  page: Page,
  step: Extract<Step, { type: "waitForElement" }>,
  { timeout = STEP_TIMEOUT_MS, signal, waits }: Options,
): Promise<void> {
  const { visible = true, count = 1, operator = ">=", attributes = {} } = step;
  const end = waits.now() + timeout;
  const wanted = Object.entries(attributes);
  const isEnough = (found: number) =>
    operator === ">=" ? found >= count : operator === "<=" ? found <= count : found === count;
  for (;;) {
    signal.throwIfAborted();
    let most = 0;
    for (const selector of step.selectors) {
      const found = await matches(page, step.frame, selector);
      const looks = visible ? await look(found, "see", null, undefined) : [];
      const kept = await Promise.all(
        found.handles.map(async (handle, index) => {
          if (visible && looks[index]?.fault !== "") return false;
          if (wanted.length === 0) return true;
          return handle
            .evaluate((node, pairs) => pairs.every(([name, value]) => node.getAttribute(name) === value), wanted)
            .catch(() => false);
        }),
      );
      most = Math.max(most, kept.filter(Boolean).length);
      dispose(found.handles);
    }
    if (isEnough(most)) return;
    if (waits.now() > end) {
      const number = operator === ">=" && count === 1 ? "" : ` (${most} instead of ${operator} ${count})`;
      throw new NotThere(
        `no such element was ${visible ? "visible" : "there"}${number} in ${stepAddress(page.url())} within ${timeout / 1_000} s`,
      );
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Where an element is used in the page, whose window the frames around it are brought into. @throws FrameCovered */
async function placeInPage({ element, look: { name, at } }: Found): Promise<{ x: number; y: number }> {
  let place = at;
  for (let frame = element.frame; frame.parentFrame(); frame = frame.parentFrame() ?? frame) {
    const around = await frame.frameElement();
    if (!around) break;
    const next = await around.evaluate(outOfFrame, place);
    dispose([around]);
    if (typeof next === "string") throw new FrameCovered(`${name} ${next}`);
    place = next;
  }
  return place;
}

/** @throws NotThere where nothing may be typed. Of frames without an address only `srcdoc` is of the document around it. */
function requireTyping(frame: Frame, mayNotType: (url: string) => string | undefined): void {
  let at: Frame | null = frame;
  while (at?.url() === "about:srcdoc") at = at.parentFrame();
  const reason = mayNotType((at ?? frame).url());
  if (reason !== undefined) throw new NotThere(reason);
}

/** The frames that the keyboard reaches: the page, and each frame that the one before says is focused. */
async function focusedFrames(page: Page): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (let frame: Frame | null = page.mainFrame(); frame && !frames.includes(frame); ) {
    frames.push(frame);
    const handle = await frame.evaluateHandle(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element;
    });
    const focused = handle.asElement() as ElementHandle | null;
    frame = focused ? await focused.contentFrame() : null;
  }
  return frames;
}

/** Chooses an option, or types a text as a person does, so that the page's scripts see it. */
async function fillIn(element: ElementHandle, value: string, press: (count: number) => Promise<void>): Promise<void> {
  const kind = await element.evaluate((node) => `${node.localName} ${node.getAttribute("type") ?? ""}`.toLowerCase());
  if (kind.startsWith("select")) {
    await element.select(value);
    return;
  }
  if (/^input (?:checkbox|radio)$/.test(kind)) {
    const isOn = await element.evaluate((node) => (node as HTMLInputElement).checked);
    if (isOn !== !/^(?:|false|off|no|0)$/i.test(value)) await press(1);
    return;
  }
  if (/^input (?:color|date|datetime-local|month|range|time|week)$/.test(kind)) {
    await element.evaluate((node, text) => {
      (node as HTMLInputElement).value = text;
      for (const type of ["input", "change"]) node.dispatchEvent(new Event(type, { bubbles: true }));
    }, value);
    return;
  }
  await press(3);
  await element.press("Backspace");
  await element.type(value);
}

type Found = Used & { element: ElementHandle };
type Wanted = Pick<Options, "signal" | "waits"> & {
  use: Use;
  /** How long to look for it still, and how long in all. */
  limitMs: number;
  timeout: number;
  offset: { x: number; y: number } | undefined;
};

type Candidate = { element: ElementHandle; look: Look; of: Look[] };

/** Waits for the first element that can be used: of all that match, and of the alternatives in their order. */
async function findElement(page: Page, where: Where, wanted: Wanted): Promise<Found> {
  const { signal, waits, use, limitMs, timeout, offset } = wanted;
  const start = waits.now();
  for (;;) {
    signal.throwIfAborted();
    const waitedMs = waits.now() - start;
    const isOver = waitedMs > limitMs;
    const { best, spare, seen, handles } = await lookAtAll(page, where, wanted, waitedMs);
    const taken = best ?? (isOver ? spare : undefined);
    // Looking at the others may have scrolled it away.
    const again = taken && seen.length > 1 && use !== "see" ? await lookAgain(taken, use, offset) : taken;
    const isReady = again && (again.look.fault === "" || (isOver && isUsedAtLast(again.look)));
    dispose(handles.filter((handle) => !isReady || handle !== again.element));
    if (isReady) {
      const { element, look: one, of } = again;
      return { element, look: one, others: of.filter((other) => other !== one) };
    }
    if (isOver) {
      const last = seen.map((one) => (again && one === taken?.look ? again.look : one));
      throw new NotThere(notUsable(last, page.url(), timeout));
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** @property spare what is used when the time is over */
type Seen = { best: Candidate | undefined; spare: Candidate | undefined; seen: Look[]; handles: ElementHandle[] };

async function lookAtAll(page: Page, where: Where, { use, offset }: Wanted, waitedMs: number): Promise<Seen> {
  const all: Seen = { best: undefined, spare: undefined, seen: [], handles: [] };
  for (const selector of where.selectors) {
    const found = await matches(page, where.frame, selector, use === "fill");
    const looks = await look(found, use, textOf(selector), offset);
    all.seen.push(...looks);
    all.handles.push(...found.handles);
    const candidates = looks.flatMap((one, index): Candidate[] => {
      const element = found.handles[index];
      return element ? [{ element, look: one, of: looks }] : [];
    });
    const usable = candidates.filter((one) => one.look.fault === "").sort(byUse);
    const [first] = usable;
    const isAwaited = looks.some((one) => one.isControl && one.fault !== "" && !one.isHidden);
    const mayCome = textOf(selector) !== null && waitedMs < CONTROL_WAIT_MS;
    if (first && (first.look.isControl || use !== "press" || !(isAwaited || mayCome))) return { ...all, best: first };
    all.spare ??= first ?? candidates.filter((one) => isUsedAtLast(one.look)).sort(byUse)[0];
  }
  return all;
}

/** What moves, or only says that it is disabled, is used when the time is over. */
function isUsedAtLast({ fault }: Look): boolean {
  return /^(?:moves|says)/.test(fault);
}

async function lookAgain(candidate: Candidate, use: Use, offset: Wanted["offset"]): Promise<Candidate | undefined> {
  const { element, look: before, of } = candidate;
  const [now] = await look({ frame: element.frame, handles: [element] }, use, null, offset);
  if (!now) return undefined;
  // Whether its text is the one that was looked for is known.
  const again = { ...now, isExact: before.isExact };
  return { element, look: again, of: of.map((one) => (one === before ? again : one)) };
}

/** Whether an element of a step is visible now. */
export async function isThere(
  page: Page,
  { selectors, frame }: Pick<Extract<Step, { type: "change" }>, "selectors" | "frame">,
): Promise<boolean> {
  for (const selector of selectors) {
    const found = await matches(page, frame, selector, true);
    const looks = await look(found, "see", null, undefined);
    dispose(found.handles);
    if (looks.some(({ fault }) => fault === "")) return true;
  }
  return false;
}

/**
 * What is seen first, of that controls, of these the one whose whole text was looked for, and of these the one of the form that
 * was just filled in: the header of many pages has a link, or a form to search, like it. Otherwise as they are in the document.
 */
function byUse(one: Candidate, other: Candidate): number {
  const rank = ({ look: { isClear, isControl, isExact, isNear } }: Candidate) =>
    (isClear ? 8 : 0) + (isControl ? 0 : 4) + (isExact ? 0 : 2) + (isNear ? 0 : 1);
  return rank(one) - rank(other);
}

function notUsable(seen: readonly Look[], url: string, timeout: number): string {
  const where = `in ${stepAddress(url)} within ${timeout / 1_000} s`;
  if (seen.length === 0) return `no such element was visible ${where}`;
  const named = listOf(seen);
  return `no such element could be used ${where}: ${named}`;
}

function listOf(looks: readonly Look[]): string {
  const texts = [...new Set(looks.map(({ name, fault }) => (fault === "" ? name : `${name} ${fault}`)))];
  const rest = texts.length > MAX_NAMED ? `, and ${texts.length - MAX_NAMED} more` : "";
  return `${texts.slice(0, MAX_NAMED).join(", ")}${rest}`;
}

/** What is odd about what was pressed, in a sentence: no control, or nothing has changed since. */
async function oddityOf(page: Page, waits: StepWatch, pressed: Pressed | undefined): Promise<string> {
  if (!pressed) return "";
  const { look: one, others, number, shown, before } = pressed;
  const isSame = shown !== undefined && !hasLeft(waits, before) && (await shownBy(page)) === shown;
  if (one.isControl && !isSame) return "";
  const what = [...(one.isControl ? [] : ["is no control"]), ...(isSame ? ["changed nothing"] : [])].join(" and ");
  const also = others.length > 0 ? `. What matches as well: ${listOf(others)}` : "";
  return `What step ${number} clicked, ${one.name}, ${what}${also}`;
}

/** @returns undefined while the page is being replaced */
async function shownBy(page: Page): Promise<number | undefined> {
  return page.evaluate(shownOf, false).catch(() => undefined);
}

type Matches = { frame: Frame | undefined; handles: ElementHandle[] };

/** What matches a selector. A page that is just being replaced has no elements. @throws WrongStep */
async function matches(
  page: Page,
  frame: readonly number[] = [],
  selector: string | readonly string[],
  ofLabels = false,
): Promise<Matches> {
  const within = frame.reduce<Frame | undefined>((at, index) => at?.childFrames()[index], page.mainFrame());
  try {
    const handles = (await within?.$$(selectorOf(selector))) ?? [];
    dispose(handles.slice(MAX_LOOKS));
    const kept = handles.slice(0, MAX_LOOKS);
    return { frame: within, handles: ofLabels ? await Promise.all(kept.map(labelled)) : kept };
  } catch (error) {
    if (/not a valid selector|SyntaxError/i.test(errorText(error)))
      throw new WrongStep(`${JSON.stringify(selector)} is not a selector`);
    if (!isReplaced(error)) throw error;
    return { frame: within, handles: [] };
  }
}

/** The field of a label. */
async function labelled(handle: ElementHandle): Promise<ElementHandle> {
  const field = await handle.evaluateHandle((node) => (node instanceof HTMLLabelElement && node.control) || node);
  return field as ElementHandle;
}

async function look(
  { frame, handles }: Matches,
  use: Use,
  text: string | null,
  offset: { x: number; y: number } | undefined,
): Promise<Look[]> {
  if (!frame || handles.length === 0) return [];
  return frame.evaluate(lookAt, use, text, offset ?? null, ...handles).catch((error: unknown) => {
    if (isReplaced(error)) return [];
    throw error;
  });
}

function dispose(handles: readonly ElementHandle[]): void {
  for (const handle of handles) void handle.dispose().catch(() => {});
}

/** The text that a selector looks for. */
function textOf(selector: string | readonly string[]): string | null {
  const last = typeof selector === "string" ? selector : (selector.at(-1) ?? "");
  return (
    /^(?:text|aria)\/(.*)$/s
      .exec(last)?.[1]
      ?.replace(/\[role=.*\]$/, "")
      .trim() ?? null
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
