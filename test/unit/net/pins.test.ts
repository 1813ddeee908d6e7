import { expect } from "chai";
import { addressPolicy, spaceOfAddress } from "../../../src/net/addresses.ts";
import { createPass } from "../../../src/net/proxy-pass.ts";

describe("where hosts are", () => {
  let answers: Record<string, string[]> = {};
  const resolve = async (name: string) => {
    const found = answers[name];
    if (!found) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  const pass = () => createPass({ ...addressPolicy(["127.0.0.0/8", "::1/128", "10.0.0.0/8"]), resolve });
  const lookUp = ({ lookup }: ReturnType<typeof pass>, name: string) =>
    new Promise((done) =>
      lookup(name, { all: true }, (error, found) => done(error ? (error as { code?: string }).code : found)),
    );
  const urlOf = (name: string) => new URL(`http://${name}/`);

  it("is told by addresses in all spellings", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"])
      expect(spaceOfAddress(address), address).to.equal("loopback");
    for (const address of ["10.0.0.1", "192.168.1.1", "169.254.169.254", "fd00::1", "fe80::1", "::ffff:10.0.0.1"])
      expect(spaceOfAddress(address), address).to.equal("private");
    for (const address of ["93.184.216.34", "2606:4700::1111"])
      expect(spaceOfAddress(address), address).to.equal("public");
  });

  it("stays what it was: a name that was outside never leads inside, however often it is asked for", async () => {
    answers = { "rebind.test": ["93.184.216.34"] };
    const own = pass();
    expect(await own.approach(urlOf("rebind.test"), { from: ["loopback"] })).to.deep.equal({
      to: "public",
      isAllowed: true,
    });
    expect(await lookUp(own, "rebind.test")).to.have.length(1);
    answers = { "rebind.test": ["127.0.0.1"] };
    expect(await lookUp(own, "rebind.test")).to.equal("blocked_address");
    expect(await own.approach(urlOf("rebind.test"), { from: [] })).to.include({ to: "public" });
    answers = { "rebind.test": ["93.184.216.35"] };
    expect(await lookUp(own, "rebind.test")).to.have.length(1);
  });

  it("keeps the addresses of a name that was inside", async () => {
    answers = { "inside.test": ["127.0.0.1"] };
    const own = pass();
    await own.approach(urlOf("inside.test"), { from: [] });
    for (const next of ["93.184.216.34", "10.0.0.9"]) {
      answers = { "inside.test": [next] };
      expect(await lookUp(own, "inside.test")).to.deep.equal([{ address: "127.0.0.1", family: 4 }]);
    }
  });

  it("is unknown for a name that nobody knows yet: it does not pass as one of outside", async () => {
    answers = {};
    const own = pass();
    const failed = await own.approach(urlOf("late.test"), { from: ["public"] }).catch((error) => error.code);
    expect(failed).to.equal("ENOTFOUND");
    answers = { "late.test": ["127.0.0.1"] };
    expect(await own.approach(urlOf("late.test"), { from: ["public"] })).to.deep.equal({
      to: "loopback",
      isAllowed: false,
    });
  });

  it("cannot be both: a name that leads to several address spaces is refused", async () => {
    answers = { "mixed.test": ["127.0.0.1", "93.184.216.34"] };
    const failed = await pass()
      .approach(urlOf("mixed.test"), { from: [] })
      .catch((error) => error.code);
    expect(failed).to.equal("blocked_address");
  });

  it("does not matter to a report that nothing inside is open to", async () => {
    answers = {};
    const closed = createPass({ ...addressPolicy([]), resolve });
    expect(closed.isOpen).to.equal(false);
    expect(await closed.approach(urlOf("any.test"), { from: ["public"] })).to.deep.equal({
      to: "public",
      isAllowed: true,
    });
  });
});
