import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Chromium } from "../../src/browser/find.ts";
import { runPeer } from "./run-peer.ts";

type Scored = { path: string; accessibility?: number };

/**
 * Checks pages with Unlighthouse: the category accessibility alone, once each, two pages at once.
 *
 * @returns seconds from the start of its process to its end
 * @throws when a page was not checked
 */
export async function runUnlighthouse(urls: readonly string[], chromium: Chromium): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), "unlighthouse-"));
  const site = new URL(urls[0] ?? "").origin;
  const config = {
    site,
    urls: urls.map((url) => new URL(url).pathname),
    cache: false,
    outputPath: path.join(folder, "out"),
    scanner: { device: "desktop", samples: 1, sitemap: false, robotsTxt: false, crawler: false, throttle: false },
    lighthouseOptions: { onlyCategories: ["accessibility"] },
    puppeteerOptions: { executablePath: chromium.path, headless: "shell", args: ["--no-sandbox"] },
    puppeteerClusterOptions: { maxConcurrency: 2 },
  };
  try {
    const file = path.join(folder, "unlighthouse.config.mjs");
    await writeFile(file, `export default ${JSON.stringify(config)};\n`);
    const args = ["--config-file", file, "--site", site, "--reporter", "json"];
    const { seconds } = await runPeer(".bin/unlighthouse-ci", args, { env: chromium.env, cwd: folder });
    const results = JSON.parse(await readFile(path.join(folder, "out", "ci-result.json"), "utf8")) as Scored[];
    const checked = results.filter(({ accessibility }) => typeof accessibility === "number").length;
    if (checked !== urls.length) throw new Error(`Unlighthouse checked ${checked} of ${urls.length} pages.`);
    return seconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
