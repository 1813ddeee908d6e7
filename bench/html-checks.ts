import { fork, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { insertReport } from "../test/support/builders.ts";
import { expectConsistent } from "../test/support/consistency.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { queuePages } from "../test/support/queue-pages.ts";
import { processorSeconds } from "./processor-time.ts";

/**
 * Compares HTML checks of a folder of pages: html-validate alone with one process per core,
 * and our checker with its database. Both check the same pages with the same rules, and are
 * measured from the start of the processes to the end of the last one.
 *
 *     node bench/html-checks.ts /path/to/manual [rounds]
 */

const [folder = process.env.MANUAL_DIR ?? "", rounds = "3"] = process.argv.slice(2);
if (!folder) {
  console.error("Give the folder of pages to check as the first argument, or set MANUAL_DIR.");
  process.exit(2);
}
const cores = availableParallelism();
const bareProgram = fileURLToPath(new URL("./bare-html-checks.ts", import.meta.url));
const checkerProgram = fileURLToPath(new URL("../src/main/index.ts", import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith(".html"));
const sources = names.map((name) => readFileSync(path.join(folder, name), "utf8"));

/** `cpu` is the processor time of all processes, including the database: other load on the machine does not affect it. */
type Measured = { seconds: number; cpu: number; findings: number };

/** @param tuned whether to apply the two html-validate patches of our engine */
async function checkBare(tuned: boolean): Promise<Measured> {
  const start = performance.now();
  const cpu = processorSeconds();
  const findings = await Promise.all(
    Array.from({ length: cores }, (_, core) => {
      const mine = names.filter((_name, i) => i % cores === core).map((name) => path.join(folder, name));
      const child = fork(bareProgram, [], { execArgv: ["--max-old-space-size=256"] });
      child.send({ files: mine, tuned });
      return new Promise<number>((resolve, reject) => {
        let found = 0;
        child.on("message", (message) => {
          found = Number(message);
        });
        child.once("exit", (code) => (code === 0 ? resolve(found) : reject(new Error(`bare process ended: ${code}`))));
      });
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  return { seconds, cpu: processorSeconds() - cpu, findings: findings.reduce((a, b) => a + b, 0) };
}

const database = await createTestDatabase();
const peaks = new Map<string, number>();

async function checkWithChecker(): Promise<Measured> {
  const reportId = await insertReport(database.db, { spec: { htmlEngine: "html-validate" } });
  await queuePages(database.db, reportId, sources);
  await sql`vacuum analyze`.execute(database.db);
  const start = performance.now();
  const cpu = processorSeconds();
  const child = spawn(
    process.execPath,
    [
      checkerProgram,
      "checker",
      "--report",
      reportId,
      "--engine",
      "html",
      "--run",
      "1",
      "--html-engine",
      "html-validate",
    ],
    { env: { DATABASE_URL: database.url, LOG_LEVEL: "warn" }, stdio: ["ignore", "ignore", "inherit"] },
  );
  const watch = setInterval(() => notePeaks(child.pid ?? 0), 200);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  const seconds = (performance.now() - start) / 1000;
  const cpuUsed = processorSeconds() - cpu;
  clearInterval(watch);
  if (code !== 0) throw new Error(`The checker ended with code ${code}.`);
  await expectConsistent(database.db, reportId);
  const report = await database.db
    .selectFrom("reports")
    .selectAll()
    .where("id", "=", reportId)
    .executeTakeFirstOrThrow();
  if (report.html_checked !== sources.length) console.log(`only ${report.html_checked} pages were checked`);
  return { seconds, cpu: cpuUsed, findings: report.html_errors + report.html_warnings };
}

/** Peak resident memory of a process and its children in MB, by kind of process. */
function notePeaks(parent: number): void {
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      if (Number(pid) !== parent && !status.includes(`\nPPid:\t${parent}\n`)) continue;
      const megabytes = Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
      const name = Number(pid) === parent ? "checker" : "html-validate process";
      if (megabytes > (peaks.get(name) ?? 0)) peaks.set(name, megabytes);
    } catch {
      // It ended meanwhile.
    }
  }
}

const runs: Record<string, Measured[]> = { bare: [], tuned: [], checker: [] };
// In turns, so that other load on the machine affects all of them.
for (let round = 0; round < Number(rounds); round += 1) {
  runs.bare?.push(await checkBare(false));
  runs.tuned?.push(await checkBare(true));
  runs.checker?.push(await checkWithChecker());
  const line = Object.entries(runs).map(([name, all]) => {
    const { seconds = 0, cpu = 0 } = all.at(-1) ?? {};
    return `${name} ${seconds.toFixed(1)} s (cpu ${cpu.toFixed(1)} s)`;
  });
  console.log(`round ${round + 1}: ${line.join(", ")}`);
}
await database.drop();
await stopTestServer();

const best = (name: string): number => Math.min(...(runs[name] ?? []).map(({ seconds }) => seconds));
const rate = (name: string): string => (sources.length / best(name)).toFixed(0);
console.log(`${sources.length} pages on ${cores} cores, best of ${rounds}:`);
console.log(`  html-validate unpatched          ${rate("bare")} pages/s, ${runs.bare?.[0]?.findings} findings`);
console.log(`  html-validate with our patches   ${rate("tuned")} pages/s`);
console.log(`  our checker, with its database   ${rate("checker")} pages/s, ${runs.checker?.[0]?.findings} findings`);
console.log(`  ratio to html-validate unpatched ${(best("bare") / best("checker")).toFixed(2)} (target 0.9)`);
console.log(`  ratio to html-validate with our patches ${(best("tuned") / best("checker")).toFixed(2)}`);
const leastCpu = (name: string): number => Math.min(...(runs[name] ?? []).map(({ cpu }) => cpu));
console.log(
  `  processor time: unpatched ${leastCpu("bare").toFixed(1)} s, with our patches ${leastCpu("tuned").toFixed(1)} s, ` +
    `our checker ${leastCpu("checker").toFixed(1)} s`,
);
for (const [name, megabytes] of peaks)
  console.log(`  peak memory of a ${name}: ${megabytes.toFixed(0)} MB (target < 400)`);
