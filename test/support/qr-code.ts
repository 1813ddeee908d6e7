import type { Cheerio } from "cheerio";
import jsQR from "jsqr";

/** Pixels of a module: a reader needs some. */
const SCALE = 4;

/** What a phone reads from a QR code that is drawn as rectangles of an SVG; undefined where it reads nothing. */
// biome-ignore lint/suspicious/noExplicitAny: cheerio's kinds of nodes are not exported by its name
export function readQrCode(svg: Cheerio<any>): string | undefined {
  const size = Number(svg.attr("viewBox")?.split(" ")[2]);
  const width = size * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, length] of svg
    .find("path")
    .attr("d")
    ?.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g) ?? [])
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row++)
      for (let column = Number(x) * SCALE; column < (Number(x) + Number(length)) * SCALE; column++)
        pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
  return jsQR.default(pixels, width, width)?.data;
}
