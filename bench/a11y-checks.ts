import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { findChromium } from "../src/browser/find.ts";
import { createAxeRunner } from "../src/checker/engines/axe/runner.ts";
import { addressPolicy } from "../src/net/addresses.ts";
import { createLogger } from "../src/telemetry/log.ts";
import { insertReport, reportSpec } from "../test/support/builders.ts";
import { readReport } from "../test/support/check-counts.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { queuePages } from "../test/support/queue-pages.ts";
import { corpus } from "./corpora.ts";
import { bundledEntry } from "./entry.ts";
import { checkA11yAlone } from "./limits.ts";
import { installPeers } from "./peers/install.ts";
import { runPa11yCi } from "./peers/pa11y-ci.ts";
import { runUnlighthouse } from "./peers/unlighthouse.ts";
import { record } from "./results.ts";
import { isSmoke, rounds } from "./smoke.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * Compares accessibility checks of a folder of pages: puppeteer and axe-core alone, our
 * runner, and our checker with its database (from the start of its process to its end). All
 * use the same browser and the same options, two pages at once:
 *
 *     node bench/a11y-checks.ts [folder] [pages] [rounds]      (or MANUAL_DIR; bench/corpora.ts)
 *
 * Then, of fewer pages, our checker with pa11y-ci and Unlighthouse.
 */

const folder = await corpus();
if (folder === undefined) process.exit(2);
const pages = Number(process.argv[3] ?? (isSmoke ? 6 : 100));
const times = Number(process.argv[4] ?? rounds(3));
const entry = await bundledEntry();

const server = await startStaticServer(folder);
const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
const step = Math.max(1, Math.floor(names.length / pages));
const urls = names
  .filter((_name, index) => index % step === 0)
  .slice(0, pages)
  .map((name) => new URL(name, server.url).href);

/** Pages for the products that are compared: they take seconds each. */
const PEER_PAGES = 20;

type Measured = { seconds: number; findings: number };
const bare: Measured[] = [];
const runner: Measured[] = [];
const checker: Measured[] = [];
const database = await createTestDatabase();
// In turns, so that other load on the machine affects all of them.
for (let round = 0; round < times; round += 1) {
  const alone = await checkA11yAlone(urls);
  bare.push({ ...alone, seconds: alone.seconds / urls.length });
  runner.push(await checkWithRunner());
  checker.push(await checkWithChecker(urls));
  const line = [bare, runner, checker].map((all) => all.at(-1)?.seconds.toFixed(3)).join(", ");
  console.log(`round ${round + 1}: bare, runner, checker: ${line} s/page`);
}
const mean = (all: Measured[]): number => all.reduce((sum, { seconds }) => sum + seconds, 0) / all.length;
for (const [name, all] of Object.entries({ bare, runner, checker })) {
  console.log(
    `${name}: ${mean(all).toFixed(3)} s/page, ratio ${(mean(bare) / mean(all)).toFixed(2)} (1 is as fast as bare), ` +
      `${all.map(({ findings }) => findings).join("/")} findings on ${urls.length} pages`,
  );
}

const found = new Set([...bare, ...runner, ...checker].map(({ findings }) => findings));
if (found.size > 1) throw new Error(`The checks found different numbers of elements: ${[...found].join(", ")}.`);
record({
  ...{ row: "5", measure: "a11y checks, whole path", against: "a bare puppeteer and axe loop in the same browser" },
  ...{ ratio: mean(bare) / mean(checker), target: { atLeast: 0.95 } },
  figures: { "s a page": mean(checker), "s a page of our runner": mean(runner), "s a page of the loop": mean(bare) },
});
if (!isSmoke) await compareWithPeers(urls.slice(0, PEER_PAGES));
await database.drop();
await stopTestServer();
await server.close();

/** From the start of each process to its end: what somebody waits for. */
async function compareWithPeers(some: readonly string[]): Promise<void> {
  await installPeers();
  const chromium = await findChromium(process.env.CHROME_PATH);
  for (const [name, run] of [
    ["pa11y-ci with axe", runPa11yCi],
    ["Unlighthouse, accessibility alone", runUnlighthouse],
  ] as const) {
    // Before and after the other, which runs once: the better of two would be an advantage.
    const before = await checkWithChecker(some);
    const peer = (await run(some, chromium)) / some.length;
    const ours = mean([before, await checkWithChecker(some)]);
    record({
      ...{ row: "6", measure: "a11y checks, whole path, of 20 pages", against: name },
      ...{ ratio: peer / ours, target: { atLeast: 5 } },
      figures: { "s a page": ours, [`s a page of ${name.split(/[ ,]/)[0]}`]: peer },
    });
  }
}

async function checkWithRunner(): Promise<Measured> {
  const spec = reportSpec({ startingUrl: server.url, performA11yChecks: true });
  const runner = await createAxeRunner({
    chromePath: process.env.CHROME_PATH,
    policy: addressPolicy(["127.0.0.0/8"]),
    spec,
    log: createLogger("warn", {}),
  });
  const { signal } = new AbortController();
  const queue = [...urls];
  let findings = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: runner.concurrency }, async () => {
      for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
        const outcome = await runner.check(
          { url, document: undefined, spec },
          { signal, beforeRequest: async () => {} },
        );
        if ("failure" in outcome) console.log(`${url}: ${outcome.failure.code} ${outcome.failure.detail}`);
        else if (outcome.kind === "a11y") findings += outcome.issues.reduce((sum, { html }) => sum + html.length, 0);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000 / urls.length;
  await runner.close();
  return { seconds, findings };
}

async function checkWithChecker(some: readonly string[]): Promise<Measured> {
  const { db, url } = database;
  const reportId = await insertReport(db, {
    spec: { startingUrl: server.url, performHtmlChecks: false, performA11yChecks: true, rateLimit: 0 },
  });
  const ids = await queuePages(db, reportId, [...some], ["a11y"]);
  for (const [index, id] of ids.entries()) {
    await db
      .updateTable("web_pages")
      .set({ url: some[index] ?? "" })
      .where("id", "=", id)
      .execute();
  }
  const start = performance.now();
  const child = spawn(process.execPath, [entry, "checker", "--report", reportId, "--engine", "a11y", "--run", "1"], {
    env: {
      DATABASE_URL: url,
      LOG_LEVEL: "warn",
      ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8",
      ...(process.env.CHROME_PATH ? { CHROME_PATH: process.env.CHROME_PATH } : {}),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  const seconds = (performance.now() - start) / 1000 / some.length;
  if (code !== 0) throw new Error(`The checker ended with code ${code}.`);
  const report = await readReport(db, reportId);
  if (report.a11y_checked !== some.length)
    throw new Error(`The checker checked ${report.a11y_checked} of ${some.length} pages.`);
  return { seconds, findings: report.a11y_errors + report.a11y_outside_standard };
}
