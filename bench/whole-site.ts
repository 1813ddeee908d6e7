import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Report, serviceClient } from "./service-client.ts";
import { startService } from "./start-service.ts";
import { startStaticServer } from "./static-server.ts";
import { watchProcesses } from "./watch-processes.ts";

/**
 * Runs the whole service on a whole site: it crawls and HTML-checks every page, then checks a
 * hundred pages with both engines. It reads all results through the API, as a client would, and
 * fails if the numbers do not agree: pages found, the sum over pages, the sum over common issues
 * and the report's own counters.
 *
 *     node bench/whole-site.ts <folder of HTML pages> [--both-engines 100]
 */

type Counts = { errors: number; warnings: number };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "both-engines": { type: "string", default: "100" } },
});
const folder = positionals[0] ?? process.env.MANUAL_DIR;
if (!folder) {
  console.error("Give the folder of a site's HTML pages as the first argument, or set MANUAL_DIR.");
  process.exit(2);
}

const site = await startStaticServer(folder);
const dataDir = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
const service = await startService(dataDir);
const client = serviceClient(service);
try {
  await run("All pages, HTML", { max_pages: 0, perform_html_checks: true });
  await run("Both engines", { max_pages: Number(values["both-engines"]), perform_a11y_checks: true });
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await site.close();
  await rm(dataDir, { recursive: true, force: true });
}

async function run(title: string, attributes: Record<string, unknown>): Promise<void> {
  const watch = watchProcesses(service.child.pid ?? 0);
  const {
    path: address,
    report,
    seconds,
  } = await client.finish({
    ...{ starting_url: new URL("index.html", site.url).href, rate_limit: 0, ...attributes },
  });
  const usage = watch.stop();
  const problems = await disagreements(address, report);
  console.log(`${title}: ${report.phase} in ${seconds.toFixed(1)} s`);
  console.log(`  pages ${report.num_pages}`);
  for (const kind of ["html", "a11y"] as const) {
    const check = report.checks[kind];
    if (!check) continue;
    const { status, issues } = check;
    console.log(`  ${kind}: checked ${status.checked}, failed ${status.failed}, pending ${status.pending};`);
    console.log(`    errors ${issues.errors}, warnings ${issues.warnings}`);
  }
  for (const [kind, { megabytes }] of usage) console.log(`  peak memory of ${kind}: ${Math.round(megabytes)} MB`);
  for (const problem of problems) console.log(`  MISMATCH: ${problem}`);
  if (problems.length > 0 || report.failure) process.exitCode = 1;
  else console.log("  pages, sums over pages, sums over common issues and counters agree");
}

/** The numbers that do not agree, as the API reports them. */
async function disagreements(address: string, report: Report): Promise<string[]> {
  const problems: string[] = [];
  const same = (what: string, one: unknown, other: unknown) => {
    if (one !== other) problems.push(`${what}: ${one} and ${other}`);
  };
  const pages = await client.all(`${address}/web_pages`);
  same("num_pages and web pages", report.num_pages, pages.length);
  same("web pages and distinct URLs", pages.length, new Set(pages.map((page) => page.attributes.url)).size);
  for (const kind of ["html", "a11y"] as const) {
    const check = report.checks[kind];
    if (!check) continue;
    const { status, issues } = check;
    same(`${kind} pending`, status.pending, 0);
    same(`${kind} checks and pages`, status.checked + status.failed, pages.length);
    const common = await client.all(`${address}/common_${kind}_issues`);
    const total = common.reduce((sum, issue) => sum + Number(issue.attributes.how_many), 0);
    same(`${kind} counters and common issues`, issues.errors + issues.warnings, total);
    for (const level of ["errors", "warnings"] as const) {
      const sum = pages.reduce(
        (so, page) => so + ((page.attributes[`${kind}_check`] as Counts | null)?.[level] ?? 0),
        0,
      );
      same(`${kind} ${level}: counters and pages`, issues[level], sum);
    }
  }
  return problems;
}
