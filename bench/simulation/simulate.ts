import { createRandom, type Random } from "../../packages/html-conformance/comparison/generator/random.ts";

/** What reports cost: seconds of processor time, on all machines together, unless it says otherwise. */
export type Costs = {
  /** The start of a report's processes. */
  start: number;
  crawledPage: number;
  htmlPage: number;
  a11yPage: number;
};

/** What comes in. */
export type Load = {
  hours: number;
  reportsPerHour: number;
  /** On average; few reports have most of the pages, as a lognormal distribution has it. */
  pagesPerReport: number;
  maxPages: number;
  /** Pages a second of one report, 0 for no limit. */
  rateLimit: number;
  /** The part of reports that check accessibility, too: 0 to 1. */
  a11yShare: number;
  seed: number;
};

/** What there is to work with. */
export type Capacity = {
  /** Cores for Jobs. */
  cores: number;
  /** MAX_RUNNING_REPORTS: others wait for their turn, in order. */
  runningReports: number;
};

export type Outcome = {
  reports: number;
  pages: number;
  /** Of the reports that ended. */
  ended: number;
  /** From 0 to 1. */
  utilisation: number;
  /** Seconds from a report's creation to its start, and to its end. */
  wait: Percentiles;
  time: Percentiles;
  /** The most reports that waited at once. */
  mostWaiting: number;
  /** The most that ran at once. */
  mostRunning: number;
};

export type Percentiles = { median: number; p95: number };

type Report = { at: number; pages: number; startsAt: number; startLeft: number; pagesLeft: number; pageCost: number };

/** How far a few sites are larger than most: the standard deviation of the logarithm of a report's pages. */
const SIGMA = 1.2;
const HOUR = 3600;

/**
 * Plays a load through a capacity in steps of one second. Reports come at random times (a Poisson process); those that
 * run share the cores, and none is faster than its rate limit. What is not modelled: the network and the database, whose
 * limits docs/scale.md names.
 *
 * @returns the same for the same seed
 */
export function simulate(load: Load, capacity: Capacity, costs: Costs): Outcome {
  const random = createRandom(load.seed);
  const coming = arrivals(load, costs, random);
  const waiting: Report[] = [];
  const running = new Set<Report>();
  const ended: { wait: number; time: number }[] = [];
  const seen = { mostWaiting: 0, mostRunning: 0, used: 0 };
  let next = 0;
  for (let second = 0; second < load.hours * HOUR; second += 1) {
    for (let report = coming[next]; report && report.at <= second; report = coming[++next]) waiting.push(report);
    while (running.size < capacity.runningReports && waiting.length > 0) {
      const report = waiting.shift() as Report;
      report.startsAt = second;
      running.add(report);
    }
    seen.mostWaiting = Math.max(seen.mostWaiting, waiting.length);
    seen.mostRunning = Math.max(seen.mostRunning, running.size);
    const wanted = [...running].map((report) => demandOf(report, load.rateLimit));
    const total = wanted.reduce((sum, demand) => sum + demand, 0);
    const granted = total > capacity.cores ? capacity.cores / total : 1;
    seen.used += total * granted;
    for (const [index, report] of [...running].entries()) {
      advance(report, (wanted[index] ?? 0) * granted);
      if (report.pagesLeft > 1e-9) continue;
      running.delete(report);
      ended.push({ wait: report.startsAt - report.at, time: second + 1 - report.at });
    }
  }
  return {
    reports: next,
    pages: coming.slice(0, next).reduce((sum, { pages }) => sum + pages, 0),
    ended: ended.length,
    utilisation: seen.used / (capacity.cores * load.hours * HOUR),
    wait: percentiles(ended.map(({ wait }) => wait)),
    time: percentiles(ended.map(({ time }) => time)),
    ...{ mostWaiting: seen.mostWaiting, mostRunning: seen.mostRunning },
  };
}

function arrivals(load: Load, costs: Costs, random: Random): Report[] {
  const reports: Report[] = [];
  // The mean of a lognormal distribution is exp(mu + sigma²/2).
  const mu = Math.log(load.pagesPerReport) - SIGMA ** 2 / 2;
  for (let at = 0; at < load.hours * HOUR; ) {
    at += (-Math.log(1 - random.next()) * HOUR) / load.reportsPerHour;
    const pages = Math.min(load.maxPages, Math.max(1, Math.round(Math.exp(mu + SIGMA * normal(random)))));
    const a11y = random.next() < load.a11yShare ? costs.a11yPage : 0;
    const pageCost = costs.crawledPage + costs.htmlPage + a11y;
    reports.push({ at, pages, startsAt: 0, startLeft: costs.start, pagesLeft: pages, pageCost });
  }
  return reports;
}

/** Seconds of processor time that a report could use in the next second. */
function demandOf({ startLeft, pagesLeft, pageCost }: Report, rateLimit: number): number {
  // The start of a report is one process after the other.
  if (startLeft > 0) return Math.min(1, startLeft);
  return (rateLimit > 0 ? Math.min(rateLimit, pagesLeft) : pagesLeft) * pageCost;
}

function advance(report: Report, seconds: number): void {
  if (report.startLeft > 0) report.startLeft = Math.max(0, report.startLeft - seconds);
  else report.pagesLeft -= seconds / report.pageCost;
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

/** Box and Muller's method. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
