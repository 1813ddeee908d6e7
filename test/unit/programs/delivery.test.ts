import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { deliverySettings } from "../../../src/main/wiring/delivery.ts";
import { createAuthority } from "../../support/certificates.ts";

describe("What the operator says of messages to others", () => {
  const config = {
    ...{ notifications: true, smtpUrl: "smtps://mail.example.com", mailFrom: "checks@example.com", baseUrl: undefined },
    ...{ receiverPrivateCidrs: [], deniedCidrs: [], httpProxy: undefined, httpsProxy: undefined, noProxy: [] },
  };

  it("trusts the authorities of CA_FILES for receivers and for the mail server, and refuses a file that has none", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "sv-delivery-"));
    try {
      const file = path.join(folder, "ca.crt");
      await writeFile(file, createAuthority().ca);
      const settings = await deliverySettings({ ...config, caFiles: [file] });
      for (const tls of [settings?.policy.tls, settings?.mail?.tls]) expect(tls?.authorities).to.have.length(1);
      expect((await deliverySettings({ ...config, caFiles: [] }))?.policy).to.not.have.property("tls");
      await writeFile(file, "none");
      const broken = deliverySettings({ ...config, caFiles: [file] });
      expect(await broken.catch((error: Error) => error.message)).to.include("it has no certificate in PEM format");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
