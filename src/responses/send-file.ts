import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";
import { usesGzip } from "./gzip.ts";
import { matchesEtag, versionOf } from "./version.ts";

/** The methods that a file's URL accepts, as the value of the `Allow` header. */
export const READ_METHODS = "GET, HEAD, OPTIONS";

/** A file that is the same for everybody, compressed once. */
export type SentFile = { type: string; bytes: Buffer; gzipped: Buffer; headers: Readonly<Record<string, string>> };

/** A file that may change with the service's version: clients revalidate it after five minutes. */
export async function versioned(type: string, text: string, headers: Record<string, string> = {}): Promise<SentFile> {
  const etag = `"${versionOf(text, type)}"`;
  const bytes = Buffer.from(text);
  return {
    type,
    bytes,
    gzipped: await promisify(gzip)(bytes),
    headers: { ...headers, ETag: etag, "Cache-Control": "public, max-age=300" },
  };
}

/** A file that never changes: its address contains its version. */
export async function immutable(type: string, bytes: Buffer): Promise<SentFile> {
  const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
  return { type, bytes, gzipped: await promisify(gzip)(bytes), headers };
}

/** Sends a file, or 304 when the client already has this version. */
export function sendFile(request: Request, response: Response, { type, bytes, gzipped, headers }: SentFile): void {
  response.set({ ...headers });
  const compressed = usesGzip(request, response, bytes.length) ? gzipped : undefined;
  const known = request.get("if-none-match");
  if (headers.ETag !== undefined && known !== undefined && matchesEtag(known, headers.ETag)) {
    response.status(304).end();
    return;
  }
  response.type(type);
  if (compressed) response.set("Content-Encoding", "gzip").send(compressed);
  else response.send(bytes);
}
