import { expect } from "chai";
import { untilAborted } from "../../../src/cluster/kubernetes/request.ts";

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe("a wait for something until it is aborted", () => {
  it("gives the result, or the error, that is there before", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(signal, Promise.resolve("done"))).to.equal("done");
    expect(await errorOf(untilAborted(signal, Promise.reject(new Error("broken"))))).to.have.property(
      "message",
      "broken",
    );
  });

  it("ends with the reason at once, and ignores how the rest ends", async () => {
    const abort = new AbortController();
    const work = Promise.withResolvers<string>();
    const result = untilAborted(abort.signal, work.promise);
    abort.abort(new Error("no longer"));
    expect(await errorOf(result)).to.have.property("message", "no longer");
    // Mocha fails on a rejection that nobody handles.
    work.reject(new Error("too late"));
  });

  it("ends with the reason where the signal was aborted before", async () => {
    const signal = AbortSignal.abort(new Error("already"));
    expect(await errorOf(untilAborted(signal, new Promise(() => {})))).to.have.property("message", "already");
  });
});
