import { readFileSync } from "node:fs";

/**
 * Moves this process's clock by the milliseconds in the file CLOCK_FILE, and does nothing without it. Loaded with
 * NODE_OPTIONS=--import. It moves what `Date` says, and as on a machine whose clock is set, no timer.
 */
const file = process.env.CLOCK_FILE;
if (file !== undefined) {
  const RealDate = Date;
  let offset = 0;
  setInterval(() => {
    const text = readFileSync(file, "utf8");
    // It is empty while it is written.
    if (text !== "") offset = Number(text);
  }, 100).unref();
  class MovedDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + offset);
      else super(...(given as [number]));
    }
    static override now(): number {
      return RealDate.now() + offset;
    }
  }
  globalThis.Date = MovedDate as DateConstructor;
}
