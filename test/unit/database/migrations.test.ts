import { expect } from "chai";
import { migrations } from "../../../src/database/migrations/migrate.ts";

describe("The migrations", () => {
  it("run in the order of their names", () => {
    expect(Object.keys(migrations)).to.deep.equal(Object.keys(migrations).sort());
  });
});
