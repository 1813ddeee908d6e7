import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";

/** Smaller bodies fit a packet anyway. */
const MIN_BYTES = 1_000;

const compress = promisify(gzip);

/**
 * Whether a body is sent with gzip, which the response then says: in Vary, and by a weak ETag, since a strong one stands
 * for the very bytes (RFC 9110 8.8.3.3).
 */
export function usesGzip(request: Request, response: Response, bytes: number): boolean {
  if (bytes < MIN_BYTES) return false;
  response.vary("Accept-Encoding");
  if (request.acceptsEncodings("gzip", "identity") !== "gzip") return false;
  const etag = response.get("etag");
  if (etag?.startsWith('"')) response.set("ETag", `W/${etag}`);
  return true;
}

/** Compresses a body and sets its Content-Encoding. */
export async function gzipped(response: Response, body: Buffer): Promise<Buffer> {
  const bytes = await compress(body);
  response.set("Content-Encoding", "gzip");
  return bytes;
}
