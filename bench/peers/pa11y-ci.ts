import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Chromium } from "../../src/browser/find.ts";
import { runPeer } from "./run-peer.ts";

type Output = { total: number; results: Record<string, { code?: string; message: string }[]> };

/**
 * Checks pages with pa11y-ci and axe-core, two pages at once.
 *
 * @returns seconds from the start of its process to its end
 * @throws when a page was not checked
 */
export async function runPa11yCi(urls: readonly string[], chromium: Chromium): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), "pa11y-ci-"));
  const config = path.join(folder, "pa11yci.json");
  const defaults = {
    runners: ["axe"],
    concurrency: 2,
    timeout: 120_000,
    // The headless shell ends with the first of several contexts that pa11y closes.
    useIncognitoBrowserContext: false,
    chromeLaunchConfig: { executablePath: chromium.path, headless: "shell", args: ["--no-sandbox"] },
  };
  try {
    await writeFile(config, JSON.stringify({ defaults, urls }));
    // It exits with 2 when it has found something.
    const { seconds, output } = await runPeer("pa11y-ci/bin/pa11y-ci.js", ["--config", config, "--json"], {
      env: chromium.env,
      codes: [0, 2],
    });
    const { results } = JSON.parse(output.slice(output.indexOf("{"))) as Output;
    const failed = urls.flatMap((url) => results[url]?.find(({ code }) => code === undefined)?.message ?? []);
    if (failed.length > 0 || Object.keys(results).length !== urls.length)
      throw new Error(`pa11y-ci did not check all pages: ${failed[0] ?? `${Object.keys(results).length} results`}`);
    return seconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
