import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/**
 * Reads a file that somebody named. What is not a regular file is not opened: a pipe may never have a writer, a device
 * never an end, and neither wait can be stopped from within the process.
 *
 * @throws Error that says what the file is instead, or why it cannot be read
 */
export async function readRegularFile(file: string): Promise<Buffer> {
  requireRegular(await stat(file));
  // It may have become a pipe since.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    requireRegular(await handle.stat());
    return await handle.readFile();
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
