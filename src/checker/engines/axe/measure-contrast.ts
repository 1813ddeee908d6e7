import type * as AxeCore from "axe-core";
import type { Tab } from "../../../browser/tab.ts";
import { contrastOver, type Pixels } from "../../../domain/acting/pictures.ts";
import { contrastOf } from "../../../domain/findings/contrast.ts";
import type { Colour } from "../../../domain/findings/luminance.ts";
import type { MeasuredContrast } from "../../../domain/findings/measured-contrast.ts";
import type { Findings, RuleResult } from "./in-page.ts";

type Node = RuleResult["nodes"][number];
type Part = { x: number; y: number; width: number; height: number };

/** What is measured of a page: further texts stay questions. */
const MAX_TEXTS = 60;
const MAX_PICTURES = 6;
/** Texts that are so near each other are in one picture, which is at most so high; in CSS pixels. */
const MAX_HEIGHT = 800;

/** Hides all texts, and nothing else: no element of the page is changed. */
const NO_TEXT =
  "*, *::before, *::after { -webkit-text-fill-color: transparent !important; text-shadow: none !important; text-decoration-color: transparent !important; caret-color: transparent !important; transition: none !important }";

/**
 * Measures texts of which axe-core does not know the background: over gradients, pictures and other elements. Their own colour is that of
 * their style; what is behind them is a picture of the page without its texts.
 */
export async function measureContrast(tab: Tab, { incomplete }: Findings): Promise<Map<Node, MeasuredContrast>> {
  const undecided = incomplete.find(({ id }) => id === "color-contrast")?.nodes ?? [];
  const asked = undecided.filter(({ target, contrast }) => target.length === 1 && contrastOf(contrast)?.ratio === null);
  const found = new Map<Node, MeasuredContrast>();
  if (asked.length === 0) return found;
  const world = await tab.createWorld(tab.mainFrameId);
  const chosen = asked.slice(0, MAX_TEXTS);
  const texts = await tab.call(
    world,
    readColours,
    chosen.map(({ target }) => target[0] as string),
  );
  const placed = chosen.flatMap((node, at) => {
    const text = texts[at];
    return text ? [{ node, ...text }] : [];
  });
  if (placed.length === 0) return found;
  const remove = await tab.hands.addStyle(tab.mainFrameId, NO_TEXT);
  try {
    for (const group of groupsOf(placed).slice(0, MAX_PICTURES)) {
      const picture = await tab.hands.pixels(group.part, true);
      for (const { node, colour, lines } of group.texts) {
        const required = contrastOf(node.contrast)?.required ?? 4.5;
        const all = lines.map((line) => contrastOver(colour, cut(picture, group.part, line), required));
        found.set(node, together(all));
      }
    }
  } finally {
    await remove();
    await tab.hands.rest();
  }
  return found;
}

type Placed = { node: Node; colour: Colour; lines: Part[] };

/** Texts that fit into one picture, from the top of the page. */
function groupsOf(placed: readonly Placed[]): { part: Part; texts: Placed[] }[] {
  const topOf = ({ lines }: Placed) => Math.min(...lines.map(({ y }) => y));
  const groups: { part: Part; texts: Placed[] }[] = [];
  for (const text of placed.toSorted((a, b) => topOf(a) - topOf(b))) {
    const part = around(text.lines);
    const last = groups.at(-1);
    const both = last && around([last.part, part]);
    if (last && both && both.height <= MAX_HEIGHT) {
      last.part = both;
      last.texts.push(text);
    } else if (part.height <= MAX_HEIGHT) groups.push({ part, texts: [text] });
  }
  return groups;
}

function around(parts: readonly Part[]): Part {
  const [x, y] = [Math.min(...parts.map((one) => one.x)), Math.min(...parts.map((one) => one.y))];
  const right = Math.max(...parts.map((one) => one.x + one.width));
  const bottom = Math.max(...parts.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** A part of a picture of another part, which may have several pixels for one of CSS. */
function cut({ width, height, data }: Pixels, whole: Part, part: Part): Pixels {
  const scale = width / whole.width;
  const [left, top] = [Math.round((part.x - whole.x) * scale), Math.round((part.y - whole.y) * scale)];
  const right = Math.min(width, left + Math.max(1, Math.floor(part.width * scale)));
  const bottom = Math.min(height, top + Math.max(1, Math.floor(part.height * scale)));
  const rows = Array.from({ length: Math.max(0, bottom - top) }, (_, row) => {
    const start = 4 * ((top + row) * width + left);
    return data.subarray(start, start + 4 * (right - left));
  });
  return { width: right - left, height: rows.length, data: Buffer.concat(rows) };
}

function together(all: readonly MeasuredContrast[]): MeasuredContrast {
  return {
    least: Math.min(...all.map(({ least }) => least)),
    most: Math.max(...all.map(({ most }) => most)),
    below: all.reduce((sum, { below }) => sum + below, 0) / Math.max(1, all.length),
  };
}

/**
 * Runs in the page, in axe-core's world: the colour of each text and where its lines are in the document; null where the picture would
 * not be what is seen, because something moves, is seen through or is a film.
 */
function readColours(selectors: string[]): ({ colour: Colour; lines: Part[] } | null)[] {
  const { axe } = globalThis as unknown as { axe: typeof AxeCore };
  const moving = new Set<Element>();
  for (const { effect } of Document.prototype.getAnimations.call(document).slice(0, 500))
    if (effect instanceof KeyframeEffect && effect.target) moving.add(effect.target);
  const parentOf = (element: Element) => Reflect.get(Node.prototype, "parentElement", element) as Element | null;
  const isPlain = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at)) {
      const { opacity, filter, mixBlendMode } = getComputedStyle(at);
      if (opacity !== "1" || filter !== "none" || mixBlendMode !== "normal" || moving.has(at)) return false;
    }
    return true;
  };
  return selectors.map((selector) => {
    const element = axe.utils.shadowSelect(selector);
    if (!element || !isPlain(element)) return null;
    const style = getComputedStyle(element);
    const numbers = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(style.color)?.slice(1).map(Number);
    const [red, green, blue] = numbers ?? [];
    if (red === undefined || green === undefined || blue === undefined) return null;
    if (style.textShadow !== "none" || style.webkitTextFillColor !== style.color || /text/.test(style.backgroundClip))
      return null;
    const texts = [...(Reflect.get(Node.prototype, "childNodes", element) as NodeList)].filter(
      (node): node is Text => node instanceof Text && node.data.trim() !== "",
    );
    const lines = texts.flatMap((text) => {
      const range = new Range();
      range.selectNodeContents(text);
      return [...range.getClientRects()].slice(0, 20);
    });
    const isSeen = lines.every(
      ({ left, top, right }) => left + scrollX >= 0 && top + scrollY >= 0 && right <= innerWidth,
    );
    const isFilm = lines.some(({ left, top, width, height }) =>
      Document.prototype.elementsFromPoint
        .call(document, left + width / 2, top + height / 2)
        .some((one) => /^(?:video|canvas|iframe|object|embed)$/.test(one.localName)),
    );
    if (lines.length === 0 || !isSeen || isFilm) return null;
    return {
      colour: [red, green, blue, 1] as const,
      lines: lines.map(({ left, top, width, height }) => ({ x: left + scrollX, y: top + scrollY, width, height })),
    };
  });
}
