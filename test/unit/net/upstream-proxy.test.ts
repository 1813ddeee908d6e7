import { expect } from "chai";
import { UsageError } from "../../../src/domain/errors.ts";
import { readProxy, upstreamProxies } from "../../../src/net/upstream-proxy.ts";

describe("Proxies of the environment", () => {
  const nameFor = (noProxy: string[], url: string): string | undefined =>
    upstreamProxies({ httpProxy: "http://plain:80", httpsProxy: "http://user:p%40ss@secure:3128/", noProxy })?.(
      new URL(url),
    )?.name;

  it("are chosen by scheme", () => {
    expect(nameFor([], "http://a.example/")).to.equal("plain:80");
    expect(nameFor([], "https://a.example/")).to.equal("secure:3128");
    expect(upstreamProxies({ noProxy: ["*"] })).to.equal(undefined);
    expect(upstreamProxies({ httpProxy: "http://plain" })?.(new URL("https://a/"))).to.equal(undefined);
  });

  const exceptions: [entry: string, passedBy: string[], asked: string[]][] = [
    ["*", ["http://a.example/", "https://10.0.0.1/"], []],
    [
      "example.com",
      ["http://example.com/", "https://a.EXAMPLE.com./"],
      ["http://notexample.com/", "http://example.com.evil/"],
    ],
    [".example.com", ["http://a.example.com/", "http://example.com/"], ["http://aexample.com/"]],
    ["*.example.com", ["http://a.example.com/"], ["http://example.org/"]],
    ["example.com:8080", ["http://example.com:8080/"], ["http://example.com/"]],
    ["10.0.0.0/8", ["http://10.1.2.3/"], ["http://11.0.0.1/", "http://ten.example/"]],
    ["10.0.0.1", ["http://10.0.0.1:81/"], ["http://110.0.0.1/", "http://10.0.0.11/"]],
    ["::1", ["http://[::1]/"], ["http://[::2]/"]],
    ["[::1]:81", ["http://[0:0::1]:81/"], ["http://[::1]/"]],
  ];
  for (const [entry, passedBy, asked] of exceptions)
    it(`are not asked for what NO_PROXY=${entry} names`, () => {
      for (const url of passedBy) expect(nameFor([entry], url), url).to.equal(undefined);
      for (const url of asked) expect(nameFor([entry], url), url).to.be.a("string");
    });

  it("get user and password as they are meant, and show them to nobody", () => {
    const { authorization, ...rest } = readProxy("HTTP_PROXY", "http://user:p%40ss@secure:3128/");
    expect(authorization).to.equal(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
    expect(JSON.stringify(rest)).to.not.match(/user|p@ss/);
  });

  for (const wrong of [
    "proxy.example.com:3128",
    "socks5://u:hunter2@a",
    "https://u:hunter2@a",
    "http://u:hunter2@a/path",
    "http://u:hunter2%@a:3128",
  ])
    it(`are refused if they are no HTTP proxy: ${wrong}`, () => {
      expect(() => readProxy("HTTPS_PROXY", wrong))
        .to.throw(UsageError, "HTTPS_PROXY must be the URL of an HTTP proxy, such as http://proxy.example.com:3128")
        .with.property("message")
        .that.includes("Write a % in the user or the password as %25.")
        .and.not.match(/hunter2/);
    });
});
