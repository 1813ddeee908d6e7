import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";

/** Sends an open file and closes it. */
export async function sendOpened(
  { file, handle, size }: { file: string; handle: FileHandle; size: number },
  request: Request,
  response: Response,
): Promise<void> {
  try {
    response.type(path.extname(file) || "bin").set("Content-Length", String(size));
    if (request.method === "HEAD" || size === 0) response.end();
    // Without what is appended meanwhile, which would not fit the length.
    else await pipeline(handle.createReadStream({ end: size - 1, autoClose: false }), response);
  } catch {
    // The client is gone, or the file became shorter: the response ends early, which the client notices.
    response.destroy();
  } finally {
    await handle.close();
  }
}
