import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Keeps what must be shown or sent again, but may not be readable in the database: AES-256-GCM. */
export type Encryptor = {
  /** @param purpose what it is and whose: sealed text moved to another place cannot be opened there */
  encrypt(text: string, purpose: string): Buffer;
  /** undefined when it was sealed with another key, for another purpose, or changed. */
  decrypt(sealed: Buffer, purpose: string): string | undefined;
};

const NONCE = 12;
const TAG = 16;

/** @param secret of 128 random bits or more, in any writing: a key is derived from it */
export function createEncryptor(secret: string): Encryptor {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "site-validator seal", 32));
  return {
    encrypt(text, purpose) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
    },
    decrypt(sealed, purpose) {
      if (sealed.length < NONCE + TAG) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(-TAG));
      try {
        return decipher.update(sealed.subarray(NONCE, -TAG), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
