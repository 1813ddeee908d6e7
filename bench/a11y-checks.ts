import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type * as AxeCore from "axe-core";
import type { AxeResults, RunOptions } from "axe-core";
import puppeteer from "puppeteer-core";
import { findChromium } from "../src/browser/find.ts";
import { readAxe } from "../src/checker/engines/axe-page.ts";
import { createAxeRunner } from "../src/checker/engines/axe-runner.ts";
import { createLogger } from "../src/telemetry/log.ts";
import { reportSpec } from "../test/support/builders.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * Accessibility checks of a folder of pages: puppeteer and axe-core with nothing around
 * them against our runner. Same browser, same options, two pages at once:
 *
 *     node bench/a11y-checks.ts /path/to/manual [pages] [rounds]
 */

const [folder = process.env.MANUAL_DIR ?? "", pages = "100", rounds = "3"] = process.argv.slice(2);
if (!folder) {
  console.error("Name the folder of pages to check, as first argument or in MANUAL_DIR.");
  process.exit(2);
}
const CONCURRENCY = 2;
const options: RunOptions = { resultTypes: ["violations"] };

const server = await startStaticServer(folder);
const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
const step = Math.max(1, Math.floor(names.length / Number(pages)));
const urls = names
  .filter((_name, index) => index % step === 0)
  .slice(0, Number(pages))
  .map((name) => new URL(name, server.url).href);

type Measured = { seconds: number; findings: number };
const bare: Measured[] = [];
const ours: Measured[] = [];
// Turn by turn, so that whatever else the machine does meets both.
for (let round = 0; round < Number(rounds); round += 1) {
  bare.push(await checkBare());
  ours.push(await checkWithRunner());
  const [b, o] = [bare.at(-1), ours.at(-1)];
  console.log(`round ${round + 1}: bare ${b?.seconds.toFixed(3)} s/page, ours ${o?.seconds.toFixed(3)} s/page`);
  if (b?.findings !== o?.findings) console.log(`findings differ: bare ${b?.findings}, ours ${o?.findings}`);
}
await server.close();
const mean = (all: Measured[]): number => all.reduce((sum, { seconds }) => sum + seconds, 0) / all.length;
console.log(
  `${urls.length} pages, ${ours[0]?.findings} findings; ${rounds} rounds: bare ${mean(bare).toFixed(3)} s/page, ` +
    `ours ${mean(ours).toFixed(3)} s/page, ratio ${(mean(bare) / mean(ours)).toFixed(2)} (1 is as fast as bare)`,
);

/** The least that can be written: a page in its own context for each worker, kept for all its URLs. */
async function checkBare(): Promise<Measured> {
  const chromium = await findChromium(process.env.CHROME_PATH);
  const { source } = await readAxe();
  const profile = await mkdtemp(path.join(tmpdir(), "bare-"));
  const browser = await puppeteer.launch({
    executablePath: chromium.path,
    args: ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
    env: { ...process.env, ...chromium.env },
    headless: "shell",
    pipe: true,
    userDataDir: profile,
  });
  const queue = [...urls];
  let findings = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.evaluateOnNewDocument(source);
      for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
        await page.goto(url, { waitUntil: "load" });
        const results = (await page.evaluate(
          (given) => (globalThis as unknown as { axe: typeof AxeCore }).axe.run(document, given),
          options,
        )) as AxeResults;
        findings += results.violations.reduce((sum, { nodes }) => sum + nodes.length, 0);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000 / urls.length;
  await browser.close();
  await rm(profile, { recursive: true, force: true });
  return { seconds, findings };
}

async function checkWithRunner(): Promise<Measured> {
  const spec = reportSpec({ startingUrl: server.url, performA11yChecks: true });
  const runner = await createAxeRunner({
    chromePath: process.env.CHROME_PATH,
    allowedPrivateCidrs: ["127.0.0.0/8"],
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
        const outcome = await runner.check({ url, source: undefined, spec }, { signal, beforeRequest: async () => {} });
        if ("failure" in outcome) console.log(`${url}: ${outcome.failure.code} ${outcome.failure.detail}`);
        else if (outcome.kind === "a11y") findings += outcome.issues.reduce((sum, { html }) => sum + html.length, 0);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000 / urls.length;
  await runner.close();
  return { seconds, findings };
}
