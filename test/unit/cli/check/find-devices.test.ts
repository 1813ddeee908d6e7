import { expect } from "chai";
import { findDevices } from "../../../../src/cli/check/find-devices.ts";
import { UsageError } from "../../../../src/domain/errors.ts";

describe("The devices that a command names", () => {
  const all = [
    ["", "Default"],
    ["7", "Pixel 9"],
    ["8", "Pixel Tablet"],
    ["9", "iPad"],
  ].map(([id, name]) => ({ id, attributes: { name } }));
  const client = { all: async () => all } as unknown as Parameters<typeof findDevices>[0];

  it("are found by their names in any case, and by their ids", async () => {
    expect(await findDevices(client, ["pixel 9", "9"])).to.deep.equal(["7", "9"]);
  });

  it("are the default device first, wherever it is named", async () => {
    expect(await findDevices(client, ["iPad", "default"])).to.deep.equal(["", "9"]);
  });

  it("are refused when there are none of that name, with those that are alike", async () => {
    const error = await findDevices(client, ["Pixel"]).catch((refused: unknown) => refused);
    expect(error).to.be.instanceOf(UsageError);
    expect((error as Error).message).to.include("Some devices are: Pixel 9, Pixel Tablet.");
  });
});
