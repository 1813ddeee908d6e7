import { GifReader } from "omggif";
import { luminance } from "../findings/luminance.ts";

/** How long an animated GIF moves: the delays of its frames, and whether it begins again. */
export type GifTiming = { frames: number; ms: number; repeats: boolean };

/**
 * Reads the delays of a GIF's frames (GIF89a, blocks 21 F9 and 2C), and not its pictures.
 *
 * @returns undefined for what is no GIF; what is cut off counts as far as it goes
 */
export function gifTiming(bytes: Uint8Array): GifTiming | undefined {
  if (!/^GIF8[79]a$/.test(String.fromCharCode(...bytes.slice(0, 6)))) return undefined;
  const byte = (at: number): number => bytes[at] ?? 0;
  const tableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  /** The place behind a chain of blocks. */
  const behind = (start: number): number => {
    let at = start;
    while (at < bytes.length && byte(at) !== 0) at += byte(at) + 1;
    return at + 1;
  };
  const timing: GifTiming = { frames: 0, ms: 0, repeats: false };
  let at = 13 + tableLength(byte(10));
  while (at < bytes.length && byte(at) !== 0x3b)
    if (byte(at) === 0x2c) {
      timing.frames += 1;
      at = behind(at + 11 + tableLength(byte(at + 9)));
    } else if (byte(at) === 0x21) {
      if (byte(at + 1) === 0xf9) timing.ms += shownMs(byte(at + 4) + 256 * byte(at + 5));
      if (byte(at + 1) === 0xff && String.fromCharCode(...bytes.slice(at + 3, at + 11)) === "NETSCAPE")
        timing.repeats = true;
      at = behind(at + 2);
    } else break;
  return timing;
}

/** How long a frame is shown, by its delay in hundredths of a second: browsers show what is shorter than 20 ms for 100. */
const shownMs = (delay: number): number => (delay < 2 ? 100 : 10 * delay);

/** Whether it moves for longer than this: it does not end, or takes so long once. */
export function movesLonger({ frames, ms, repeats }: GifTiming, limitMs: number): boolean {
  return frames > 1 && (repeats || ms > limitMs);
}

/** The frames and pixels that are decoded: what is more is not looked at. */
const MAX_FRAMES = 60;
const MAX_PIXELS = 20_000_000;
/** Places in each direction at which a picture is looked at. */
const GRID = 24;
/** WCAG 2.2, "general flash": by a tenth of the greatest luminance, where the darker is below 0.8. */
const MIN_CHANGE = 0.1;
const MAX_DARKER = 0.8;

/**
 * How often parts of an animated GIF flash: a pair of opposing changes of luminance (WCAG 2.2, "general flash").
 *
 * @param most flashes within a second that are no harm
 * @returns the share of the picture, from 0 to 1, that flashes more often, and how often the most of it; undefined for what is
 *   no GIF, cannot be decoded, or is too large
 */
export function gifFlashes(bytes: Uint8Array, most: number): { share: number; perSecond: number } | undefined {
  const frames = luminancesOf(bytes);
  if (!frames) return undefined;
  const rates = Array.from({ length: GRID * GRID }, (_, cell) =>
    flashesWithinSecond(frames.map(({ ms, cells }) => ({ ms, light: cells[cell] ?? 0 }))),
  );
  const fast = rates.filter((rate) => rate > most);
  return { share: fast.length / rates.length, perSecond: Math.max(0, ...fast) };
}

/** The luminance of each place of each frame. */
function luminancesOf(bytes: Uint8Array): { ms: number; cells: Float32Array }[] | undefined {
  try {
    const gif = new GifReader(Buffer.from(bytes));
    const { width, height } = gif;
    const numFrames = Math.min(gif.numFrames(), MAX_FRAMES);
    if (width * height * numFrames > MAX_PIXELS) return undefined;
    const pixels = new Uint8Array(4 * width * height);
    return Array.from({ length: numFrames }, (_, index) => {
      const { delay, disposal, x, y, ...frame } = gif.frameInfo(index);
      const before = disposal === 3 ? pixels.slice() : undefined;
      gif.decodeAndBlitFrameRGBA(index, pixels);
      const cells = new Float32Array(GRID * GRID).map((_, cell) => {
        const [column, row] = [cell % GRID, Math.floor(cell / GRID)];
        const at =
          4 * (Math.floor(((row + 0.5) * height) / GRID) * width + Math.floor(((column + 0.5) * width) / GRID));
        // What is transparent shows the page, which mostly is white.
        const isClear = (pixels[at + 3] ?? 0) === 0;
        return isClear ? 1 : luminance([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, 1]);
      });
      if (before) pixels.set(before);
      else if (disposal === 2)
        for (let line = y; line < y + frame.height; line += 1)
          pixels.fill(0, 4 * (line * width + x), 4 * (line * width + x + frame.width));
      return { ms: shownMs(delay), cells };
    });
  } catch {
    return undefined;
  }
}

/** The most flashes of a place within a second, when its frames are shown again and again. */
function flashesWithinSecond(frames: readonly { ms: number; light: number }[]): number {
  const round = frames.reduce((sum, { ms }) => sum + ms, 0);
  const changes: number[] = [];
  let [now, turn, isRising] = [0, frames[0]?.light ?? 0, undefined as boolean | undefined];
  // Long enough for each window of a second to be seen.
  while (round > 0 && now < round + 2_000)
    for (const { ms, light } of frames) {
      const rises = light > turn;
      if (rises === isRising) turn = light;
      else if (Math.abs(light - turn) >= MIN_CHANGE && Math.min(light, turn) < MAX_DARKER) {
        changes.push(now);
        [turn, isRising] = [light, rises];
      }
      now += ms;
    }
  let [most, first] = [0, 0];
  for (const [last, at] of changes.entries()) {
    while (at - (changes[first] ?? at) >= 1_000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return Math.floor(most / 2);
}
