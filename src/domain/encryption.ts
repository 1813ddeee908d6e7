import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets in the database that must be shown or sent again, with AES-256-GCM. */
export type Encryptor = {
  /** @param purpose the kind and the owner of the secret. It is needed to decrypt, so encrypted text is useless in another place. */
  encrypt(text: string, purpose: string): Buffer;
  /** undefined when it was encrypted with another key, for another purpose, or was changed. */
  decrypt(sealed: Buffer, purpose: string): string | undefined;
};

const NONCE = 12;
const TAG = 16;

/** @param secret text with 128 random bits or more, from which the key is derived */
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
