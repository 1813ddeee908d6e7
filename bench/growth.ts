import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { FAULT_PERIOD, madePage, madePath, serveMadeSite } from "./made-site.ts";
import { processorSeconds } from "./processor-time.ts";
import { record } from "./results.ts";
import { serviceClient } from "./service-client.ts";
import { isSmoke } from "./smoke.ts";
import { startConformance } from "./start-conformance.ts";
import { startService } from "./start-service.ts";
import { type ProcessKind, type Usage, watchProcesses } from "./watch-processes.ts";

/**
 * What a page costs as sites grow: made sites of several sizes are crawled and HTML-checked, each by a service that was
 * started for it. Time and processor time a page have to stay level, and memory within limits. Each report has to have
 * all pages, and the findings that the engine alone finds on them.
 *
 *     node bench/growth.ts [sizes]      by default 100 1000 10000; others such as 100 30000, or 100 100000
 */

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : isSmoke ? [20, 60] : [100, 1_000, 10_000];
const LIMITS: Partial<Record<ProcessKind, number>> = { crawler: 250 };
const USUAL_LIMIT = 400;

type Measured = { pages: number; seconds: number; processor: number; usage: Map<ProcessKind, Usage> };

const findingsOf = await startConformance();
const measured: Measured[] = [];
for (const size of sizes.toSorted((a, b) => a - b)) {
  const one = await measure(size);
  measured.push(one);
  print(one);
}
const [smallest, largest] = [measured[0], measured.at(-1)];
if (!smallest || !largest) throw new Error("No size was given.");
for (const kind of ["service", "crawler", "HTML checker", "engine process"] as const) recordMemory(kind, largest);
if (largest !== smallest) {
  const of = `crawl and HTML check, ${sizes.map((size) => size.toLocaleString("en")).join(" → ")} pages`;
  const wall = (one: Measured) => one.seconds / one.pages;
  const steps = measured.slice(1).map((one, n) => further(measured[n] as Measured, one));
  record({
    ...{ row: "13", measure: `${of}: time a page`, against: "that of the fewest pages" },
    ...{ ratio: wall(largest) / wall(smallest), target: { atMost: 1.2 } },
    figures: Object.fromEntries(measured.map((one) => [`ms a page of ${one.pages}`, wall(one) * 1000])),
  });
  // The start of a report's processes makes few pages dear: a page more is what shows growth.
  const [first = 0, last = 0] = [steps[0], steps.at(-1)];
  if (steps.length > 1)
    record({
      ...{ row: "13", measure: `${of}: processor time of a page more`, against: "that of the first step" },
      ...{ ratio: last / first, target: { atMost: 1.2 } },
      figures: Object.fromEntries(steps.map((step, n) => [`ms up to ${measured[n + 1]?.pages} pages`, step * 1000])),
    });
}

async function measure(size: number): Promise<Measured> {
  const site = await serveMadeSite(size);
  const folder = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
  await chmod(folder, 0o755);
  const service = await startService(path.join(folder, "data"));
  try {
    const client = serviceClient(service);
    const watch = watchProcesses(service.child.pid ?? 0);
    const before = processorSeconds();
    const {
      path: address,
      report,
      seconds,
    } = await client.finish({
      ...{ starting_url: site.url, max_pages: 0, rate_limit: 0 },
      ...{ perform_html_checks: true, perform_a11y_checks: false },
    });
    const processor = processorSeconds() - before;
    const usage = watch.stop();
    const { status, issues } = report.checks.html ?? {};
    const found = { pages: report.num_pages, ...status, findings: (issues?.errors ?? 0) + (issues?.warnings ?? 0) };
    const expected = { pages: size, pending: 0, checked: size, failed: 0, findings: expectedFindings(size) };
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`${address} has ${JSON.stringify(found)}; expected was ${JSON.stringify(expected)}.`);
    return { pages: size, seconds, processor, usage };
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the engine alone finds. Pages repeat their faults: it looks at the first hundred, and at one of each kind after that. */
function expectedFindings(size: number): number {
  const count = (page: number) => findingsOf(new URL(madePath(page), "http://localhost/").href, madePage(page, size));
  const looked = Array.from({ length: Math.min(size, 10 * FAULT_PERIOD) }, (_, page) => count(page));
  let sum = 0;
  for (let page = 0; page < size; page++) {
    const found = looked[page] ?? looked[page % FAULT_PERIOD] ?? 0;
    if (found !== looked[page % FAULT_PERIOD])
      throw new Error(`Page ${page} has ${found} findings, and page ${page % FAULT_PERIOD} another number.`);
    sum += found;
  }
  return sum;
}

/** Seconds of processor time of each page that one has more than the other. */
function further(less: Measured, more: Measured): number {
  return (more.processor - less.processor) / (more.pages - less.pages);
}

function recordMemory(kind: ProcessKind, { pages, usage }: Measured): void {
  const limit = LIMITS[kind] ?? USUAL_LIMIT;
  const megabytes = usage.get(kind)?.megabytes ?? 0;
  if (megabytes === 0) throw new Error(`No process was seen that is a ${kind}.`);
  record({
    ...{ row: "13", measure: `memory of ${kind} at ${pages.toLocaleString("en")} pages`, against: `${limit} MB` },
    ...{ ratio: megabytes / limit, target: { atMost: 1 } },
    figures: Object.fromEntries(
      measured.map((one) => [`MB at ${one.pages} pages`, one.usage.get(kind)?.megabytes ?? 0]),
    ),
  });
}

function print({ pages, seconds, processor, usage }: Measured): void {
  const each = (total: number) => `${((total / pages) * 1000).toFixed(2)} ms a page`;
  const load = loadavg()[0]?.toFixed(1);
  console.log(`${pages} pages: ${each(seconds)}, ${each(processor)} of processor time; load of the machine ${load}`);
  for (const [kind, { megabytes, seconds: used }] of usage)
    console.log(`  ${kind.padEnd(22)} ${megabytes.toFixed(0).padStart(5)} MB  ${each(used)}`);
}
