import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type * as AxeCore from "axe-core";
import type { AxeResults, RunOptions } from "axe-core";
import puppeteer from "puppeteer-core";
import { findChromium } from "../src/browser/find.ts";
import { readAxe } from "../src/checker/engines/axe/page.ts";

/**
 * The simplest possible runner, with the same browser and options as ours: each of two workers has one page in its own
 * context, and uses it for all its URLs. `seconds` are those from when the browser has started.
 */
export type BareA11yRequest = { urls: string[] };
export type BareA11yResponse = { seconds: number; findings: number };

const CONCURRENCY = 2;
const options: RunOptions = { resultTypes: ["violations"] };

process.once("message", async ({ urls }: BareA11yRequest) => {
  process.send?.(await check([...urls]), () => process.disconnect());
});

async function check(queue: string[]): Promise<BareA11yResponse> {
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
  const seconds = (performance.now() - start) / 1000;
  await browser.close();
  await rm(profile, { recursive: true, force: true });
  return { seconds, findings };
}
