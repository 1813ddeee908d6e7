import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";

/** Smaller bodies fit into one packet anyway. */
const MIN_BYTES = 1_000;

const compress = promisify(gzip);

/**
 * Whether to send a body of this many bytes with gzip. Sets Vary and, for gzip, makes the ETag weak, because a strong
 * one stands for the exact bytes (RFC 9110, 8.8.3.3).
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
