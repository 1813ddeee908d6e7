import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets in the database that must be shown or sent again, with AES-256-GCM. */
export type Encryptor = {
  /** @param purpose the kind and the owner of the secret. It is needed to decrypt, so encrypted text is useless in another place. */
  encrypt(text: string, purpose: string): Buffer;
  /** undefined when it was encrypted with another key, for another purpose, or was changed. */
  decrypt(encrypted: Buffer, purpose: string): string | undefined;
  /** What only this service can say of a text, in 22 characters that URLs may have: addresses that are credentials need no row. */
  sign(text: string): string;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param secret text with 128 random bits or more, from which the key is derived */
export function createEncryptor(secret: string): Encryptor {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "site-validator encryption", 32));
  const signingKey = Buffer.from(hkdfSync("sha256", secret, "", "site-validator signatures", 32));
  return {
    sign: (text) => createHmac("sha256", signingKey).update(text).digest("base64url").slice(0, 22),
    encrypt(text, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]);
    },
    decrypt(encrypted, purpose) {
      if (encrypted.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(encrypted.subarray(-TAG_BYTES));
      try {
        return decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
