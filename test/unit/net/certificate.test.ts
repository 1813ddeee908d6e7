import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { expect } from "chai";
import { signCertificate } from "../../../src/net/certificate.ts";

describe("A certificate of our own", () => {
  it("has a serial number that is positive and of full length, whatever is random in it", () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const fields = { subject: "a", issuer: "a", publicKey, notBefore: new Date(0), notAfter: new Date(1_000) };
    for (let made = 0; made < 1_000; made += 1) {
      const { serialNumber } = new X509Certificate(signCertificate(fields, privateKey));
      expect(serialNumber).to.match(/^[4-7][0-9A-F]{31}$/);
    }
  });
});
