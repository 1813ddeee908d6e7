import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { der, oid, sequence, signCertificate } from "../../src/net/certificate.ts";

/** A certificate with its key, as PEM. */
export type Issued = { cert: string; key: string };

export type Authority = {
  /** Its own certificate, as PEM. */
  ca: string;
  /** @param names hosts and addresses; @param days until its end, from now; negative for one that has expired */
  issue(names: readonly string[], days?: number): Issued;
};

const DAY_MS = 86_400_000;
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const SUBJECT_KEY = [0x55, 0x1d, 0x0e];

/** A certificate authority that only the tests know. */
export function createAuthority(name = "Authority of a test"): Authority {
  const { publicKey, privateKey } = keys();
  const ca = certificate(name, name, publicKey, privateKey, 30, [
    extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff])))),
    keyOf(publicKey),
  ]);
  return {
    ca,
    issue: (names, days = 30) => {
      const own = keys();
      const alternatives = names.map((one) =>
        isIP(one) === 4 ? der(0x87, Buffer.from(one.split(".").map(Number))) : der(0x82, Buffer.from(one)),
      );
      const cert = certificate(names[0] ?? "", name, own.publicKey, privateKey, days, [
        extension(SUBJECT_ALT_NAME, sequence(...alternatives)),
        keyOf(own.publicKey),
      ]);
      return { cert, key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    },
  };
}

function keys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function certificate(
  subject: string,
  issuer: string,
  publicKey: KeyObject,
  issuerKey: KeyObject,
  days: number,
  extensions: readonly Buffer[],
): string {
  const now = Date.now();
  const notBefore = new Date(now - 60 * DAY_MS);
  return signCertificate(
    { subject, issuer, publicKey, notBefore, notAfter: new Date(now + days * DAY_MS), extensions },
    issuerKey,
  );
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(oid(...id), der(0x04, value));
}

function keyOf(publicKey: KeyObject): Buffer {
  const digest = createHash("sha1")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest();
  return extension(SUBJECT_KEY, der(0x04, digest));
}
