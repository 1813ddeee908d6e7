import { globSync } from "node:fs";
import { expect } from "chai";
import { filesOf, RUNS } from "../../runs.ts";

describe("The runs of tests", () => {
  it("have each file once, but those that need an artifact, a cluster, or the documentation alone", () => {
    const elsewhere = /^test\/(artifacts|documentation|e2e|faults)\//;
    const files = globSync("test/**/*.test.ts").filter((file) => !elsewhere.test(file) && !file.includes("fixtures"));
    const own = RUNS.flatMap(filesOf).filter((file) => file.startsWith("test/"));
    expect(own).to.have.members(files);
  });

  it("name each other where one is asked for that there is not", () => {
    expect(() => filesOf("program")).to.throw(
      "There is no run program of tests; there are short, programs, pages, browser.",
    );
  });
});
