import { expect } from "chai";
import { mergeConfig } from "../../../../src/cli/check/options/merge-config.ts";

const config = {
  targets: ["https://staging.example.com/", "https://staging.example.com/b"],
  maxPages: 3,
  basicAuth: "ada",
  headers: { "X-Preview": "$TOKEN" },
};

describe("the options of the command line and of a configuration", () => {
  it("are those of the command line and, for the rest, of the configuration", () => {
    const given = { maxPages: 5, headers: { "X-Other": "a" } };
    expect(mergeConfig(config, given)).to.deep.equal({ given: { ...config, ...given } });
    expect(mergeConfig({}, given)).to.deep.equal({ given });
  });

  it("have the configuration's secrets for every page of its site, and for any site if it names none", () => {
    const given = { targets: ["https://staging.example.com/other"] };
    expect(mergeConfig(config, given).given).to.deep.include({ ...given, headers: config.headers, basicAuth: "ada" });
    const { targets: _, ...anywhere } = config;
    expect(mergeConfig(anywhere, { targets: ["https://example.com"] }).given).to.deep.include(anywhere);
  });

  for (const [target, host] of [
    ["https://example.com/", "example.com"],
    ["https://staging.example.com:8443/", "staging.example.com:8443"],
    ["./dist", "this machine"],
    ["http://staging.example.com/", "http://staging.example.com"],
  ] as const)
    it(`have none of its secrets for a target of another host, or over plain http: ${target}`, () => {
      const given = { targets: [...config.targets, target] };
      expect(mergeConfig(config, given)).to.deep.equal({
        given: { maxPages: 3, ...given },
        leftOut: { options: ["basicAuth", "headers"], host },
      });
      const own = { ...given, basicAuth: "eve", headers: { "X-Own": "a" } };
      expect(mergeConfig(config, own)).to.deep.equal({ given: { maxPages: 3, ...own } });
    });

  it("have the secrets of a configuration for http also over https", () => {
    const plain = { ...config, targets: ["http://staging.example.com/"] };
    const given = { targets: ["https://staging.example.com/"] };
    expect(mergeConfig(plain, given)).to.deep.equal({ given: { ...plain, ...given } });
  });
});
