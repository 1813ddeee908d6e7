import type { Request, Response } from "express";
import { gzipped, usesGzip } from "../../../responses/gzip.ts";

/** A file that is part of a checked site: its picture, its source. */
export type StoredFile = { type: string; bytes: Buffer };

/**
 * Sends a file that strangers have made. A browser treats it as nothing but its type, in a sandbox without rights.
 *
 * @param count called with the number of bytes sent
 */
export async function sendBytes(
  request: Request,
  response: Response,
  { type, bytes }: StoredFile,
  count: (bytes: number) => void,
): Promise<void> {
  response.set("Content-Security-Policy", "default-src 'none'; sandbox");
  // Pictures are compressed already.
  const body =
    type.startsWith("text/") && usesGzip(request, response, bytes.length) ? await gzipped(response, bytes) : bytes;
  count(body.length);
  response.type(type).send(body);
}
