import { expect } from "chai";
import { domainName } from "../../../../src/checker/engines/links/hosts.ts";

describe("The domain of a host", () => {
  for (const [host, domain] of [
    ["example.com", "example.com"],
    ["a.b.example.com", "example.com"],
    ["a.b.example.co.uk", "example.co.uk"],
    ["www.example.com.", "example.com"],
    ["a.ibm.com", "ibm.com"],
    ["a-192-0-2-1.nip.io", "nip.io"],
    ["a.b.example.com.au", "example.com.au"],
    ["localhost", "localhost"],
    ["127.0.0.1", "127.0.0.1"],
    ["[2001:db8::1]", "[2001:db8::1]"],
  ] as const)
    it(`of ${host} is ${domain}`, () => {
      expect(domainName(host)).to.equal(domain);
    });
});
