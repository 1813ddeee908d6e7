import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/** Less than the longest string that V8 can make of it. */
const MAX_BYTES = 500_000_000;
const PIECE_BYTES = 1_048_576;

/**
 * Reads a file that somebody named. What is not a regular file is not opened: a pipe may never have a writer, a device
 * never an end, and neither wait can be stopped from within the process. Some files of /proc say that they are regular
 * and empty, and have no end either.
 *
 * @throws Error that says what the file is instead, or why it cannot be read
 */
export async function readRegularFile(file: string): Promise<Buffer> {
  requireRegular(await stat(file));
  // It may have become a pipe since.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    requireRegular(found);
    const pieces: Buffer[] = [];
    for (let { size } = found, read = 0; ; size = Math.max(size, read)) {
      if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES / 1_000_000} MB, the most that is read`);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES));
      if (bytesRead === 0) return Buffer.concat(pieces);
      pieces.push(buffer.subarray(0, bytesRead));
      read += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** @throws Error that says what it is, for what is not a regular file */
export function requireRegular(found: { isFile(): boolean; isDirectory(): boolean; isFIFO(): boolean }): void {
  if (found.isFile()) return;
  const what = found.isDirectory() ? "a folder" : found.isFIFO() ? "a pipe" : "a device or a socket";
  throw new Error(`it is ${what}; a regular file is needed`);
}
