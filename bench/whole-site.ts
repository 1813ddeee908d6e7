import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startService } from "./start-service.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * Runs the whole service on a whole site: it crawls and HTML-checks every page, then checks a
 * hundred pages with both engines. It reads all results through the API, as a client would, and
 * fails if the numbers do not agree: pages found, the sum over pages, the sum over common issues
 * and the report's own counters.
 *
 *     node bench/whole-site.ts <folder of HTML pages> [--both-engines 100]
 */

type Document = { id: string; attributes: Record<string, unknown> };
type Counts = { errors: number; warnings: number };
type CheckSummary = { status: { pending: number; checked: number; failed: number }; issues: Counts };
type Report = {
  num_pages: number;
  phase: string;
  failure: unknown;
  checks: { html: CheckSummary | null; a11y: CheckSummary | null };
};

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
try {
  await run("All pages, HTML", { max_pages: 0, perform_html_checks: true });
  await run("Both engines", { max_pages: Number(values["both-engines"]), perform_a11y_checks: true });
} finally {
  service.child.kill("SIGTERM");
  await service.ended;
  await site.close();
  await rm(dataDir, { recursive: true, force: true });
}

async function api<Body>(address: string, body?: unknown): Promise<Body> {
  const response = await fetch(new URL(address, service.url), {
    headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${address} responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}

/** All items of a list, page by page. */
async function all(address: string): Promise<Document[]> {
  const items: Document[] = [];
  let next: string | null | undefined = `${address}?page[size]=100`;
  while (next) {
    const page: { data: Document[]; links: { next?: string | null } } = await api(next);
    items.push(...page.data);
    next = page.links.next;
  }
  return items;
}

async function run(title: string, attributes: Record<string, unknown>): Promise<void> {
  const started = performance.now();
  const { data } = await api<{ data: Document }>("/api/v1/reports", {
    data: { attributes: { starting_url: new URL("index.html", site.url), rate_limit: 0, ...attributes } },
  });
  const address = `/api/v1/reports/${data.id}`;
  const peak = new Map<string, number>();
  let report: Report;
  for (;;) {
    report = (await api<{ data: { attributes: Report } }>(address)).data.attributes;
    if (report.phase === "Complete" || report.phase === "Failed") break;
    await notePeaks(peak);
    await sleep(250);
  }
  const seconds = (performance.now() - started) / 1000;
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
  for (const [name, kilobytes] of [...peak].sort())
    console.log(`  peak memory of ${name}: ${Math.round(kilobytes / 1024)} MB`);
  for (const problem of problems) console.log(`  MISMATCH: ${problem}`);
  if (problems.length > 0 || report.failure) process.exitCode = 1;
  else console.log("  pages, sums over pages, sums over common issues and counters agree");
}

/** Peak resident memory of the service's processes, by program; from /proc, where that exists. */
async function notePeaks(peak: Map<string, number>): Promise<void> {
  const { readdir, readFile } = await import("node:fs/promises");
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
    const command = (await read("cmdline")).split("\0");
    const entry = command.findIndex((part) => /(run|main\/index|-worker)\.js$/.test(part));
    if (entry < 0) continue;
    const name = !command[entry]?.endsWith("-worker.js")
      ? [command[entry + 1], ...command.filter((part) => part === "html" || part === "a11y")].join(" ")
      : path.basename(command[entry] ?? "");
    const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(await read("status"))?.[1] ?? 0);
    peak.set(name, Math.max(peak.get(name) ?? 0, kilobytes));
  }
}

/** The numbers that do not agree, as the API reports them. */
async function disagreements(address: string, report: Report): Promise<string[]> {
  const problems: string[] = [];
  const same = (what: string, one: unknown, other: unknown) => {
    if (one !== other) problems.push(`${what}: ${one} and ${other}`);
  };
  const pages = await all(`${address}/web_pages`);
  same("num_pages and web pages", report.num_pages, pages.length);
  same("web pages and distinct URLs", pages.length, new Set(pages.map((page) => page.attributes.url)).size);
  for (const kind of ["html", "a11y"] as const) {
    const check = report.checks[kind];
    if (!check) continue;
    const { status, issues } = check;
    same(`${kind} pending`, status.pending, 0);
    same(`${kind} checks and pages`, status.checked + status.failed, pages.length);
    const common = await all(`${address}/common_${kind}_issues`);
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
