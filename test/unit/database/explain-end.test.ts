import { expect } from "chai";
import { ClusterError } from "../../../src/cluster/port.ts";
import { explainEnd } from "../../../src/embedded/explain-end.ts";

const LONG = 100_000;

describe("the end of an embedded PostgreSQL", () => {
  /** As a socket and as the server say it. */
  const losses = [
    Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" }),
    Object.assign(new Error("terminating connection due to unexpected postmaster exit"), { code: "57P01" }),
    new ClusterError("Unavailable", "The database is not reachable.", {
      cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" }),
    }),
  ];

  for (const loss of losses)
    it(`is the cause of "${loss.message}", even if it is known only later`, async () => {
      const { promise: ended, resolve } = Promise.withResolvers<string>();
      const explained = explainEnd(loss, { ended }, LONG);
      resolve("PostgreSQL ended.");
      expect(await explained)
        .to.be.an("error")
        .that.deep.includes({ message: "PostgreSQL ended.", cause: loss });
    });

  it("is not the cause of a lost connection while the server lives", async () => {
    expect(await explainEnd(losses[0], { ended: new Promise(() => {}) }, 0)).to.equal(losses[0]);
  });

  it("is not the cause of other errors, nor of another database's", async () => {
    const other = new Error("A bug.");
    const ended = Promise.resolve("PostgreSQL ended.");
    expect(await explainEnd(other, { ended }, LONG)).to.equal(other);
    expect(await explainEnd(losses[0], undefined, LONG)).to.equal(losses[0]);
  });
});
