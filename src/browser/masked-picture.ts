import type { CDPSession, Page, Protocol } from "puppeteer-core";
import { within } from "../time/within.ts";
import { WORLD } from "./world.ts";

/** Of a picture of a page; larger ones are not kept. */
export const MAX_PICTURE_BYTES = 1_000_000;
const MAX_SIDE = 2_000;

/** What a picture is taken of, and what it must not show. */
type Covering = {
  /** Values that are not shown, wherever the page repeats them. */
  values: readonly string[];
  /** Whether no field is shown at all, nor what is drawn or edited: somebody has typed there. */
  hidesFields: boolean;
  /** For the picture; what was done to the page is undone in any case. */
  limitMs: number;
};

/**
 * A picture of what a page shows, without what was typed: fields are left out, and what repeats a value is painted over.
 *
 * @param typed values that were typed
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
    const covering = { values: [...typed], hidesFields: true, limitMs };
    return await whileCovered(session, covering, () => captureView(session));
  } finally {
    await session.detach().catch(() => {});
  }
}

/**
 * Does something while a page shows none of these values. Nothing of the page is changed but how it is painted, and its scripts may
 * run meanwhile.
 *
 * @returns undefined if that takes too long, or some may have been shown
 * @throws Error when it is not sure that the page is as it was
 */
export async function whileCovered<Result>(
  session: CDPSession,
  { values, hidesFields, limitMs }: Covering,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const hidden = longestFirst(values);
  const frames: OpenFrame[] = [];
  for (const frame of await framesOf(session)) frames.push(await openFrame(session, frame));
  let isOver = false;
  const take = async (): Promise<Result | undefined> => {
    // One after the other: no frame is covered any more when the time is over.
    for (const frame of frames)
      if (isOver || !(await inAll(session, [frame], `(${cover})(${JSON.stringify(hidden)}, ${hidesFields})`)))
        return undefined;
    const result = await work();
    // A script may have shown a value meanwhile, or a frame that is not covered.
    const isWhole = (await inAll(session, frames, "covering.isWhole()")) && isSame(frames, await framesOf(session));
    return isWhole && !(await isInClosedRoot(session, hidden, hidesFields)) ? result : undefined;
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
function longestFirst(values: readonly string[]): string[] {
  return values.filter((value) => value.trim().length > 1).sort((a, b) => b.length - a.length);
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

/** Whether something is in a closed shadow root, where nothing of ours is painted: any, or one of these values. */
async function isInClosedRoot(session: CDPSession, values: readonly string[], isAny: boolean): Promise<boolean> {
  const { documents, strings } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  return documents.some(({ nodes: { shadowRootType, parentIndex = [], nodeValue = [], inputValue, textValue } }) => {
    const closed = new Set<number>();
    for (const [at, node] of (shadowRootType?.index ?? []).entries())
      if (strings[shadowRootType?.value[at] ?? -1] === "closed") closed.add(node);
    if (closed.size === 0 || isAny) return closed.size > 0;
    // Parents come first.
    for (const [node, parent] of parentIndex.entries()) if (closed.has(parent)) closed.add(node);
    const fields = [inputValue, textValue].flatMap((found) =>
      (found?.index ?? []).map((node, at) => [node, found?.value[at]]),
    );
    const texts = [...nodeValue.map((value, node) => [node, value]), ...fields];
    return texts.some(
      ([node = -1, value = -1]) => closed.has(node) && values.some((one) => strings[value]?.includes(one) === true),
    );
  });
}

/** @returns undefined for a picture that is too large */
async function captureView(session: CDPSession): Promise<Buffer | undefined> {
  const { cssVisualViewport: view } = await session.send("Page.getLayoutMetrics");
  const [width, height] = [view.clientWidth, view.clientHeight].map((side) => Math.max(1, Math.min(side, MAX_SIDE)));
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    clip: { x: view.pageX, y: view.pageY, width: width ?? 1, height: height ?? 1, scale: 1 },
  });
  const picture = Buffer.from(data, "base64");
  return picture.length <= MAX_PICTURE_BYTES ? picture : undefined;
}

/**
 * Runs in the page, which goes on: no node, attribute, value, focus or selection changes. Style sheets that are added paint over texts
 * that repeat a value, and make invisible what cannot be painted over.
 *
 * @returns whether all is covered; `covering` tells it again, and takes the style sheets away
 */
function cover(values: readonly string[], hidesFields: boolean): boolean {
  const FIELDS = "input, textarea, select";
  // What is drawn has no text, and what is edited is a field.
  const DRAWN = "canvas, video, object, embed, [contenteditable]";
  const NAME = "site-validator-hidden";
  const shows = (text: string | null): boolean => text !== null && values.some((value) => text.includes(value));
  const sheets = new Map<Document | ShadowRoot, CSSStyleSheet>();
  const hidden = new Set<Element>();
  Object.assign(globalThis, { covering: { isWhole, undo } });

  const ranges: Range[] = [];
  for (const root of allRoots()) {
    for (const text of textsIn(root)) if (shows(text.nodeValue)) ranges.push(rangeOf(text));
    const unpaintable = unpaintableIn(root);
    for (const element of unpaintable) hidden.add(element);
    const sheet = new CSSStyleSheet();
    // In a layer, what is important is stronger than all without one; and what changes slowly would still be seen.
    sheet.replaceSync(`@layer site-validator {
      ${[...(hidesFields ? [FIELDS, DRAWN] : []), ...unpaintable.map(pathOf), "#site-validator"].join(", ")} {
        opacity: 0 !important; transition: none !important; animation: none !important; }
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
  /** The way to an element from its root: it gets no mark. */
  function pathOf(element: Element): string {
    const steps: string[] = [];
    for (let at = element; at.parentNode && at !== document.documentElement; at = at.parentElement ?? at) {
      const index = [...at.parentNode.children].indexOf(at) + 1;
      steps.unshift(`> :nth-child(${index})`);
      if (!at.parentElement) break;
    }
    return `${element.getRootNode() === document ? ":root" : ":host"} ${steps.join(" ")}`;
  }
  /** Beside texts: a style sheet may paint attributes; images without a picture have a text. */
  function paints(element: Element): boolean {
    // Of a large page only what has such an attribute is looked at, since a sheet's own text is no secret of a session.
    if (!hidesFields && ![...element.attributes].some(({ value }) => shows(value))) return false;
    const content = ["::before", "::after", "::marker"].map((part) => getComputedStyle(element, part).content);
    return content.some(shows) || (element.matches("img") && shows(element.getAttribute("alt")));
  }
  /** What a text is in that is not painted over: an image, a field, the shape of a background. */
  function unpaintableAround(text: Node): Element | undefined {
    for (let at = text.parentElement; at; at = at.parentElement)
      if (at.matches(`svg, select, textarea`) || getComputedStyle(at).backgroundClip.includes("text")) return at;
    return undefined;
  }
  function unpaintableIn(root: Document | ShadowRoot): Element[] {
    const fields = [...root.querySelectorAll<HTMLInputElement>(FIELDS)].filter(
      (field) => shows(field.value) || shows(field.placeholder ?? null),
    );
    const around = textsIn(root).flatMap((text) => (shows(text.nodeValue) ? (unpaintableAround(text) ?? []) : []));
    return [...new Set([...fields, ...around, ...[...root.querySelectorAll("*")].filter(paints)])];
  }
  function isHidden(element: Element | null): boolean {
    for (let at = element; at; at = at.parentElement) if (hidden.has(at)) return true;
    return false;
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
      if (texts.some((text) => !covered.has(text) && !isHidden(text.parentElement))) return false;
      const unpaintable = unpaintableIn(root);
      if (unpaintable.some((element) => !isHidden(element))) return false;
      const all = [...unpaintable, ...(hidesFields ? root.querySelectorAll(`${FIELDS}, ${DRAWN}`) : [])];
      return all.every((element) => isHidden(element.parentElement) || getComputedStyle(element).opacity === "0");
    });
  }
  function undo(): boolean {
    CSS.highlights.delete(NAME);
    for (const [root, sheet] of sheets)
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    return true;
  }
}
