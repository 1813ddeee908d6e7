import { expect } from "chai";
import { type Capacity, type Load, simulate } from "../../../bench/simulation/simulate.ts";

const costs = { start: 2, crawledPage: 0.002, htmlPage: 0.01, a11yPage: 0.4 };
const load: Load = {
  ...{ hours: 2, reportsPerHour: 200, pagesPerReport: 40, maxPages: 5_000, rateLimit: 5, a11yShare: 0.5, seed: 7 },
};
const capacity: Capacity = { cores: 8, runningReports: 100 };

describe("The simulation of a service", () => {
  it("gives the same for the same seed, and other reports for another one", () => {
    expect(simulate(load, capacity, costs)).to.deep.equal(simulate(load, capacity, costs));
    expect(simulate({ ...load, seed: 8 }, capacity, costs)).to.not.deep.equal(simulate(load, capacity, costs));
  });

  it("has as many reports and pages as the load says, within a tenth", () => {
    const { reports, pages } = simulate({ ...load, hours: 24 }, capacity, costs);
    expect(reports).to.be.within(24 * 200 * 0.9, 24 * 200 * 1.1);
    expect(pages / reports).to.be.within(36, 44);
  });

  it("uses as much processor time as the reports that ended need, and no more than there is", () => {
    const { utilisation, pages, reports } = simulate({ ...load, a11yShare: 0 }, capacity, costs);
    const needed = reports * costs.start + pages * (costs.crawledPage + costs.htmlPage);
    expect(utilisation * 8 * 2 * 3600).to.be.within(needed * 0.95, needed);
    expect(simulate({ ...load, reportsPerHour: 20_000 }, capacity, costs).utilisation).to.be.within(0.99, 1);
  });

  it("lets nobody wait where there is room, and a queue grow where there is not", () => {
    const roomy = simulate(load, capacity, costs);
    expect(roomy.mostWaiting).to.equal(0);
    // Until the next step.
    expect(roomy.wait.p95).to.be.below(1);
    const crowded = simulate(load, { ...capacity, runningReports: 1 }, costs);
    expect(crowded.mostRunning).to.equal(1);
    expect(crowded.mostWaiting).to.be.above(10);
  });

  it("makes no report faster than its rate limit, and none slower with more cores", () => {
    const alone = { ...load, reportsPerHour: 1, hours: 48 };
    const slow = simulate({ ...alone, rateLimit: 1 }, { cores: 1_000, runningReports: 100 }, costs);
    const fast = simulate({ ...alone, rateLimit: 10 }, { cores: 1_000, runningReports: 100 }, costs);
    expect(slow.time.median / fast.time.median).to.be.above(3);
    const [few, many] = [4, 16].map((cores) => simulate(load, { ...capacity, cores }, costs));
    expect(many?.time.p95).to.be.at.most(few?.time.p95 ?? 0);
  });
});
