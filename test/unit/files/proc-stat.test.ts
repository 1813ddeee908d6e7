import { expect } from "chai";
import { parseProcStat } from "../../../src/files/proc-stat.ts";

describe("the fields of /proc/PID/stat", () => {
  it("are counted from 1, whatever the name of the command has", () => {
    for (const command of ["node", "a b", "a) S 1 (b", ""]) {
      const field = parseProcStat(`42 (${command}) R 7 42 1`);
      expect(
        [3, 4, 5, 6].map((number) => field(number)),
        command,
      ).to.deep.equal(["R", "7", "42", "1"]);
    }
  });

  it("are empty beyond the last one", () => {
    expect(parseProcStat("42 (node) R")(4)).to.equal("");
  });
});
