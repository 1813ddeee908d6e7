import { createHash, randomBytes } from "node:crypto";

/** A new secret: 192 random bits after a prefix that identifies leaked ones. */
export function newSecret(prefix: "svt" | "svh" | "svg" | "svl" | "svi"): string {
  return `${prefix}_${randomBytes(24).toString("base64url")}`;
}

/** Only digests are stored. The secrets' own entropy makes a salt or a slow digest unnecessary. */
export function secretDigest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
