import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const program = fileURLToPath(new URL("../support/programs/html-validate-findings.ts", import.meta.url));
/** In a process of its own: the savings change html-validate for all that runs beside it. */
const findings = (how: "plain" | "saving"): unknown =>
  JSON.parse(execFileSync(process.execPath, [program, how], { encoding: "utf8" }));

describe("the work that html-validate is spared", () => {
  it("changes none of its findings", () => {
    const plain = findings("plain");
    expect(plain).to.have.length.above(20);
    expect(findings("saving")).to.deep.equal(plain);
  });
});
