import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { table } from "../src/cli/table.ts";
import type { Result } from "./results.ts";
import { type Costs, type Load, simulate } from "./simulation/simulate.ts";

/**
 * What 1,000 reports an hour and 1,000,000 pages a day need, by the costs that `npm run bench -- --write` measured
 * (docs/performance.json). Prints a line for each number of cores; docs/scale.md says what follows.
 *
 *     node bench/simulate.ts [--hours 24] [--reports-per-hour 1000] [--pages-per-day 1000000] [--a11y 0.5]
 *       [--rate-limit 5] [--running-reports 100] [--cores 2,8,32] [--seed 1]
 */
const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "24" },
    "reports-per-hour": { type: "string", default: "1000" },
    "pages-per-day": { type: "string", default: "1000000" },
    a11y: { type: "string", default: "0.5" },
    "rate-limit": { type: "string", default: "5" },
    "running-reports": { type: "string", default: "100" },
    cores: { type: "string", default: "2,8,32" },
    seed: { type: "string", default: "1" },
  },
});

type Stored = Result & { measured: { cores: number } };
const { results } = JSON.parse(await readFile(new URL("../docs/performance.json", import.meta.url), "utf8")) as {
  results: Stored[];
};

/** A figure of the table, and the cores of the machine that it was measured on. @throws when it was not measured */
function measured(measure: string, figure: string): { figure: number; cores: number } {
  const row = results.find((result) => result.measure === measure);
  const found = row?.figures[figure];
  if (!row || found === undefined)
    throw new Error(`docs/performance.json has no "${figure}" of "${measure}": run npm run bench -- --write first.`);
  return { figure: found, cores: row.measured.cores };
}

const check = measured("check of one page, HTML, warm", "ms of a check");
const a11y = measured("a11y checks, whole path", "s a page");
const costs: Costs = {
  // All cores are busy while a report starts and while a browser checks pages.
  start: (check.figure / 1000) * check.cores,
  crawledPage: measured("crawl into PostgreSQL, no rate limit", "ms of processor time a page").figure / 1000,
  htmlPage: measured("HTML checks with conformance, whole path", "ms of processor time a page").figure / 1000,
  a11yPage: a11y.figure * a11y.cores,
};
const reportsPerHour = Number(values["reports-per-hour"]);
const load: Load = {
  hours: Number(values.hours),
  reportsPerHour,
  pagesPerReport: Number(values["pages-per-day"]) / 24 / reportsPerHour,
  maxPages: 5_000,
  rateLimit: Number(values["rate-limit"]),
  a11yShare: Number(values.a11y),
  seed: Number(values.seed),
};

const seconds = (value: number) => `${(value * 1000).toFixed(value < 0.1 ? 1 : 0)} ms`;
console.log(
  `Processor time: ${seconds(costs.start)} to start a report; a page ${seconds(costs.crawledPage)} to crawl, ` +
    `${seconds(costs.htmlPage)} for HTML, ${seconds(costs.a11yPage)} for accessibility.\n`,
);
const rows = values.cores.split(",").map((cores) => {
  const capacity = { cores: Number(cores), runningReports: Number(values["running-reports"]) };
  const outcome = simulate(load, capacity, costs);
  const { wait, time, utilisation, mostWaiting, mostRunning } = outcome;
  return {
    cells: [
      cores,
      `${outcome.ended} of ${outcome.reports}`,
      String(outcome.pages),
      `${(utilisation * 100).toFixed(0)} %`,
      ...[wait.median, wait.p95, time.median, time.p95].map((value) => `${value.toFixed(0)} s`),
      ...[mostRunning, mostWaiting].map(String),
    ],
    details: [],
  };
});
const columns = ["cores", "ended", "pages", "busy", "wait", "p95", "time", "p95", "running", "waiting"];
console.log(table(columns, rows, { right: columns.map((_, index) => index) }));
