/**
 * Where an element is on its page: the smallest box of whole CSS pixels around it, from the document's top left corner.
 */
export type Box = { x: number; y: number; width: number; height: number };

/** No page is larger than this, in CSS pixels. */
const MAX_COORDINATE = 1_000_000;

/**
 * The box of a rectangle as it comes from a page's process.
 *
 * @param rectangle [x, y, width, height] in CSS pixels; may be anything, since a page may control its process
 * @param within the area in which the element can be seen: for one in a frame, the frame's box
 * @returns null for an element that takes no room, or is beyond the document's edges
 */
export function boxOf(rectangle: unknown, within: Box = wholePage): Box | null {
  if (!Array.isArray(rectangle) || rectangle.length !== 4) return null;
  const [x, y, width, height] = rectangle as [unknown, unknown, unknown, unknown];
  if (![x, y, width, height].every((number) => Number.isFinite(number))) return null;
  const [left, top] = [x as number, y as number];
  if ((width as number) <= 0 || (height as number) <= 0) return null;
  const first = { x: Math.max(within.x, Math.floor(left)), y: Math.max(within.y, Math.floor(top)) };
  const last = {
    x: Math.min(within.x + within.width, Math.ceil(left + (width as number))),
    y: Math.min(within.y + within.height, Math.ceil(top + (height as number))),
  };
  if (last.x <= first.x || last.y <= first.y) return null;
  return { ...first, width: last.x - first.x, height: last.y - first.y };
}

const wholePage: Box = { x: 0, y: 0, width: MAX_COORDINATE, height: MAX_COORDINATE };
