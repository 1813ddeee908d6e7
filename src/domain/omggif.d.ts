declare module "omggif" {
  /** Reads a GIF; throws what is no GIF. Times are in hundredths of a second. */
  export class GifReader {
    constructor(bytes: Uint8Array);
    width: number;
    height: number;
    numFrames(): number;
    frameInfo(index: number): {
      x: number;
      y: number;
      width: number;
      height: number;
      delay: number;
      /** 2: the part is cleared afterwards; 3: it is as before. */
      disposal: number;
    };
    decodeAndBlitFrameRGBA(index: number, pixels: Uint8Array): void;
  }

  /** Writes a GIF into bytes that are given. */
  export class GifWriter {
    constructor(
      bytes: Uint8Array,
      width: number,
      height: number,
      options: { loop: number; palette: readonly number[] },
    );
    addFrame(
      x: number,
      y: number,
      width: number,
      height: number,
      pixels: readonly number[],
      options: { delay: number },
    ): void;
    /** @returns its length */
    end(): number;
  }
}
