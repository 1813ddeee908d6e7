import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const entry = path.resolve(import.meta.dirname, "../../../src/main/index.ts");

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [entry, ...args], { encoding: "utf8" });
}

describe("The entry of the programs", () => {
  it("lists the programs when it is asked", () => {
    const { status, stdout, stderr } = run("--help");
    expect([status, stderr]).to.deep.equal([0, ""]);
    for (const program of ["api", "controller", "crawler", "checker", "migrate"])
      expect(stdout).to.match(new RegExp(`^ {2}${program} +\\w`, "m"));
  });

  it("lists them for a name that is none, as constructor, and for no name, and fails as wrong use", () => {
    for (const [args, words] of [
      [["nope"], 'There is no program "nope".'],
      [["constructor"], 'There is no program "constructor".'],
      [[], "No program is given."],
    ] as const) {
      const { status, stdout, stderr } = run(...args);
      expect([status, stdout]).to.deep.equal([2, ""]);
      expect(stderr).to.match(/^ {2}crawler +\w/m);
      expect(stderr.startsWith(words), stderr).to.equal(true);
    }
  });
});
