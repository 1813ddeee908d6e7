import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { holds, type Result, shown, targetText } from "./results.ts";

/**
 * Runs the benchmarks one after another and prints their ratios in one table.
 *
 *   npm run bench                    all of them, on PostgreSQL's manual (bench/corpora.ts)
 *   npm run bench -- crawl api       these
 *   npm run bench -- cluster-first-finding
 *                                    on a cluster as that of the tests (test/cluster/README.md)
 *   npm run bench -- --smoke         looks for wrong results alone, within two minutes
 *   npm run bench -- --write         puts the ratios into docs/performance.md and docs/performance.json as well
 *
 * MANUAL_DIR names another folder of pages.
 */

const BENCHMARKS = [
  "crawl",
  "html-checks",
  "html-engines",
  "a11y-checks",
  "adaptive-tabs",
  "acting",
  "check",
  "first-finding",
  "whole-report",
  "links",
  "api",
  "posts",
  "controller",
  "lists",
  "growth",
  "bloat",
  "kept",
  "job-rights",
];
/** They need more than this machine and npm: they run when they are named. */
const BY_NAME = ["cluster-first-finding"];
/** They compare nothing that could be wrong, or take too long. */
const NOT_IN_SMOKE = new Set(["check", "controller", "job-rights", "html-engines"]);
const root = fileURLToPath(new URL("../docs/", import.meta.url));
const [begin, end] = ["<!-- begin: npm run bench -- --write -->\n", "<!-- end -->"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
});
const known = [...BENCHMARKS, ...BY_NAME];
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0 || (values.smoke && values.write)) {
  if (unknown.length > 0) console.error(`There is no benchmark ${unknown.join(", ")}; there are ${known.join(", ")}.`);
  else console.error("The ratios of --smoke say nothing: it cannot be combined with --write.");
  process.exit(2);
}
const chosen = (positionals.length > 0 ? positionals : BENCHMARKS).filter(
  (name) => !values.smoke || !NOT_IN_SMOKE.has(name),
);

const work = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
const file = path.join(work, "results.ndjson");
const failed: string[] = [];
try {
  for (const name of chosen) {
    console.log(`== ${name}`);
    if ((await run(name)) !== 0) failed.push(name);
    console.log("");
  }
  const results = existsSync(file) ? read(file) : [];
  print(results);
  if (values.write) await write(results);
} finally {
  await rm(work, { recursive: true, force: true });
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}.`);
  process.exitCode = 1;
}

function run(name: string): Promise<number> {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const env = { ...process.env, BENCH_RESULTS: file, ...(values.smoke && { BENCH_SMOKE: "1" }) };
  const child = spawn(process.execPath, [script], { stdio: "inherit", env });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

function read(from: string): Result[] {
  return readFileSync(from, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Result);
}

function print(results: readonly Result[]): void {
  for (const result of results)
    console.log(
      `${result.row.padStart(3)}  ${result.ratio.toFixed(2).padStart(6)}  ${targetText(result.target).padEnd(12)}  ` +
        `${(holds(result) ? "" : "short").padEnd(5)}  ${result.measure}, against ${result.against}`,
    );
}

/** Replaces the results of the benchmarks that ran, and keeps the others. */
async function write(results: readonly Result[]): Promise<void> {
  const [json, page] = [path.join(root, "performance.json"), path.join(root, "performance.md")];
  const before = existsSync(json) ? (JSON.parse(await readFile(json, "utf8")) as { results: Result[] }).results : [];
  const now = { date: new Date().toISOString().slice(0, 10), cores: availableParallelism(), node: process.version };
  const same = (one: Result, other: Result) => one.measure === other.measure && one.against === other.against;
  const all = [
    ...before.filter((old) => !results.some((result) => same(old, result))),
    ...results.map((result) => ({ ...result, measured: now })),
  ].sort((a, b) => Number.parseInt(a.row, 10) - Number.parseInt(b.row, 10));
  await writeFile(json, `${JSON.stringify({ results: all }, null, 2)}\n`);
  const text = await readFile(page, "utf8");
  const [start, stop] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  await writeFile(page, text.slice(0, start) + table(all) + text.slice(stop));
}

function table(results: readonly Result[]): string {
  const lines = results.map((result) => {
    const figures = Object.entries(result.figures).map(([name, figure]) => `${shown(figure)} ${name}`);
    const ratio = `${result.ratio.toFixed(2)}${holds(result) ? "" : " (short)"}`;
    return `| ${result.row} | ${result.measure} | ${result.against} | ${targetText(result.target)} | ${ratio} | ${figures.join("; ")} |`;
  });
  return `| # | measure | against | target | ratio | figures |\n|---|---|---|---|---|---|\n${lines.join("\n")}\n`;
}
