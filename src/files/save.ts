import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../domain/errors.ts";

/**
 * Writes a file as a whole: an earlier file stays unchanged until the new one is complete. What is not a regular file,
 * such as /dev/stdout or a pipe, is written to directly; a link stays a link.
 *
 * @throws UsageError for a link that another user has made, which may lead to any file of this user
 */
export async function save(file: string, text: AsyncIterable<string> | Iterable<string>): Promise<void> {
  await requireOwnLink(file);
  const earlier = await stat(file).catch(() => undefined);
  if (earlier && !earlier.isFile()) return pipeline(Readable.from(text), createWriteStream(file));
  const target = earlier ? await realpath(file) : file;
  // In a shared folder, others could guess the name and make a link of it. "wx" writes through none.
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    await pipeline(Readable.from(text), createWriteStream(draft, { flags: "wx" }));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function requireOwnLink(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isSymbolicLink() || [0, process.geteuid?.() ?? found.uid].includes(found.uid)) return;
  throw new UsageError(
    `${JSON.stringify(file)} is not written: it is a symbolic link of another user (owner ${found.uid}). Remove it, or name another file.`,
  );
}
