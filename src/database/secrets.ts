import { createHash, randomBytes } from "node:crypto";

/** A new secret: 192 random bits after a prefix that identifies leaked ones. */
export function newSecret(prefix: "svt" | "svh" | "svg" | "svl" | "svi"): string {
  return `${prefix}_${randomBytes(24).toString("base64url")}`;
}

/**
 * The first and the last signs of a secret, by which people tell which one a program has: at most 42 of its 192 bits.
 *
 * @param secret a random one of ours: one that somebody has made up may be known by so many signs
 */
export const shownOf = (secret: string): string => `${secret.slice(0, 8)}…${secret.slice(-3)}`;

/** Only digests are stored. The secrets' own entropy makes a salt or a slow digest unnecessary. */
export function secretDigest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
