import type { Page, Protocol } from "puppeteer-core";
import { WORLD } from "./world.ts";

/** Of a picture of a page; larger ones are not kept. */
export const MAX_PICTURE_BYTES = 1_000_000;
const MAX_SIDE = 2_000;

/**
 * A picture of what a page shows, without what was typed: fields are empty, and where the page repeats a value there are
 * dots. The page is not used afterwards.
 *
 * @param typed values that were typed
 * @returns PNG; undefined for one that is too large
 */
export async function maskedPicture(page: Page, typed: ReadonlySet<string>): Promise<Buffer | undefined> {
  // Longest first: one value may be a part of another.
  const values = [...typed].filter((value) => value.trim() !== "").sort((a, b) => b.length - a.length);
  const session = await page.createCDPSession();
  // No script may put a value back.
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  const { frameTree } = await session.send("Page.getFrameTree");
  for (const frameId of framesIn(frameTree)) {
    // A world of our own, whose prototypes the page has not changed. What cannot be masked is not shown.
    const world = await session.send("Page.createIsolatedWorld", { frameId, worldName: WORLD });
    const { exceptionDetails } = await session.send("Runtime.evaluate", {
      expression: `(${mask})(${JSON.stringify(values)})`,
      contextId: world.executionContextId,
    });
    if (exceptionDetails) return undefined;
  }
  const { cssVisualViewport: view } = await session.send("Page.getLayoutMetrics");
  const [width, height] = [view.clientWidth, view.clientHeight].map((side) => Math.max(1, Math.min(side, MAX_SIDE)));
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    clip: { x: view.pageX, y: view.pageY, width: width ?? 1, height: height ?? 1, scale: 1 },
  });
  const picture = Buffer.from(data, "base64");
  return picture.length <= MAX_PICTURE_BYTES ? picture : undefined;
}

/** Frames of other sites are in the process of their page, and in its tree. */
function framesIn({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(framesIn)];
}

/** Runs in the page. */
function mask(values: readonly string[]): void {
  const masked = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, "•••"), text);
  const maskField = (field: HTMLElement): void => {
    for (const name of ["color", "-webkit-text-fill-color"]) field.style.setProperty(name, "transparent", "important");
    field.removeAttribute("placeholder");
    // What a button says is masked like any attribute.
    if (!field.matches("[type=submit], [type=button], [type=reset], [type=checkbox], [type=radio], select"))
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
      drawn.style.setProperty("visibility", "hidden", "important");
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = node.nodeValue ?? "";
      if (masked(text) !== text) node.nodeValue = masked(text);
    }
    for (const element of root.querySelectorAll("*")) maskElement(element);
  };
  maskIn(document);
}
