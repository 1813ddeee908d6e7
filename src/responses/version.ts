import { createHash } from "node:crypto";

/** The ETag of a document as it is sent, without the quotes. */
export function versionOf(body: string, mediaType: string): string {
  return createHash("sha256").update(mediaType).update("\0").update(body).digest("base64url").slice(0, 27);
}

/** True when an If-None-Match (`known`) names the ETag, weak or strong. */
export function matchesEtag(known: string, etag: string): boolean {
  return known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
