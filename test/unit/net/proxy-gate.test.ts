import { expect } from "chai";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createProxyGate } from "../../../src/net/proxy-gate.ts";

describe("The gate to a proxy", () => {
  let now = 0;
  let asked = 0;
  /** A resolver that fails with this code, and later knows a private address. */
  const gateAfter = (code: string) => {
    asked = 0;
    const resolve = async () => {
      asked += 1;
      if (asked > 1) return [{ address: "10.0.0.1", family: 4 }];
      throw Object.assign(new Error(code), { code });
    };
    return createProxyGate({ ...addressPolicy([]), resolve }, () => now);
  };
  const refusal = (work: Promise<void>) =>
    work.then(
      () => undefined,
      ({ code }) => code,
    );

  it("asks again for a name that could not be resolved for another reason than that there is none", async () => {
    const gate = gateAfter("EAI_AGAIN");
    expect(await refusal(gate("a.example.com"))).to.equal(undefined);
    expect(await refusal(gate("a.example.com"))).to.equal("blocked_address");
  });

  it("believes for a while only that there is no such name", async () => {
    const gate = gateAfter("ENOTFOUND");
    for (let time = 0; time < 2; time += 1) expect(await refusal(gate("a.example.com"))).to.equal(undefined);
    expect(asked).to.equal(1);
    now += 30_000;
    expect(await refusal(gate("a.example.com"))).to.equal("blocked_address");
  });

  it("lets no name of a cluster's service pass that it cannot resolve", async () => {
    expect(await refusal(gateAfter("ENOTFOUND")("database.default.svc"))).to.equal("blocked_address");
  });
});
