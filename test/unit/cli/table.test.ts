import { expect } from "chai";
import { table } from "../../../src/cli/table.ts";

describe("a table", () => {
  it("aligns columns and indents details to the last", () => {
    expect(
      table(
        ["TYPE", "COUNT", "MESSAGE"],
        [
          { cells: ["error", "1000", "Long"], details: ["x"] },
          { cells: ["warning", "2", "Short"], details: [] },
        ],
        { right: [1] },
      ).split("\n"),
    ).to.deep.equal([
      "TYPE     COUNT  MESSAGE",
      "error     1000  Long",
      "                  x",
      "warning      2  Short",
    ]);
  });
});
