import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { Resolve } from "../../../src/net/addresses.ts";
import { reportPolicy } from "../../../src/net/report-policy.ts";

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
