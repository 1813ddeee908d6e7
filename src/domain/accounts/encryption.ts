import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** Encrypts secrets in the database that must be shown or sent again, with AES-256-GCM. */
export type Encryptor = {
  /** The id of the key that it encrypts with. What it encrypts begins with it. */
  keyId: string;
  /** @param purpose the kind and the owner of the secret. It is needed to decrypt, so encrypted text is useless in another place. */
  encrypt(text: string, purpose: string): Buffer;
  /** undefined when it was encrypted with a key that is not known, for another purpose, or was changed. */
  decrypt(encrypted: Buffer, purpose: string): string | undefined;
  /** What only this service can say of a text, in 22 characters that URLs may have: addresses that are credentials need no row. */
  sign(text: string): string;
  /** All signatures of a text that are valid, the one of `sign` first: while a key is replaced, and for what was signed before. */
  signatures(text: string): string[];
};

const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param further what opens, besides the secret, what was stored or signed before it was one */
export function createEncryptor(
  secret: string,
  further: { secrets?: readonly string[]; signingKeys?: readonly Buffer[] } = {},
): Encryptor {
  const [own, ...others] = [secret, ...(further.secrets ?? [])].map(derived);
  if (!own) throw new Error("An encryptor has no key.");
  const keys = new Map([own, ...others].map((key) => [key.id, key.encryption]));
  const signingKeys = [...[own, ...others].map(({ signing }) => signing), ...(further.signingKeys ?? [])];
  const signatures = (text: string): string[] =>
    signingKeys.map((key) => createHmac("sha256", key).update(text).digest("base64url").slice(0, 22));
  return {
    keyId: own.id,
    signatures,
    sign: (text) => signatures(text)[0] ?? "",
    encrypt(text, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", own.encryption, nonce).setAAD(Buffer.from(purpose));
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from(own.id, "hex"), nonce, encrypted, cipher.getAuthTag()]);
    },
    decrypt(encrypted, purpose) {
      const key = keys.get(keyIdOf(encrypted));
      if (!key || encrypted.length < ID_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
      const body = encrypted.subarray(ID_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(body.subarray(-TAG_BYTES));
      try {
        return decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

/** Whether a signature of a text is ours; it takes as long for all. */
export function isSigned({ signatures }: Pick<Encryptor, "signatures">, text: string, given: string): boolean {
  const received = Buffer.from(given);
  return signatures(text).some((one) => {
    const expected = Buffer.from(one);
    return expected.length === received.length && timingSafeEqual(expected, received);
  });
}

/** The id of the key with which something was encrypted. */
export function keyIdOf(encrypted: Buffer): string {
  return encrypted.subarray(0, ID_BYTES).toString("hex");
}

/** The id of a secret key. It says nothing of the key. */
export const keyIdOfSecret = (secret: string): string => derived(secret).id;

/** The key with which a secret key signs, to be kept when the secret key is not known any more. */
export const signingKeyOf = (secret: string): Buffer => derived(secret).signing;

/** @param secret text with 128 random bits or more */
function derived(secret: string) {
  const key = (what: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", `site-validator ${what}`, bytes));
  return {
    id: key("key id", ID_BYTES).toString("hex"),
    encryption: key("encryption", 32),
    signing: key("signatures", 32),
  };
}
