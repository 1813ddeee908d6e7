import { expect } from "chai";
import { createVisitBudget, MAX_VISIT_BYTES, MAX_VISIT_REQUESTS } from "../../../src/domain/scope/visit-budget.ts";

describe("the budget of a visit", () => {
  const spend = (times: number, once: () => boolean) => Array.from({ length: times }, once).filter(Boolean).length;

  it("is so many requests to another domain, all its hosts together, and a tenth of those that do more than read", () => {
    const budget = createVisitBudget("www.example.org");
    let at = 0;
    expect(spend(5_000, () => budget.take(`${at++}.stranger.co.uk`, "GET"))).to.equal(MAX_VISIT_REQUESTS);
    expect(budget.take("stranger.co.uk", "GET")).to.equal(false);
    expect(spend(5_000, () => budget.take("other.test", "POST"))).to.equal(MAX_VISIT_REQUESTS / 10);
    expect(budget.usedUp()).to.deep.equal(["stranger.co.uk", "other.test"]);
  });

  it("is so many bytes", () => {
    const budget = createVisitBudget("www.example.org");
    expect(spend(100, () => budget.send("stranger.test", 50_000))).to.equal(MAX_VISIT_BYTES / 50_000);
    expect(budget.take("stranger.test", "GET")).to.equal(false);
    expect(budget.usedUp()).to.deep.equal(["stranger.test"]);
  });

  it("does not bound what a page asks of its own host, and is not multiplied by many domains", () => {
    const budget = createVisitBudget("127.0.0.1");
    expect(spend(5_000, () => budget.take("127.0.0.1", "POST"))).to.equal(5_000);
    let at = 0;
    const sent = spend(10_000, () => budget.send(`stranger${at++}.test`, 1_000_000));
    expect(sent).to.be.lessThan(310);
    expect(budget.usedUp()).to.deep.equal(["other domains"]);
  });
});
