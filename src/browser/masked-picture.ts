import type { CDPSession, Page, Protocol } from "puppeteer-core";
import { within } from "../time/within.ts";
import { WORLD } from "./world.ts";

/** Of a picture of a page; larger ones are not kept. */
export const MAX_PICTURE_BYTES = 1_000_000;
const MAX_SIDE = 2_000;

/**
 * A picture of what a page shows, without what was typed: fields are empty, and where the page repeats a value there are
 * dots. The page is not used afterwards.
 *
 * @param typed values that were typed
 * @returns PNG; undefined for one that is too large, or that may show what was typed
 */
export async function maskedPicture(page: Page, typed: ReadonlySet<string>): Promise<Buffer | undefined> {
  const session = await page.createCDPSession();
  // No script may put a value back.
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  // One after the other: what is masked in a document may open a frame of it again.
  for (const frame of await framesOf(session)) {
    const opened = [await openFrame(session, frame)];
    if (!(await inAll(session, opened, `(${mask})(${JSON.stringify(longestFirst(typed))})`))) return undefined;
  }
  return capture(session);
}

/**
 * The same of a page that goes on: its scripts run meanwhile, and nothing of it is changed but how it is painted. Fields are
 * left out, and so is what repeats a value.
 *
 * @param limitMs for the picture; what was done to the page is undone in any case
 * @returns PNG; undefined for one that is too large, takes too long, or may show what was typed
 * @throws Error when it is not sure that the page is as it was
 */
export async function coveredPicture(
  page: Page,
  typed: ReadonlySet<string>,
  limitMs: number,
): Promise<Buffer | undefined> {
  const session = await page.createCDPSession();
  try {
    const frames: OpenFrame[] = [];
    for (const frame of await framesOf(session)) frames.push(await openFrame(session, frame));
    let isOver = false;
    const take = async (): Promise<Buffer | undefined> => {
      // One after the other: no frame is covered any more when the time is over.
      for (const frame of frames)
        if (isOver || !(await inAll(session, [frame], `(${cover})(${JSON.stringify(longestFirst(typed))})`)))
          return undefined;
      const picture = await capture(session);
      // A script may have shown a value meanwhile, or a frame that is not covered.
      const isWhole = (await inAll(session, frames, "covering.isWhole()")) && isSame(frames, await framesOf(session));
      return isWhole ? picture : undefined;
    };
    try {
      return await within(limitMs, take(), undefined);
    } catch {
      // The page has been left meanwhile.
      return undefined;
    } finally {
      isOver = true;
      await undo(session, frames);
    }
  } finally {
    await session.detach().catch(() => {});
  }
}

/** Frames that are not there any more need nothing. */
async function undo(session: CDPSession, frames: readonly OpenFrame[]): Promise<void> {
  const left = await Promise.all(
    frames.map((frame) =>
      inAll(session, [frame], 'typeof covering === "undefined" || covering.undo()').catch(() => undefined),
    ),
  );
  const now = await framesOf(session).catch(() => []);
  const stays = frames.some((frame, index) => left[index] !== true && now.some((one) => isFrame(one, frame)));
  if (stays) throw new Error("The page is covered for a picture, and cannot be uncovered.");
}

/** Longest first: one value may be a part of another. A single letter, such as a choice, is in every text. */
function longestFirst(typed: ReadonlySet<string>): string[] {
  return [...typed].filter((value) => value.trim().length > 1).sort((a, b) => b.length - a.length);
}

/** A document in a frame. */
type LoadedFrame = Pick<Protocol.Page.Frame, "id" | "loaderId">;
type OpenFrame = LoadedFrame & { contextId: number };

async function framesOf(session: CDPSession): Promise<LoadedFrame[]> {
  const { frameTree } = await session.send("Page.getFrameTree");
  return framesIn(frameTree);
}

/** Frames of other sites are in the process of their page, and in its tree. */
function framesIn({ frame, childFrames = [] }: Protocol.Page.FrameTree): LoadedFrame[] {
  return [frame, ...childFrames.flatMap(framesIn)];
}

/** With a world of our own, whose prototypes the page has not changed. */
async function openFrame(session: CDPSession, { id, loaderId }: LoadedFrame): Promise<OpenFrame> {
  const world = await session.send("Page.createIsolatedWorld", { frameId: id, worldName: WORLD });
  return { id, loaderId, contextId: world.executionContextId };
}

function isFrame(one: LoadedFrame, other: LoadedFrame): boolean {
  return one.id === other.id && one.loaderId === other.loaderId;
}

function isSame(before: readonly LoadedFrame[], after: readonly LoadedFrame[]): boolean {
  return before.length === after.length && after.every((one) => before.some((other) => isFrame(one, other)));
}

/** Whether an expression is true in all frames. What cannot be masked is not shown. */
async function inAll(session: CDPSession, frames: readonly OpenFrame[], expression: string): Promise<boolean> {
  for (const { contextId } of frames) {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", { expression, contextId });
    if (exceptionDetails || result.value !== true) return false;
  }
  return true;
}

/** @returns undefined, too, where something is in a closed shadow root: nothing of ours sees what is in it */
async function capture(session: CDPSession): Promise<Buffer | undefined> {
  const { documents, strings } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  const types = documents.flatMap(({ nodes }) => nodes.shadowRootType?.value ?? []);
  if (types.some((type) => strings[type] === "closed")) return undefined;
  const { cssVisualViewport: view } = await session.send("Page.getLayoutMetrics");
  const [width, height] = [view.clientWidth, view.clientHeight].map((side) => Math.max(1, Math.min(side, MAX_SIDE)));
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    clip: { x: view.pageX, y: view.pageY, width: width ?? 1, height: height ?? 1, scale: 1 },
  });
  const picture = Buffer.from(data, "base64");
  return picture.length <= MAX_PICTURE_BYTES ? picture : undefined;
}

/** Runs in the page, which is not used afterwards. */
function mask(values: readonly string[]): true {
  const masked = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, "•••"), text);
  const style = (element: HTMLElement, styles: Record<string, string>): void => {
    // What changes slowly would still be seen.
    for (const [name, value] of Object.entries({ transition: "none", animation: "none", ...styles }))
      element.style.setProperty(name, value, "important");
  };
  const maskField = (field: HTMLElement): void => {
    field.removeAttribute("placeholder");
    if (field.matches("select")) style(field, { opacity: "0" });
    style(field, { color: "transparent", "-webkit-text-fill-color": "transparent", "text-shadow": "none" });
    // What a button says is masked like any attribute.
    if (!field.matches("select, [type=submit], [type=button], [type=reset], [type=checkbox], [type=radio]"))
      (field as HTMLInputElement).value = "";
  };
  const maskElement = (element: Element): void => {
    for (const { name, value } of element.attributes)
      if (masked(value) !== value) element.setAttribute(name, masked(value));
    if (element.shadowRoot) maskIn(element.shadowRoot);
  };
  const maskIn = (root: Document | ShadowRoot): void => {
    for (const field of root.querySelectorAll<HTMLElement>("input, textarea, select")) maskField(field);
    // What is drawn or edited has no text that could be masked.
    for (const drawn of root.querySelectorAll<HTMLElement>("canvas, video, object, embed, [contenteditable]"))
      style(drawn, { visibility: "hidden", opacity: "0" });
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = node.nodeValue ?? "";
      if (masked(text) !== text) node.nodeValue = masked(text);
    }
    for (const element of root.querySelectorAll("*")) maskElement(element);
  };
  maskIn(document);
  return true;
}

/**
 * Runs in the page, which goes on: no node, attribute, value, focus or selection changes. Style sheets that are added make
 * fields invisible, and paint over texts that repeat a value.
 *
 * @returns whether all is covered; `covering` tells it again, and takes the style sheets away
 */
function cover(values: readonly string[]): boolean {
  const HIDDEN = "input, textarea, select, canvas, video, object, embed, [contenteditable]";
  const NAME = "site-validator-typed";
  const shows = (text: string | null): boolean => text !== null && values.some((value) => text.includes(value));
  const sheets = new Map<Document | ShadowRoot, CSSStyleSheet>();
  Object.assign(globalThis, { covering: { isWhole, undo } });

  const ranges: Range[] = [];
  for (const root of allRoots()) {
    for (const text of textsIn(root)) if (shows(text.nodeValue)) ranges.push(rangeOf(text));
    const sheet = new CSSStyleSheet();
    // In a layer, what is important is stronger than all without one; and what changes slowly would still be seen.
    sheet.replaceSync(`@layer site-validator {
      ${HIDDEN} { opacity: 0 !important; transition: none !important; }
      ::highlight(${NAME}) { color: transparent !important; -webkit-text-fill-color: transparent !important;
        -webkit-text-stroke-color: transparent !important; text-shadow: none !important; background-color: #888 !important; }
    }`);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    sheets.set(root, sheet);
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
  return isWhole();

  function rootsIn(root: Document | ShadowRoot): (Document | ShadowRoot)[] {
    const inside = [...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? rootsIn(shadowRoot) : []));
    return [root, ...inside];
  }
  function allRoots(): (Document | ShadowRoot)[] {
    return rootsIn(document);
  }
  function textsIn(root: Document | ShadowRoot): Node[] {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Node[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node);
    return texts;
  }
  function rangeOf(text: Node): Range {
    const range = document.createRange();
    range.selectNodeContents(text);
    return range;
  }
  /** What is beside texts: a style sheet may paint attributes; images without a picture have a text. */
  function paints(element: Element): boolean {
    const content = ["::before", "::after", "::marker"].map((part) => getComputedStyle(element, part).content);
    return content.some(shows) || (element.matches("img") && shows(element.getAttribute("alt")));
  }
  /** A text that is the shape of a background is seen whatever its colour is; one of an image is not painted over. */
  function isPaintedOver(text: Node): boolean {
    for (let at = text.parentElement; at; at = at.parentElement)
      if (at.localName === "svg" || getComputedStyle(at).backgroundClip.includes("text")) return false;
    return true;
  }
  function isWhole(): boolean {
    // The range of a text that was written again has no characters.
    const whole = [...(CSS.highlights.get(NAME) ?? [])].filter(
      ({ startContainer, endOffset }) => endOffset === startContainer.nodeValue?.length,
    );
    const covered = new Set(whole.map(({ startContainer }) => startContainer));
    return allRoots().every((root) => {
      const sheet = sheets.get(root);
      if (!sheet || !root.adoptedStyleSheets.includes(sheet)) return false;
      const texts = textsIn(root).filter(({ nodeValue }) => shows(nodeValue));
      if (texts.some((text) => !covered.has(text) || !isPaintedOver(text))) return false;
      const fields = [...root.querySelectorAll(HIDDEN)];
      if (fields.some((field) => getComputedStyle(field).opacity !== "0")) return false;
      return ![...root.querySelectorAll("*")].some(paints);
    });
  }
  function undo(): boolean {
    CSS.highlights.delete(NAME);
    for (const [root, sheet] of sheets)
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    return true;
  }
}
