import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { Resolve } from "../../../src/net/addresses.ts";
import { readHostAddresses, reportPolicy } from "../../../src/net/report-policy.ts";
import { readTlsHosts, tlsOf } from "../../../src/net/tls-trust.ts";

const settings = { allowedPrivateCidrs: ["10.0.0.0/8"], deniedCidrs: [], allowLocalhost: false };

describe("The name that a report starts at", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  /** What a report at a private name may visit, whose resolver first fails so often. */
  async function policyAfter(failures: number, code: string) {
    let tries = 0;
    const resolve: Resolve = async () => {
      tries += 1;
      if (tries <= failures) throw Object.assign(new Error("not resolved"), { code });
      return [{ address: "10.1.2.3", family: 4 }];
    };
    const policy = reportPolicy("https://intranet.example/", settings, resolve);
    for (let pauses = 0; pauses < failures; pauses += 1) {
      await turn();
      mock.timers.tick(1_000);
    }
    const { privateHost } = await policy;
    return { tries, privateHost };
  }

  it("is resolved again after a resolver's temporary failure, three times in all", async () => {
    expect(await policyAfter(2, "EAI_AGAIN")).to.deep.equal({ tries: 3, privateHost: "intranet.example" });
    expect(await policyAfter(3, "EAI_AGAIN")).to.deep.equal({ tries: 3, privateHost: undefined });
  });

  it("is not resolved again when it does not exist", async () => {
    expect(await policyAfter(1, "ENOTFOUND")).to.deep.equal({ tries: 1, privateHost: undefined });
  });
});

describe("An address that is given for a name", () => {
  const hostAddresses = ["Staging.Example=10.1.2.3", "new.example=203.0.113.7"];
  const nowhere: Resolve = async (name) => {
    throw Object.assign(new Error(name), { code: "ENOTFOUND" });
  };

  it("is used instead of DNS, also for what the report may visit", async () => {
    const policy = await reportPolicy("https://staging.example/", { ...settings, hostAddresses }, nowhere);
    expect(policy.privateHost).to.equal("staging.example");
    expect(await policy.resolve?.("NEW.example.")).to.deep.equal([{ address: "203.0.113.7", family: 4 }]);
    expect(await policy.resolve?.("other.example").catch(String)).to.equal("Error: other.example");
  });

  it("opens no private network by itself", async () => {
    const closed = { ...settings, allowedPrivateCidrs: [], hostAddresses };
    const policy = await reportPolicy("https://staging.example/", closed, nowhere);
    expect(policy.allowed).to.deep.equal([]);
    expect(policy.resolve).to.be.a("function");
  });

  it("is a name with an address, and nothing else", () => {
    for (const wrong of ["staging.example", "staging.example=", "10.0.0.1=10.0.0.2", "a b=10.0.0.1", "x/y=10.0.0.1"])
      expect(() => readHostAddresses([wrong]), wrong).to.throw("is not a host name with its address");
  });
});

describe("A client certificate", () => {
  const tls = {
    authorities: ["A"],
    clientCertificates: new Map([["shop.example:8443", { cert: "C", key: "K" }]]),
    insecureHosts: new Set(["staging.example"]),
  };
  const policyOf = (url: string) => reportPolicy(url, { ...settings, allowedPrivateCidrs: [], tls });

  it("is for reports that start at its host, on any port; all else of TLS is for every report", async () => {
    for (const url of ["https://shop.example:8443/", "http://SHOP.example/"])
      expect((await policyOf(url)).tls, url).to.deep.equal(tls);
    for (const url of ["https://example.com/", "https://sub.shop.example/", "https://shop.example.evil.example/"])
      expect((await policyOf(url)).tls, url).to.deep.equal({ ...tls, clientCertificates: new Map() });
  });

  it("is shown to the port that is named, or to all ports", () => {
    expect(tlsOf(tls, "Shop.Example.", 8443)).to.deep.equal({ certificate: { cert: "C", key: "K" }, insecure: false });
    expect(tlsOf(tls, "shop.example", 443)).to.deep.equal({ certificate: undefined, insecure: false });
    expect(tlsOf(tls, "staging.example", 1)).to.deep.equal({ certificate: undefined, insecure: true });
    expect(tlsOf({ ...tls, insecureHosts: readTlsHosts(["[::1]:443"]) }, "::1", 443)).to.have.property(
      "insecure",
      true,
    );
    expect(tlsOf(undefined, "shop.example", 8443)).to.deep.equal({ certificate: undefined, insecure: false });
  });
});
