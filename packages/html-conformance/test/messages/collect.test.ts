import { expect } from "chai";
import { createCollection, type Located } from "../../src/messages/collect.ts";
import { createSourceLines } from "../../src/messages/source-lines.ts";

const lines = createSourceLines("x".repeat(50_000));
const finding = (start: number, rule = "some-rule", severity: Located["severity"] = "error"): Located => ({
  severity,
  rule,
  message: "Something is wrong.",
  section: "https://html.spec.whatwg.org/",
  start,
  end: start + 1,
});

describe("the findings of a page", () => {
  it("are in the order of the source, and each there once", () => {
    const collection = createCollection();
    for (const start of [5, 2, 5, 9, 2]) collection.add(finding(start));
    expect(collection.messages(lines).map(({ lastColumn }) => lastColumn)).to.deep.equal([3, 6, 10]);
  });

  it("are errors, warnings and information, as the Nu checker writes them", () => {
    const collection = createCollection();
    (["error", "warning", "info"] as const).forEach((severity, i) => {
      collection.add(finding(i, "a", severity));
    });
    const kinds = collection.messages(lines).map(({ type, subType }) => [type, subType]);
    expect(kinds).to.deep.equal([
      ["error", undefined],
      ["info", "warning"],
      ["info", undefined],
    ]);
  });

  it("are counted beyond 1,000 of a rule", () => {
    const collection = createCollection();
    for (let start = 0; start < 1_500; start++) collection.add(finding(start));
    collection.add(finding(3_000, "other-rule"));
    const messages = collection.messages(lines);
    expect(messages).to.have.length(1_002);
    expect(messages.at(-1)).to.include({
      type: "error",
      rule: "some-rule",
      message: "500 more findings of the rule some-rule are not listed; at most 1000 of a rule are.",
    });
  });

  it("are counted beyond 100 of an element", () => {
    const collection = createCollection();
    for (let i = 0; i < 9_100; i++) collection.add({ ...finding(7, `attribute-not-allowed/a${i}`), message: `a${i}` });
    const messages = collection.messages(lines);
    expect(messages).to.have.length(101);
    expect(messages.at(-1)).to.include({
      type: "error",
      rule: "too-many-findings",
      message: "9000 more findings are not listed; at most 100 of an element are.",
    });
  });

  it("are counted once, also where they are not listed", () => {
    const collection = createCollection();
    for (const again of [1, 2]) for (let start = 0; start < 1_500; start++) collection.add(finding(start * again));
    const last = collection.messages(lines).at(-1);
    expect(last?.message).to.equal(
      "1250 more findings of the rule some-rule are not listed; at most 1000 of a rule are.",
    );
  });

  it("include what nobody kept", () => {
    const collection = createCollection();
    collection.add(finding(1));
    collection.count(finding(2), 5_000);
    expect(collection.messages(lines).at(-1)?.message).to.match(/^5000 more findings of the rule some-rule/);
  });

  it("are counted beyond 20,000 of a page", () => {
    const collection = createCollection();
    for (let start = 0; start < 30_000; start++) collection.add(finding(start, `rule-${start}`, "warning"));
    collection.add(finding(40_000, "last", "error"));
    const messages = collection.messages(lines);
    expect(messages).to.have.length(20_001);
    expect(messages.at(-1)).to.include({
      type: "error",
      message: "10001 more findings are not listed; at most 20000 of a page are.",
    });
  });
});
