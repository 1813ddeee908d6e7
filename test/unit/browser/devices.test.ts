import { expect } from "chai";
import { defaultDevice, findDevice, listDevices, rotated } from "../../../src/browser/devices.ts";

describe("devices", () => {
  it("start with the default device, which has an empty id", async () => {
    const [first] = await listDevices();
    expect(first).to.deep.equal({
      id: "",
      name: "Default",
      width: 800,
      height: 600,
      device_scale_factor: 1,
      is_mobile: false,
      is_landscape: false,
      has_touch: false,
      user_agent: "",
    });
    expect(await findDevice("")).to.equal(defaultDevice);
  });

  it("have ids that stay the same, however puppeteer's list changes", async () => {
    const ids = new Map((await listDevices()).map(({ name, id }) => [name, id]));
    expect(ids.get("iPhone X")).to.equal("0d56fd03-7bda-5ad8-b78d-5af9a0b4767b");
    expect(ids.get("iPad landscape")).to.equal("3d88ebed-2ed5-52ef-9032-3b4512178aa2");
  });

  it("have unique ids, each a UUID of version 5", async () => {
    const [, ...known] = await listDevices();
    expect(known).to.have.length.above(100);
    expect(new Set(known.map(({ id }) => id)).size).to.equal(known.length);
    for (const { id } of known) {
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it("are found by id, regardless of case, and by nothing else", async () => {
    const phone = (await listDevices()).find(({ name }) => name === "iPhone X");
    expect(phone).to.include({ width: 375, height: 812, device_scale_factor: 3, is_mobile: true, has_touch: true });
    expect(await findDevice((phone?.id ?? "").toUpperCase())).to.equal(phone);
    expect(await findDevice("iPhone X")).to.equal(undefined);
    expect(await findDevice("__proto__")).to.equal(undefined);
  });

  it("can be rotated by 90 degrees", () => {
    expect(rotated(defaultDevice)).to.include({ width: 600, height: 800, is_landscape: true });
    expect(rotated(rotated(defaultDevice))).to.deep.equal(defaultDevice);
  });
});
