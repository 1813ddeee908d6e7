import { inflateSync } from "node:zlib";

/** A picture's pixels: `at` gives one as "#rrggbb". */
export type Pixels = { width: number; height: number; at(x: number, y: number): string };

/** Reads a PNG as Chromium writes it: 8 bits a channel, RGB or RGBA, not interlaced. @see https://www.w3.org/TR/png-3/ */
export function readPng(bytes: Uint8Array): Pixels {
  const file = Buffer.from(bytes);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[file.readUInt8(25)];
  if (channels === undefined) throw new Error("The picture is neither RGB nor RGBA.");
  const data = inflateSync(dataOf(file));
  // With a row above the first and a pixel before each row, which are 0, so that every pixel has its neighbours.
  const row = (width + 1) * channels;
  const pixels = Buffer.alloc((height + 1) * row);
  for (let y = 0; y < height; y++) {
    const from = y * (width * channels + 1);
    const to = (y + 1) * row + channels;
    const predict = filters[data[from] ?? 0];
    for (let x = 0; x < width * channels; x++) {
      const at = to + x;
      const neighbours = [at - channels, at - row, at - row - channels] as const;
      pixels[at] = (data[from + 1 + x] ?? 0) + (predict?.(pixels, ...neighbours) ?? 0);
    }
  }
  return {
    ...{ width, height },
    at: (x, y) => {
      const start = (y + 1) * row + (x + 1) * channels;
      return `#${pixels.toString("hex", start, start + 3)}`;
    },
  };
}

function dataOf(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  return Buffer.concat(parts);
}

type Predict = (pixels: Buffer, left: number, up: number, corner: number) => number;

/** By their numbers: None, Sub, Up, Average, Paeth. */
const filters: (Predict | undefined)[] = [
  undefined,
  (pixels, left) => pixels[left] ?? 0,
  (pixels, _, up) => pixels[up] ?? 0,
  (pixels, left, up) => ((pixels[left] ?? 0) + (pixels[up] ?? 0)) >> 1,
  (pixels, left, up, corner) => paeth(pixels[left] ?? 0, pixels[up] ?? 0, pixels[corner] ?? 0),
];

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
