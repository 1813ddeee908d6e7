import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { DAY_MS } from "../domain/calendar-day.ts";

/** A certificate with its key, as node:tls takes them, and the name by which Chromium accepts it. */
export type OwnCertificate = {
  cert: string;
  key: string;
  /** The SHA-256 of its public key in Base64, for --ignore-certificate-errors-spki-list. */
  spki: string;
};

/** What a certificate says; the key that signs it is the issuer's. */
export type CertificateFields = {
  /** The common names. */
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  notBefore: Date;
  notAfter: Date;
  /** DER of each extension (RFC 5280, section 4.1.2.9). */
  extensions?: readonly Buffer[];
};

/** ecdsa-with-SHA256 (RFC 5758). */
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);

/**
 * A new key with a certificate that nobody but its maker trusts: it names no host, and is signed by itself.
 *
 * node:crypto makes keys and signatures, but no certificates. This one has ten fields, so it is written here.
 */
export function createOwnCertificate(now: Date): OwnCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = signCertificate(
    {
      subject: "site-validator",
      issuer: "site-validator",
      publicKey,
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: new Date(now.getTime() + 30 * DAY_MS),
    },
    privateKey,
  );
  const spki = publicKey.export({ type: "spki", format: "der" });
  return {
    cert,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    spki: createHash("sha256").update(spki).digest("base64"),
  };
}

/** An X.509 certificate (RFC 5280) as PEM. @param issuerKey an EC key */
export function signCertificate(fields: CertificateFields, issuerKey: KeyObject): string {
  const { subject, issuer, publicKey, notBefore, notAfter, extensions = [] } = fields;
  const toSign = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_SHA256,
    name(issuer),
    sequence(time(notBefore), time(notAfter)),
    name(subject),
    publicKey.export({ type: "spki", format: "der" }),
    ...(extensions.length > 0 ? [explicit(3, sequence(...extensions))] : []),
  );
  const der = sequence(toSign, ECDSA_SHA256, bitString(sign("sha256", toSign, issuerKey)));
  const lines = der.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** A value of DER: its tag, the length of its content, its content (X.690, section 8.1). */
export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

export function sequence(...content: readonly Buffer[]): Buffer {
  return der(0x30, ...content);
}

/** An object identifier from its encoded bytes. */
export function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function explicit(tag: number, content: Buffer): Buffer {
  return der(0xa0 + tag, content);
}

/** An integer. DER wants the shortest encoding: nine leading bits that are equal are not valid. */
function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

/** A random number that is positive (its first bit is not set) and has no bytes too many (its second one is). */
function serialNumber(): Buffer {
  const [first = 0, ...others] = randomBytes(16);
  return Buffer.from([(first & 0x7f) | 0x40, ...others]);
}

function bitString(bytes: Buffer): Buffer {
  return der(0x03, Buffer.from([0]), bytes);
}

function name(common: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(common)))));
}

/** UTCTime, for years before 2050. */
function time(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-T:]/g, "")}Z`));
}
