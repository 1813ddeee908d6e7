import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** The shortest and the longest password that is taken. A longer one would only cost time. */
export const PASSWORD_LENGTH = { min: 12, max: 200 } as const;

/** OWASP's minimum for scrypt: 32 MB and some 100 ms. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const KEY_BYTES = 32;

/** Why a password is not taken, as a sentence; undefined for one that is. */
export function passwordFault(password: string): string | undefined {
  const { min, max } = PASSWORD_LENGTH;
  const length = [...password].length;
  if (length >= min && length <= max) return undefined;
  return `The password has ${length} characters; it must have ${min} to ${max}.`;
}

/** What is stored of a password: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/**
 * Whether a password is the one of which the hash is stored. Takes as long for somebody who has none, so that time tells
 * nobody who is known here.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = (stored ?? "").split("$");
  const cost = stored === null ? COST : { N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, "base64url"), cost);
  const expected = stored === null ? Buffer.alloc(KEY_BYTES) : Buffer.from(key, "base64url");
  return given.length === expected.length && timingSafeEqual(given, expected) && stored !== null;
}

function derive(password: string, salt: Buffer, cost: Pick<ScryptOptions, "N" | "r" | "p">): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same text may be typed as different code points (RFC 8265, 4.2.2).
    const text = password.normalize("NFC").slice(0, 10 * PASSWORD_LENGTH.max);
    scrypt(text, salt, KEY_BYTES, { ...cost, maxmem: 128 * 2 ** 20 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
