import { expect } from "chai";
import { nextTabs, type Observed } from "../../../src/checker/engines/axe/tabs.ts";

const limits = { least: 2, most: 16, kept: 3 };
const observed = (changes: Partial<Observed>): Observed => ({
  ...{ busy: 0.5, memory: 8e9, inFlight: 4, troubles: 0, waitedForRate: false },
  ...changes,
});

describe("the number of tabs", () => {
  for (const [what, changes, expected] of [
    ["grows by what the cores have left", { busy: 0.6 }, 6],
    ["grows by one at least while there are idle cores", { busy: 0.91 }, 5],
    ["is four times as many at most", { busy: 0.1 }, 16],
    ["stays while the cores are busy", { busy: 0.95 }, 4],
    ["shrinks when pages wait for cores", { busy: 0.99 }, 3],
    ["stays when not all are used", { inFlight: 3 }, 4],
    ["stays when the rate limit holds pages up", { waitedForRate: true }, 4],
    ["is halved after trouble", { troubles: 1 }, 2],
    ["shrinks without memory", { memory: 2e8 }, 3],
    ["grows only as far as memory reaches", { busy: 0.1, memory: 1.3e9 }, 6],
  ] as const)
    it(what, () => {
      expect(nextTabs(4, observed(changes), limits)).to.equal(expected);
    });

  it("is one more than the cores although they are busy, so that none is idle between two pages", () => {
    expect(nextTabs(3, observed({ busy: 1, inFlight: 3 }), limits)).to.equal(3);
    expect(nextTabs(2, observed({ busy: 1, inFlight: 2 }), limits)).to.equal(3);
    expect(nextTabs(2, observed({ busy: 1, inFlight: 2, waitedForRate: true }), limits)).to.equal(2);
  });

  it("stays within its limits", () => {
    expect(nextTabs(2, observed({ busy: 0.1, inFlight: 2 }), limits)).to.equal(8);
    expect(nextTabs(16, observed({ busy: 0.1, inFlight: 16 }), limits)).to.equal(16);
    expect(nextTabs(2, observed({ troubles: 3 }), limits)).to.equal(2);
    expect(nextTabs(9, observed({}), { least: 2, most: 2, kept: 2 })).to.equal(2);
  });
});

/** A site: how long its server takes, and how long a page keeps a core busy, in ms. */
type SimulatedSite = { waitMs: number; workMs: number; tabBytes?: number; rateLimit?: number; mostAtOnce?: number };

const TICK_MS = 500;

/** Pages a second, and the numbers of tabs, of so many decisions. A page uses one core; cores are shared. */
function simulate(site: SimulatedSite, decide: (tabs: number, observed: Observed) => number, ticks = 120) {
  const [cores, memory] = [2, 3e9];
  const { waitMs, workMs, tabBytes = 1e8, rateLimit = Number.POSITIVE_INFINITY, mostAtOnce = 1_000 } = site;
  let tabs = 2;
  let pages = 0;
  const history: number[] = [];
  for (let tick = 0; tick < ticks; tick += 1) {
    const free = tabs / (waitMs + workMs);
    const rate = Math.min(free, cores / workMs, rateLimit / 1_000);
    pages += rate * TICK_MS;
    history.push(tabs);
    tabs = decide(tabs, {
      busy: (rate * workMs) / cores,
      memory: memory - tabs * tabBytes,
      inFlight: tabs,
      troubles: tabs > mostAtOnce ? 1 : 0,
      waitedForRate: rate < Math.min(free, cores / workMs),
    });
  }
  return { pages, history };
}

describe("the number of tabs on a simulated site", () => {
  const adaptive = (tabs: number, seen: Observed) => nextTabs(tabs, seen, limits);
  const sites: Record<string, SimulatedSite> = {
    "that responds at once": { waitMs: 5, workMs: 100 },
    "that responds after 50 ms": { waitMs: 50, workMs: 100 },
    "that responds after 200 ms": { waitMs: 200, workMs: 100 },
    "that responds after 700 ms": { waitMs: 700, workMs: 100 },
    "with heavy scripts": { waitMs: 50, workMs: 1_500, tabBytes: 4e8 },
    "with a rate limit": { waitMs: 200, workMs: 100, rateLimit: 2 },
  };
  for (const [name, site] of Object.entries(sites))
    it(`checks at least nine tenths of what the best fixed number checks, on one ${name}`, () => {
      const fixed = Array.from({ length: 15 }, (_, index) => simulate(site, () => index + 2).pages);
      expect(simulate(site, adaptive).pages).to.be.at.least(0.9 * Math.max(...fixed));
    });

  it("does not grow where the rate limit, the memory or the site sets the pace", () => {
    const most = (site: SimulatedSite) => Math.max(...simulate(site, adaptive).history);
    expect(most({ waitMs: 200, workMs: 100, rateLimit: 2 })).to.equal(2);
    expect(most({ waitMs: 700, workMs: 50, tabBytes: 5e8 })).to.be.at.most(6);
    const { history } = simulate({ waitMs: 700, workMs: 50, mostAtOnce: 6 }, adaptive);
    expect(history.filter((tabs) => tabs > 6).length).to.be.below(history.length / 2);
  });

  it("keeps few tabs open where pages wait for cores", () => {
    expect(Math.max(...simulate({ waitMs: 5, workMs: 100 }, adaptive).history)).to.be.at.most(3);
  });
});
