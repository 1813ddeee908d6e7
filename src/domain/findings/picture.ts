import { type Box, boxOf } from "./box.ts";

/** A part of a screenshot around an element. Boxes are in CSS pixels of the page. */
export type ElementPicture = {
  /** Of the element: all findings of elements in this box share the picture. */
  box: Box;
  /** What of the page the picture shows. */
  area: Box;
  webp: Uint8Array;
};

/** The most pictures of a page, and bytes of one: a picture shows which element it is, and not how it looks in detail. */
export const MAX_PICTURES = 30;
export const MAX_PICTURE_BYTES = 15_000;

/** How much of the page is around an element, and how large a picture is at least and at most, in CSS pixels. */
const MARGIN = 16;
const LEAST = { width: 240, height: 120 };
const MOST = { width: 480, height: 320 };

/** The part of a page that shows an element; of one that is larger, its beginning. null for an element beyond the page. */
export function areaAround(box: Box, page: { width: number; height: number }): Box | null {
  const whole = { x: 0, y: 0, width: page.width, height: page.height };
  const side = (start: number, size: number, least: number, most: number, limit: number): [number, number] => {
    const length = Math.min(Math.max(size + 2 * MARGIN, least), most, limit);
    const margin = Math.max(0, Math.min(MARGIN, (length - size) / 2), (length - size) / 2);
    return [Math.max(0, Math.min(Math.floor(start - (size > length ? MARGIN : margin)), limit - length)), length];
  };
  if (!boxOf([box.x, box.y, box.width, box.height], whole)) return null;
  const [x, width] = side(box.x, box.width, LEAST.width, MOST.width, page.width);
  const [y, height] = side(box.y, box.height, LEAST.height, MOST.height, page.height);
  return { x, y, width, height };
}

/** The boxes of a page's elements of which there are pictures: the first element of each rule comes first. */
export function boxesToPicture(issues: readonly { html: readonly { box?: Box | null }[] }[]): Box[] {
  const boxes = new Map<string, Box>();
  const longest = Math.max(0, ...issues.map(({ html }) => html.length));
  for (let index = 0; index < longest && boxes.size < MAX_PICTURES; index += 1)
    for (const { html } of issues) {
      const box = html[index]?.box;
      if (box && boxes.size < MAX_PICTURES) boxes.set(keyOfBox(box), box);
    }
  return [...boxes.values()];
}

/** The same for the same box. */
export function keyOfBox({ x, y, width, height }: Box): string {
  return [x, y, width, height].join(" ");
}

/** Pictures within the limits: a checker that was taken over may send anything. */
export function boundPictures(pictures: readonly ElementPicture[]): ElementPicture[] {
  return pictures
    .slice(0, MAX_PICTURES)
    .filter(({ webp }) => webp.byteLength > 0 && webp.byteLength <= MAX_PICTURE_BYTES);
}
