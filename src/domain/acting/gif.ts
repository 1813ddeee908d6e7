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
      // Browsers show what is shorter than 20 ms for 100.
      if (byte(at + 1) === 0xf9) {
        const delay = 10 * (byte(at + 4) + 256 * byte(at + 5));
        timing.ms += delay < 20 ? 100 : delay;
      }
      if (byte(at + 1) === 0xff && String.fromCharCode(...bytes.slice(at + 3, at + 11)) === "NETSCAPE")
        timing.repeats = true;
      at = behind(at + 2);
    } else break;
  return timing;
}

/** Whether it moves for longer than this: it does not end, or takes so long once. */
export function movesLonger({ frames, ms, repeats }: GifTiming, limitMs: number): boolean {
  return frames > 1 && (repeats || ms > limitMs);
}
