import { expect } from "chai";
import { concurrencyLimit } from "../../../src/api/http/request/concurrency-limit.ts";
import { RequestError } from "../../../src/domain/errors.ts";

describe("slow requests at the same time", () => {
  const { signal } = new AbortController();
  const limits = { caller: 2, total: 3, waitMs: 60_000 };

  /** Asks to run, and notes the name once that is allowed. */
  function queue() {
    const { take } = concurrencyLimit(limits);
    const begun: string[] = [];
    const ask = async (caller: string, name: string, until = signal): Promise<() => void> => {
      const end = await take(caller, until);
      begun.push(name);
      return end;
    };
    const pause = () => new Promise((resolve) => setImmediate(resolve));
    return { begun, ask, pause };
  }

  it("are few of a caller, and few of all; who waits longest is next, of those who may", async () => {
    const { begun, ask, pause } = queue();
    const [end1] = [await ask("a", "a1"), await ask("a", "a2")];
    void ask("a", "a3");
    const endB = await ask("b", "b1");
    void ask("b", "b2");
    expect(begun).to.deep.equal(["a1", "a2", "b1"]);
    endB();
    await pause();
    expect(begun).to.deep.equal(["a1", "a2", "b1", "b2"]);
    end1();
    await pause();
    expect(begun.at(-1)).to.equal("a3");
  });

  it("are not kept for a client that goes away", async () => {
    const { begun, ask, pause } = queue();
    const [end] = [await ask("a", "a1"), await ask("a", "a2")];
    const client = new AbortController();
    const left = ask("a", "left", client.signal).catch((error: unknown) => error);
    void ask("a", "a3");
    client.abort();
    expect((await left) as RequestError).to.have.nested.property("violations[0].status", 503);
    end();
    await pause();
    expect(begun).to.deep.equal(["a1", "a2", "a3"]);
  });

  it("are refused at once to a caller of whom many wait already", async () => {
    const { ask } = queue();
    const client = new AbortController();
    await Promise.all([ask("a", "a1"), ask("a", "a2")]);
    const waiting = Array.from({ length: 100 }, () => ask("a", "more", client.signal).catch(() => "left"));
    const refused: unknown = await ask("a", "one too many").catch((error: unknown) => error);
    expect((refused as RequestError).violations[0]).to.include({ status: 429, code: "too_many_at_once" });
    await ask("b", "b1");
    client.abort();
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set(["left"]));
  });

  it("are refused to whoever waits too long", async () => {
    const { take } = concurrencyLimit({ caller: 1, waitMs: 1 });
    await take("a", signal);
    const refused: unknown = await take("a", signal).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(RequestError);
    expect((refused as RequestError).violations[0]).to.include({ status: 429, code: "too_many_at_once" });
  });
});
