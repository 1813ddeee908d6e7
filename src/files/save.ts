import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Writes a file as a whole: an earlier file stays unchanged until the new one is complete. What is not a regular file,
 * such as /dev/stdout or a pipe, is written to directly; a link stays a link.
 */
export async function save(file: string, text: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const earlier = await stat(file).catch(() => undefined);
  if (earlier && !earlier.isFile()) return pipeline(Readable.from(text), createWriteStream(file));
  const target = earlier ? await realpath(file) : file;
  const draft = `${target}.${process.pid}.tmp`;
  try {
    await pipeline(Readable.from(text), createWriteStream(draft));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
