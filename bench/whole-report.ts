import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { corpus } from "./corpora.ts";
import { checkA11yAlone, checkHtmlAlone, crawlAlone } from "./limits.ts";
import { type Timed, timed } from "./processor-time.ts";
import { record } from "./results.ts";
import { type Report, type ServiceClient, serviceClient } from "./service-client.ts";
import { isSmoke, rounds } from "./smoke.ts";
import { startService } from "./start-service.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * How long a report with both engines takes on one machine, from the request that creates it until it is complete, compared with the
 * slowest of its parts alone: the bare crawl loop, the bare HTML engine on all cores, and the bare puppeteer and axe loop, over
 * the same pages (the crawl loop over as many, from the same start). The parts can only run side by side where there are cores
 * for it; on two, the sum of their processor times over the cores is the limit, which is given beside it.
 *
 * The report has to have as many pages as the loop, and the findings of both engines alone.
 *
 *     node bench/whole-report.ts [folder] [pages] [rounds]      (or MANUAL_DIR; bench/corpora.ts)
 */

const folder = await corpus();
if (folder === undefined) process.exit(2);
const pages = Number(process.argv[3] ?? (isSmoke ? 6 : 300));
const times = Number(process.argv[4] ?? rounds(2));
type Ours = { seconds: number; pages: number; html: number; a11y: number };

const parts = ["crawl", "HTML engine", "axe loop"] as const;
type Part = (typeof parts)[number];

const site = await startStaticServer(folder);
const startingUrl = new URL("index.html", site.url).href;
const work = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
await chmod(work, 0o755);
const service = await startService(path.join(work, "data"));
try {
  const client = serviceClient(service);
  const own: Timed<Ours>[] = [];
  const alone = new Map<Part, Timed<{ seconds: number }>[]>(parts.map((part) => [part, []]));
  for (let round = 0; round < times; round += 1) {
    const { urls, ...ours } = await timed(() => report(client));
    const crawl = await timed(() => crawlAlone(startingUrl, pages));
    const html = await timed(() => checkHtmlAlone("conformance", urls.map(fileOf)));
    const a11y = await timed(() => checkA11yAlone(urls));
    same("pages", ours.pages, crawl.pages);
    same("HTML findings", ours.html, html.findings);
    same("accessibility findings", ours.a11y, a11y.findings);
    own.push(ours);
    for (const [part, one] of [
      ["crawl", crawl],
      ["HTML engine", html],
      ["axe loop", a11y],
    ] as const)
      alone.get(part)?.push(one);
    console.log(`round ${round + 1}: ${ours.seconds.toFixed(1)} s; load of the machine ${loadavg()[0]?.toFixed(1)}`);
  }
  const best = (runs: readonly Timed<{ seconds: number }>[] = [], of: "seconds" | "processor" = "seconds") =>
    Math.min(...runs.map((one) => one[of]));
  const [seconds, processor] = (["seconds", "processor"] as const).map((of) =>
    parts.map((part) => best(alone.get(part), of)),
  );
  record({
    ...{
      row: "9",
      measure: `a report with both engines, ${own[0]?.pages} pages`,
      against: "the slowest of its parts alone",
    },
    ...{ ratio: best(own) / Math.max(...(seconds ?? [])), target: { atMost: 1.15 } },
    figures: {
      "s until the report is complete": best(own),
      ...Object.fromEntries(parts.map((part, n) => [`s of the ${part}`, seconds?.[n] ?? 0])),
      "s of the parts one after the other": sum(seconds ?? []),
      "s of processor time": best(own, "processor"),
      ...Object.fromEntries(parts.map((part, n) => [`s of processor time of the ${part}`, processor?.[n] ?? 0])),
      "s of processor time of the parts": sum(processor ?? []),
    },
  });
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await site.close();
  await rm(work, { recursive: true, force: true });
}

async function report(client: ServiceClient): Promise<Ours & { urls: string[] }> {
  const {
    path: address,
    report,
    seconds,
  } = await client.finish({
    ...{ starting_url: startingUrl, max_pages: pages, rate_limit: 0 },
    ...{ perform_html_checks: true, perform_a11y_checks: true },
  });
  const urls = (await client.all(`${address}/web_pages`)).map(({ attributes }) => String(attributes.url));
  for (const kind of ["html", "a11y"] as const) {
    const { pending, checked, failed } = report.checks[kind]?.status ?? {};
    if (pending !== 0 || failed !== 0 || checked !== urls.length)
      throw new Error(`${kind}: of ${urls.length} pages ${checked} were checked, ${failed} failed, ${pending} wait.`);
  }
  return { seconds, urls, pages: report.num_pages, html: findings(report, "html"), a11y: findings(report, "a11y") };
}

function findings({ checks }: Report, kind: "html" | "a11y"): number {
  const { errors = 0, warnings = 0, outside_standard = 0 } = checks[kind]?.issues ?? {};
  return errors + warnings + outside_standard;
}

function fileOf(url: string): string {
  const file = path.join(folder ?? "", decodeURIComponent(new URL(url).pathname));
  return existsSync(file) ? file : path.join(file, "index.html");
}

function same(what: string, ours: number, bare: number): void {
  if (ours !== bare) throw new Error(`The report has ${ours} ${what}; alone there are ${bare}.`);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
