import { randomUUID } from "node:crypto";
import { constants, createWriteStream } from "node:fs";
import { access, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../domain/errors.ts";

/**
 * Writes a file as a whole: an earlier file stays unchanged until the new one is complete. What is not a regular file,
 * such as /dev/stdout or a pipe, is written to directly; a link stays a link.
 *
 * @throws UsageError for a link that another user has made, which may lead to any file of this user
 */
export async function save(file: string, text: AsyncIterable<string> | Iterable<string | Uint8Array>): Promise<void> {
  const { target, draft } = await placeOf(file);
  if (draft === undefined) return pipeline(Readable.from(text), createWriteStream(file));
  try {
    await pipeline(Readable.from(text), createWriteStream(draft, { flags: "wx" }));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Finds out whether `save` could write a file, and leaves no trace. Rights do not tell: nothing can be made in /proc, and a
 * file system may be read-only.
 *
 * @throws as `save` does
 */
export async function trySave(file: string): Promise<void> {
  const { draft } = await placeOf(file);
  if (draft === undefined) return access(file, constants.W_OK);
  await (await open(draft, "wx")).close();
  await rm(draft, { force: true });
}

/** Where a file is written: what becomes `target` when it is complete, or the file itself if it is not a regular one. */
async function placeOf(file: string): Promise<{ target: string; draft: string | undefined }> {
  await requireOwnLink(file);
  const earlier = await stat(file).catch(() => undefined);
  if (earlier && !earlier.isFile()) return { target: file, draft: undefined };
  const target = earlier ? await realpath(file) : file;
  // In a shared folder, others could guess the name and make a link of it. "wx" writes through none.
  return { target, draft: `${target}.${randomUUID()}.tmp` };
}

async function requireOwnLink(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isSymbolicLink() || [0, process.geteuid?.() ?? found.uid].includes(found.uid)) return;
  throw new UsageError(
    `${JSON.stringify(file)} is not written: it is a symbolic link of another user (owner ${found.uid}). Remove it, or name another file.`,
  );
}
