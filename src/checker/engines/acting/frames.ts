import { digest } from "../../../domain/identity/digest.ts";
import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** The frames of a page that are compared, and how much of their texts. */
const MAX_FRAMES = 20;
const MAX_TEXT_LENGTH = 5_000;

type NamedFrame = { id: number; name: string };

/** Frames of one name with different contents: their addresses say nothing, since two may show the same. */
export async function findFrameNames(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const frames = await limit.command(tab.call(main.world, readFrames, MAX_FRAMES));
  const faults: { rule: "sv-frame-name"; id: number; review: true; summary: string }[] = [];
  for (const group of Map.groupBy(frames, ({ name }) => name.toLowerCase()).values()) {
    if (group.length < 2) continue;
    const texts: string[] = [];
    for (const { id } of group) {
      const frameId = await limit.command(tab.frameOf(main.world, elementWith, id));
      if (!frameId) continue;
      const world = await limit.command(tab.createWorld(frameId));
      const text = digest([await limit.command(tab.call(world, textOfDocument, MAX_TEXT_LENGTH))]);
      const other = texts.length > 0 && !texts.includes(text);
      texts.push(text);
      const summary = `Another frame is named "${group[0]?.name.slice(0, 60)}", too, and shows something else.`;
      if (other) faults.push({ rule: "sv-frame-name", id, review: true, summary });
    }
  }
  await report(walker, main, faults, { most: MAX_FRAMES, what: "frames have the name of another one" });
}

/** Runs in the page. */
function readFrames(max: number): NamedFrame[] {
  const { idOf, attribute, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  const all = [...Document.prototype.querySelectorAll.call(document, "iframe,frame")].slice(0, max);
  return all.flatMap((frame) => {
    const name = (attribute(frame, "aria-label") || attribute(frame, "title")).trim();
    const isShown = isVisible(frame) && attribute(frame, "aria-hidden") !== "true";
    return name === "" || !isShown ? [] : [{ id: idOf(frame), name }];
  });
}

/** Runs in the page. */
function elementWith(id: number): Element | null {
  return (globalThis as unknown as ToolsWorld).svTools.elementOf(id) ?? null;
}

/** Runs in a frame: its address too, where it has no text. */
function textOfDocument(maxLength: number): string {
  const body = Reflect.get(Document.prototype, "body", document) as Element | null;
  const text = body ? String(Reflect.get(Node.prototype, "textContent", body)) : "";
  const source = body ? String(Reflect.get(Element.prototype, "innerHTML", body)) : "";
  return text.trim() === "" ? source.slice(0, maxLength) : text.replace(/\s+/g, " ").trim().slice(0, maxLength);
}
