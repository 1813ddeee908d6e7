import { createHmac } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PERIOD_SECONDS = 30;

/** The bytes of a text in Base32 (RFC 4648), without regard to case, spaces and padding; undefined for another text. */
export function fromBase32(text: string): Buffer | undefined {
  const letters = text.toUpperCase().replace(/[\s=-]/g, "");
  if (letters === "" || [...letters].some((letter) => !ALPHABET.includes(letter))) return undefined;
  const bits = [...letters].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The one-time code of a moment (RFC 6238, with SHA-1, six digits and 30 seconds, as authenticator apps have it). */
export function totpCode(secret: Buffer, now: Date): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS)));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
