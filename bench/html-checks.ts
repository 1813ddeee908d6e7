import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import type { HtmlEngineName } from "../src/schema/html-engines.ts";
import { insertReport } from "../test/support/builders.ts";
import { readReport } from "../test/support/check-counts.ts";
import { expectConsistent } from "../test/support/consistency.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { queuePages } from "../test/support/queue-pages.ts";
import { corpus } from "./corpora.ts";
import { bundledEntry } from "./entry.ts";
import { checkHtmlAlone } from "./limits.ts";
import { processorSeconds } from "./processor-time.ts";
import { record } from "./results.ts";
import { rounds } from "./smoke.ts";
import { type ProcessKind, watchProcesses } from "./watch-processes.ts";

/**
 * Compares HTML checks of a folder of pages: an engine alone in one process per core, and our checker with its database.
 * Both check the same pages with the same rules, are measured from the start of their processes to the end of the last
 * one, and have to find the same. For each of our two engines.
 *
 *     node bench/html-checks.ts [folder] [rounds]      (or MANUAL_DIR; bench/corpora.ts)
 */

const folder = await corpus();
if (folder === undefined) process.exit(2);
const times = Number(process.argv[3] ?? rounds(3));
const ENGINES = ["conformance", "html-validate"] as const satisfies HtmlEngineName[];
const entry = await bundledEntry();
const names = readdirSync(folder).filter((name) => name.endsWith(".html"));
const files = names.map((name) => path.join(folder, name));
const sources = files.map((file) => readFileSync(file, "utf8"));

/** `cpu` is the processor time of all processes, including the database: other load on the machine does not affect it. */
type Measured = { seconds: number; cpu: number; findings: number };

async function checkBare(engine: HtmlEngineName): Promise<Measured> {
  const cpu = processorSeconds();
  const alone = await checkHtmlAlone(engine, files);
  return { ...alone, cpu: processorSeconds() - cpu };
}

const database = await createTestDatabase();
const peaks = new Map<ProcessKind, number>();

async function checkWithChecker(htmlEngine: HtmlEngineName): Promise<Measured> {
  const reportId = await insertReport(database.db, { spec: { htmlEngine } });
  await queuePages(database.db, reportId, sources);
  await sql`vacuum analyze`.execute(database.db);
  const start = performance.now();
  const cpu = processorSeconds();
  const given = ["checker", "--report", reportId, "--engine", "html", "--run", "1", "--html-engine", htmlEngine];
  const child = spawn(process.execPath, [entry, ...given], {
    env: { DATABASE_URL: database.url, LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const watch = watchProcesses(child.pid ?? 0);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  const seconds = (performance.now() - start) / 1000;
  const cpuUsed = processorSeconds() - cpu;
  for (const [kind, { megabytes }] of watch.stop()) peaks.set(kind, Math.max(peaks.get(kind) ?? 0, megabytes));
  if (code !== 0) throw new Error(`The checker ended with code ${code}.`);
  await expectConsistent(database.db, reportId);
  const report = await readReport(database.db, reportId);
  if (report.html_checked !== sources.length) console.log(`only ${report.html_checked} pages were checked`);
  return { seconds, cpu: cpuUsed, findings: report.html_errors + report.html_warnings };
}

try {
  for (const engine of ENGINES) await compare(engine);
} finally {
  await database.drop();
  await stopTestServer();
}

async function compare(engine: HtmlEngineName): Promise<void> {
  const bare: Measured[] = [];
  const whole: Measured[] = [];
  peaks.clear();
  // In turns, so that other load on the machine affects both.
  for (let round = 0; round < times; round += 1) {
    bare.push(await checkBare(engine));
    whole.push(await checkWithChecker(engine));
  }
  const found = new Set([...bare, ...whole].map(({ findings }) => findings));
  if (found.size > 1) throw new Error(`${engine} found different numbers of messages: ${[...found].join(", ")}.`);
  const least = (runs: Measured[], of: keyof Measured): number => Math.min(...runs.map((run) => run[of]));
  const rate = (runs: Measured[]): number => sources.length / least(runs, "seconds");
  record({
    ...{ row: "3", measure: `HTML checks with ${engine}, whole path`, against: "the engine alone on all cores" },
    ...{ ratio: rate(whole) / rate(bare), target: { atLeast: 0.7 } },
    figures: {
      "pages/s": rate(whole),
      "pages/s of the engine": rate(bare),
      "ms of processor time a page": (least(whole, "cpu") / sources.length) * 1000,
      "ms of the engine": (least(bare, "cpu") / sources.length) * 1000,
      "MB of a checker": peaks.get("HTML checker") ?? 0,
      "MB of an engine process": peaks.get("engine process") ?? 0,
    },
  });
}
