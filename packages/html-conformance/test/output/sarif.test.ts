import { expect } from "chai";
import { sarif } from "../../src/output/sarif.ts";

describe("SARIF", () => {
  it("has no result without a rule, and each is that of its index", () => {
    const output = sarif({ tool: { name: "an engine", version: "1" } });
    const place = { lastLine: 1, lastColumn: 1, extract: "", hiliteStart: 0, hiliteLength: 0 };
    const message = { type: "error" as const, message: "It is wrong.", section: "", ...place };
    const messages = ["", "a", "", "b"].map((rule) => ({ ...message, rule }));
    const text = output.begin() + output.file({ file: "a.html", messages }) + output.end();
    const [{ results, tool }] = JSON.parse(text).runs;
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).to.deep.equal(["an engine", "a", "an engine", "b"]);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).to.equal(ruleId);
  });
});
