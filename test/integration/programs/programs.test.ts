import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const entry = path.resolve(import.meta.dirname, "../../../src/main/index.ts");

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [entry, ...args], { encoding: "utf8" });
}

describe("The entry point", () => {
  it("lists the programs when it is asked", () => {
    const { status, stdout, stderr } = run("--help");
    expect([status, stderr]).to.deep.equal([0, ""]);
    for (const program of ["api", "controller", "crawler", "checker", "migrate"])
      expect(stdout).to.match(new RegExp(`^ {2}${program} +\\w`, "m"));
  });

  it("lists them and exits with 2 for an unknown name, such as constructor, and for none", () => {
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
