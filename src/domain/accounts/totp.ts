import { createHmac, randomBytes } from "node:crypto";

/** Codes that an app shows for 30 seconds: RFC 6238 with the parameters that all apps have, SHA-1 and six digits. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** How many steps before and after now are accepted, for clocks that differ (RFC 6238, 5.2). */
const DRIFT = 1;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A new secret of 160 bits (RFC 4226, 4), in base 32 as apps take it. */
export function newTotpSecret(): string {
  return [...randomBytes(32)].map((byte) => ALPHABET[byte % 32]).join("");
}

/** The code of a counter (RFC 4226, 5.3). @param digits six for people; the RFC's examples have eight */
export function hotp(secret: Buffer, counter: number, digits = DIGITS): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const digest = createHmac("sha1", secret).update(message).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * The time step of a code that is right now.
 *
 * @param after the step of the last code that was accepted: no code works twice
 * @returns undefined for a wrong, an old or a used code
 */
export function totpStep(secret: string, code: string, now: Date, after: number | null): number | undefined {
  const typed = code.replace(/\s/g, "");
  const current = Math.floor(now.getTime() / STEP_MS);
  const key = fromBase32(secret);
  for (let step = current - DRIFT; step <= current + DRIFT; step += 1)
    if ((after === null || step > after) && hotp(key, step) === typed) return step;
  return undefined;
}

/** What an app reads to know the secret. @param name whose it is, as the app shows it */
export function totpUri(secret: string, name: string): string {
  const issuer = "Site Validator";
  const query = new URLSearchParams({ secret, issuer }).toString().replaceAll("+", "%20");
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${name}`)}?${query}`;
}

/** The bytes of text in base 32 (RFC 4648, 6). */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
