import { expect } from "chai";
import { ClusterError } from "../../../src/cluster/port.ts";
import { explainEnd } from "../../../src/embedded/explain-end.ts";
import { noSpace } from "../../../src/main/lifecycle/program.ts";

const LONG = 100_000;

const never = new Promise<never>(() => {});
const noCrash = () => undefined;

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
      const explained = explainEnd(loss, { ended, crash: noCrash }, LONG);
      resolve("PostgreSQL ended.");
      expect(await explained)
        .to.be.an("error")
        .that.deep.includes({ message: "PostgreSQL ended.", cause: loss });
    });

  it("is not the cause of a lost connection while the server lives", async () => {
    expect(await explainEnd(losses[0], { ended: never, crash: noCrash }, 0)).to.equal(losses[0]);
  });

  it("is told by what the server said, where it started again after a crash that lost the connections", async () => {
    const discarded = new Error("Postgres connection has been discarded");
    const said = "PostgreSQL ended all its connections.\nPANIC: No space left on device";
    const explained = await explainEnd(discarded, { ended: never, crash: () => said }, 0);
    expect(explained).to.be.an("error").that.deep.includes({ message: said, cause: discarded });
    expect(noSpace(explained)).to.equal(
      "There is no space left where the data or temporary files are: PANIC: No space left on device",
    );
  });

  it("is not the cause of other errors, nor of another database's", async () => {
    const other = new Error("A bug.");
    const ended = Promise.resolve("PostgreSQL ended.");
    expect(await explainEnd(other, { ended, crash: noCrash }, LONG)).to.equal(other);
    expect(await explainEnd(losses[0], undefined, LONG)).to.equal(losses[0]);
  });
});
