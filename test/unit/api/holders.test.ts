import { expect } from "chai";
import { concurrencyLimit } from "../../../src/api/http/request/concurrency-limit.ts";
import { type Holder, heldCounts } from "../../../src/api/http/request/holders.ts";
import { streamSlots } from "../../../src/api/http/response/send-stream.ts";

const guest = (name: string): Holder => ({ key: "account 1", guest: name });

/** Takes as many as are allowed. */
function fill(counts: ReturnType<typeof heldCounts>, holder: Holder, max: number): number {
  let taken = 0;
  for (; counts.allows(holder, max); taken++) counts.add(holder);
  return taken;
}

describe("what an account may have at once", () => {
  it("is used up by guests by half, and by one guest by a quarter", () => {
    const counts = heldCounts();
    expect(["a", "b", "c"].map((name) => fill(counts, guest(name), 20))).to.deep.equal([5, 5, 0]);
    expect(fill(counts, "account 1", 20)).to.equal(10);
    expect(fill(counts, "account 2", 20)).to.equal(20);
  });

  it("includes what its guests have, and is free again when they give it back", () => {
    const counts = heldCounts();
    const back = counts.add(guest("a"));
    expect(fill(counts, "account 1", 4)).to.equal(3);
    expect(counts.allows(guest("b"), 4)).to.equal(false);
    back();
    expect(counts.allows("account 1", 4)).to.equal(true);
  });

  it("is one for a guest where the account has few, and none where it has none", () => {
    expect(fill(heldCounts(), guest("a"), 2)).to.equal(1);
    expect(fill(heldCounts(), guest("a"), 0)).to.equal(0);
  });

  it("holds for exports and for slow requests", async () => {
    const { take } = streamSlots();
    take(guest("a"), false);
    expect(() => take(guest("a"), false)).to.throw("fewer by guests");
    take(guest("b"), false);
    expect(() => take(guest("c"), false)).to.throw("fewer by guests");
    for (const _ of [1, 2]) take("account 1", false);

    const slow = concurrencyLimit({ waitMs: 0 });
    const { signal } = new AbortController();
    await slow.take(guest("a"), signal);
    expect(await slow.take(guest("b"), signal).catch((error: Error) => error)).to.be.an("error");
    await slow.take("account 1", signal);
  });

  it("goes next to the caller who has the fewest slow requests, not to the one who asked first", async () => {
    const slow = concurrencyLimit({ caller: 3, total: 3 });
    const { signal } = new AbortController();
    await slow.take("a", signal);
    await slow.take("a", signal);
    const end = await slow.take("b", signal);
    const order: string[] = [];
    const wait = (caller: string, { signal: until }: AbortController) =>
      slow.take(caller, until).then(() => order.push(caller));
    const leaving = new AbortController();
    const first = wait("a", leaving).catch(() => "left");
    const second = wait("c", new AbortController());
    end();
    await second;
    expect(order).to.deep.equal(["c"]);
    leaving.abort();
    expect(await first).to.equal("left");
  });
});
