import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const program = fileURLToPath(new URL("../../support/programs/html-validate-findings.ts", import.meta.url));
/** In a separate process, because the patches change html-validate for the whole process. */
const findings = (how: "plain" | "saving"): unknown =>
  JSON.parse(execFileSync(process.execPath, [program, how], { encoding: "utf8" }));

describe("the patches of html-validate", () => {
  it("do not change its findings", () => {
    const plain = findings("plain");
    expect(plain).to.have.length.above(20);
    expect(findings("saving")).to.deep.equal(plain);
  });
});
