import { expect } from "chai";
import { PageError } from "../../../src/domain/failure.ts";
import { createHostBreaker, type HostBreaker } from "../../../src/net/host-breaker.ts";

const fails = (error: Error) => async () => Promise.reject(error);
const silent = fails(new PageError("timeout", "no answer"));
const responds = async () => "page";

describe("the breaker of a host", () => {
  let breaker: HostBreaker;
  beforeEach(() => {
    breaker = createHostBreaker();
  });

  const codeOf = (visit: () => Promise<unknown>, url = "http://a.example/x") =>
    breaker.run(url, visit).then(String, (error: unknown) => (error instanceof PageError ? error.code : String(error)));
  const times = async (count: number, visit: () => Promise<unknown>) => {
    const codes: string[] = [];
    for (let index = 0; index < count; index++) codes.push(await codeOf(visit));
    return codes;
  };
  /** How often `visit` is called in so many runs. */
  const calls = async (runs: number, visit: () => Promise<unknown>) => {
    let called = 0;
    await times(runs, () => {
      called += 1;
      return visit();
    });
    return called;
  };

  it("gives up a host after ten visits in a row without a response, and says so", async () => {
    expect(new Set(await times(10, silent))).to.deep.equal(new Set(["timeout"]));
    const error = await breaker.run("http://a.example/y", responds).catch((reason: unknown) => reason);
    expect(error).to.have.property("code", "host_unresponsive");
    expect(String(error))
      .to.contain("10 requests in a row")
      .and.contain("no answer")
      .and.contain("/y was not requested");
    expect(await codeOf(responds, "http://b.example/")).to.equal("page");
  });

  it("tries fewer and fewer pages of a host that stays silent", async () => {
    expect(await calls(5_000, silent)).to.be.within(18, 20);
  });

  it("goes on as soon as one page of it responds again", async () => {
    await times(20, silent);
    expect(await times(3, responds)).to.deep.equal(["page", "page", "page"]);
    expect(await times(9, silent)).to.not.include("host_unresponsive");
    expect(await codeOf(responds)).to.equal("page");
  });

  it("lets other visits wait for the one that finds out", async () => {
    await times(20, silent);
    const { promise, resolve } = Promise.withResolvers<string>();
    const probe = codeOf(() => promise);
    const other = codeOf(responds);
    resolve("back");
    expect(await Promise.all([probe, other])).to.deep.equal(["back", "page"]);
  });

  it("counts only what says that the host is silent", async () => {
    const others = [
      new PageError("http_error", "404"),
      new PageError("too_large", "large"),
      new PageError("timeout", "slow script", { waitedFor: "page" }),
      new PageError("timeout", "frozen browser", { waitedFor: "browser" }),
      new PageError("blocked_address", "private"),
      new Error("a bug"),
    ];
    for (const error of others) expect(await times(12, fails(error))).to.not.include("host_unresponsive");
    for (const code of ["timeout", "unreachable", "dns_error"] as const) {
      breaker = createHostBreaker();
      expect(await times(11, fails(new PageError(code, "gone"))), code).to.include("host_unresponsive");
    }
  });
});
