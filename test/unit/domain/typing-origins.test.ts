import { expect } from "chai";
import { readSignIn } from "../../../src/domain/sign-in/read-sign-in.ts";
import { typingRule } from "../../../src/domain/sign-in/typing-origins.ts";
import type { Step } from "../../../src/schema/steps.ts";

describe("where a sign-in types", () => {
  const to = (url: string): Step => ({ type: "navigate", url });
  const allows = (rule: (url: string) => string | undefined, ...urls: string[]) =>
    urls.map((url) => rule(url) === undefined);

  it("is on the origins of its addresses, and nowhere else, whatever they resemble", () => {
    const rule = typingRule([to("https://shop.example/login"), to("https://login.example:8443/")]);
    expect(allows(rule, "https://shop.example/any?a#b", "https://login.example:8443/x")).to.deep.equal([true, true]);
    const others = [
      "https://shop.example.evil.test/",
      "https://shop.example:8443/",
      "https://www.shop.example/",
      "https://login.example/",
      "https://shop.example@evil.test/",
      "data:text/html,x",
      "blob:https://shop.example/1",
      "about:blank",
      "",
    ];
    expect(allows(rule, ...others)).to.deep.equal(others.map(() => false));
  });

  it("is where a recording has seen a page, and where origins say", () => {
    const read = readSignIn({
      steps: [
        { type: "navigate", url: "https://a.example/" },
        { type: "click", selector: "a", assertedEvents: [{ type: "navigation", url: "https://b.example/in?x=1" }] },
      ],
      origins: ["https://c.example"],
    });
    if ("faults" in read) throw new Error(read.faults.join());
    const rule = typingRule(read.signIn.steps, read.signIn.origins);
    expect(allows(rule, "https://b.example/", "https://c.example/", "https://d.example/")).to.deep.equal([
      ...[true, true, false],
    ]);
    expect(rule("https://d.example/x")).to.contain('add "origins": ["https://c.example","https://d.example"]');
  });

  it("is by https once it has begun so, and may become so", () => {
    const secure = typingRule([to("https://a.example/"), to("http://b.example/")]);
    expect(allows(secure, "http://a.example/", "http://b.example/", "https://b.example/")).to.deep.equal([
      ...[false, false, true],
    ]);
    const plain = typingRule([to("http://localhost:3000/")]);
    expect(allows(plain, "http://localhost:3000/", "https://localhost:3000/", "http://localhost:3001/")).to.deep.equal([
      ...[true, true, false],
    ]);
  });

  it("is said with origins, which have no path and are few", () => {
    const steps = [{ type: "navigate", url: "https://a.example/" }];
    const wrong = [
      ["https://a.example/path"],
      ["a.example"],
      ["ftp://a.example"],
      "https://a.example",
      [1],
      Array(21).fill("https://a.example"),
    ];
    for (const origins of wrong)
      expect(readSignIn({ steps, origins }), JSON.stringify(origins)).to.have.property("faults");
    expect(readSignIn({ steps, origins: ["http://localhost:3000", "https://a.example"] })).to.have.property("signIn");
  });
});
