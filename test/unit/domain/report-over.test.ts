import { expect } from "chai";
import { noCounts } from "../../../src/domain/findings/check-counts.ts";
import { type CrawlState, isReportOver } from "../../../src/domain/report-over.ts";

describe("a report is over", () => {
  const states: CrawlState[] = ["pending", "crawling", "ended", "failed"];

  it("when its crawl has ended or failed and no check of any kind waits or runs", () => {
    expect(states.filter((state) => isReportOver(state, noCounts()))).to.deep.equal(["ended", "failed"]);
  });

  it("never while a check of one kind waits or runs", () => {
    const counts = noCounts();
    counts.a11y.pending = 1;
    expect(states.filter((state) => isReportOver(state, counts))).to.deep.equal([]);
  });
});
