import { type Colour, contrastRatio } from "../findings/luminance.ts";

/** A picture as its pixels, in rows: red, green, blue and alpha of each, from 0 to 255. */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** What a pixel must have changed by to be seen (WCAG 2.2, 2.4.13 and 1.4.11). */
const MIN_CONTRAST = 3;
/** Colours that are told apart by nobody. */
const SAME = 1.3;

/** The pixel at a place, or the nearest one in the picture. */
function at({ width, height, data }: Pixels, x: number, y: number): Colour {
  const start = 4 * (Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1));
  return [data[start] ?? 0, data[start + 1] ?? 0, data[start + 2] ?? 0, 1];
}

/**
 * How many pixels differ so much between two pictures of one size that it is seen. What has only moved by one pixel, as a text
 * does when a border becomes thinner, has not changed.
 *
 * @returns undefined for pictures of different sizes
 */
export function seenChanges(before: Pixels, after: Pixels): number | undefined {
  if (before.width !== after.width || before.height !== after.height) return undefined;
  let count = 0;
  const isNear = (colour: Colour, other: Pixels, x: number, y: number): boolean => {
    for (let dy = -1; dy <= 1; dy += 1)
      for (let dx = -1; dx <= 1; dx += 1) if (contrastRatio(colour, at(other, x + dx, y + dy)) < SAME) return true;
    return false;
  };
  for (let y = 0; y < before.height; y += 1)
    for (let x = 0; x < before.width; x += 1) {
      const start = 4 * (y * before.width + x);
      const isSame = [0, 1, 2].every((part) => before.data[start + part] === after.data[start + part]);
      if (isSame) continue;
      const [one, other] = [at(before, x, y), at(after, x, y)];
      if (contrastRatio(one, other) < MIN_CONTRAST) continue;
      if (!isNear(one, after, x, y) || !isNear(other, before, x, y)) count += 1;
    }
  return count;
}

/**
 * Whether so many changed pixels are too few for an element of this size: fewer than a line along half of its longer
 * side. WCAG asks for twice the whole outline only on level AAA (2.4.13), so that less is a question, and no error.
 */
export function isFaint(changes: number, { width, height }: { width: number; height: number }): boolean {
  return changes < Math.max(width, height) / 2;
}

/** The least and the greatest contrast of a colour to the pixels of a picture, and the share of them below `required`. */
export function contrastOver(
  colour: Colour,
  { width, height, data }: Pixels,
  required: number,
): { least: number; most: number; below: number } {
  let [least, most, below] = [21, 1, 0];
  for (let start = 0; start < 4 * width * height; start += 4) {
    const ratio = contrastRatio(colour, [data[start] ?? 0, data[start + 1] ?? 0, data[start + 2] ?? 0, 1]);
    least = Math.min(least, ratio);
    most = Math.max(most, ratio);
    if (ratio < required) below += 1;
  }
  return { least, most, below: below / Math.max(1, width * height) };
}
