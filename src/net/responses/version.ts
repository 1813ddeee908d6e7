import { createHash } from "node:crypto";

/** The opaque part of the ETag of a document as it is sent. */
export function versionOf(body: string, mediaType: string): string {
  return createHash("sha256").update(mediaType).update("\0").update(body).digest("base64url").slice(0, 27);
}

/** True when an If-None-Match names the ETag. */
export function isAmong(known: string, etag: string): boolean {
  return known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
