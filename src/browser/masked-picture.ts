import type { Page, Protocol } from "puppeteer-core";
import { WORLD } from "./world.ts";

/** Of a picture of a page; larger ones are not kept. */
export const MAX_PICTURE_BYTES = 1_000_000;
const MAX_SIDE = 2_000;

/**
 * A picture of what a page shows, without what was typed: fields are empty, and where the page repeats a value there are
 * dots.
 *
 * @param typed values that were typed
 * @param options.goesOn the page is used afterwards: its scripts run meanwhile, and all is put back. Otherwise it is not
 *   to be used any more
 * @returns PNG; undefined for one that is too large, or that may show what was typed
 */
export async function maskedPicture(
  page: Page,
  typed: ReadonlySet<string>,
  { goesOn }: { goesOn: boolean } = { goesOn: false },
): Promise<Buffer | undefined> {
  // Longest first: one value may be a part of another.
  const values = [...typed].filter((value) => value.trim() !== "").sort((a, b) => b.length - a.length);
  const session = await page.createCDPSession();
  const worlds: number[] = [];
  const inAll = async (expression: string): Promise<boolean> => {
    const done = worlds.map((contextId) =>
      session
        .send("Runtime.evaluate", { expression, contextId, returnByValue: true })
        .then(({ result, exceptionDetails }) => !exceptionDetails && result.value === true),
    );
    return (await Promise.all(done)).every(Boolean);
  };
  try {
    // No script may put a value back.
    if (!goesOn) await session.send("Emulation.setScriptExecutionDisabled", { value: true });
    const { frameTree } = await session.send("Page.getFrameTree");
    for (const frameId of framesIn(frameTree)) {
      // A world of our own, whose prototypes the page has not changed. What cannot be masked is not shown.
      const world = await session.send("Page.createIsolatedWorld", { frameId, worldName: WORLD });
      worlds.push(world.executionContextId);
    }
    if (!(await inAll(`(${mask})(${JSON.stringify(values)})`))) return undefined;
    const { cssVisualViewport: view } = await session.send("Page.getLayoutMetrics");
    const [width, height] = [view.clientWidth, view.clientHeight].map((side) => Math.max(1, Math.min(side, MAX_SIDE)));
    const { data } = await session.send("Page.captureScreenshot", {
      format: "png",
      clip: { x: view.pageX, y: view.pageY, width: width ?? 1, height: height ?? 1, scale: 1 },
    });
    // A script may have written a value again meanwhile, or the page may be another one.
    if (goesOn && !(await inAll("masking.isWhole()"))) return undefined;
    const picture = Buffer.from(data, "base64");
    return picture.length <= MAX_PICTURE_BYTES ? picture : undefined;
  } finally {
    if (goesOn) await inAll("masking.undo()").catch(() => {});
    await session.detach().catch(() => {});
  }
}

/** Frames of other sites are in the process of their page, and in its tree. */
function framesIn({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(framesIn)];
}

/** Runs in the page. @returns true; `masking` tells whether all is masked, and puts back what was there */
function mask(values: readonly string[]): true {
  const undone: (() => void)[] = [];
  const masked = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, "•••"), text);
  const change = (read: () => string, write: (text: string) => void, text: string): void => {
    const before = read();
    if (before === text) return;
    write(text);
    const after = read();
    // What a script has changed since stays.
    undone.push(() => read() === after && write(before));
  };
  const style = (element: HTMLElement, name: string, value: string): void => {
    const [before, priority] = [element.style.getPropertyValue(name), element.style.getPropertyPriority(name)];
    element.style.setProperty(name, value, "important");
    undone.push(() => {
      element.style.setProperty(name, before, priority);
      if (element.style.length === 0) element.removeAttribute("style");
    });
  };
  const attribute = (element: Element, name: string, text: string): void =>
    change(
      () => element.getAttribute(name) ?? "",
      (to) => element.setAttribute(name, to),
      text,
    );
  const maskField = (field: HTMLElement): void => {
    for (const name of ["color", "-webkit-text-fill-color"]) style(field, name, "transparent");
    if (field.hasAttribute("placeholder")) attribute(field, "placeholder", "");
    // What a button says is masked like any attribute. A file that was chosen could not be put back.
    const keeps = "[type=submit], [type=button], [type=reset], [type=checkbox], [type=radio], [type=file], select";
    const input = field as HTMLInputElement;
    if (!field.matches(keeps))
      change(
        () => input.value,
        (to) => {
          input.value = to;
        },
        "",
      );
  };
  const eachRoot = (root: Document | ShadowRoot, visit: (root: Document | ShadowRoot) => void): void => {
    visit(root);
    for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) eachRoot(shadowRoot, visit);
  };
  const textsOf = (root: Document | ShadowRoot): Node[] => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const nodes: Node[] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) nodes.push(node);
    return nodes;
  };
  const maskIn = (root: Document | ShadowRoot): void => {
    for (const field of root.querySelectorAll<HTMLElement>("input, textarea, select")) maskField(field);
    // What is drawn or edited has no text that could be masked. If it were not visible, it would lose the focus.
    for (const drawn of root.querySelectorAll<HTMLElement>("canvas, video, object, embed, [contenteditable]"))
      style(drawn, "opacity", "0");
    for (const node of textsOf(root)) {
      const text = node.nodeValue ?? "";
      const write = (to: string) => {
        node.nodeValue = to;
      };
      change(() => node.nodeValue ?? "", write, masked(text));
    }
    for (const element of root.querySelectorAll("*"))
      for (const { name, value } of [...element.attributes]) attribute(element, name, masked(value));
  };
  eachRoot(document, maskIn);

  const isWhole = (): boolean => {
    let whole = true;
    eachRoot(document, (root) => {
      const attributes = [...root.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
      const texts = [...textsOf(root).map(({ nodeValue }) => nodeValue ?? ""), ...attributes.map(({ value }) => value)];
      const fields = [...root.querySelectorAll<HTMLInputElement>("input, textarea")].map(({ value }) => value);
      whole &&= ![...texts, ...fields].some((text) => masked(text) !== text);
    });
    return whole;
  };
  const undo = (): true => {
    for (const back of undone.toReversed()) {
      try {
        back();
      } catch {
        // It is not to be had any more.
      }
    }
    return true;
  };
  Object.assign(globalThis, { masking: { isWhole, undo } });
  return true;
}
