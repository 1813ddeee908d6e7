import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { HtmlEngine } from "../src/checker/engines/html/port.ts";
import { startHtmlEngine } from "../src/checker/engines/html/start-engine.ts";
import { readConfig } from "../src/config.ts";
import { UsageError } from "../src/domain/errors.ts";
import { type HtmlEngineName, htmlEngines } from "../src/schema/html-engines.ts";
import { createLogger } from "../src/telemetry/log.ts";
import { corpus } from "./corpora.ts";
import { processorSeconds } from "./processor-time.ts";
import { record } from "./results.ts";
import { rounds } from "./smoke.ts";

/**
 * Compares the HTML engines on pages of three sizes: all of them warm, each with all cores, in turns.
 * Nu needs Java; without it, it is left out.
 *
 *     node bench/html-engines.ts [folder] [rounds]      (or MANUAL_DIR; bench/corpora.ts)
 */
const folder = await corpus();
if (folder === undefined) process.exit(2);
const times = Number(process.argv[3] ?? rounds(5));
/** In bytes. */
const sizes = [14_000, 50_000, 100_000];
/** How many different pages of each size, and for how many bytes of them a round goes on. */
const PAGES = 20;
const ROUND_BYTES = 6_000_000;
/** A page is of a size when it differs by so much at most. */
const TOLERANCE = 0.25;

type Page = { url: string; source: string };
type Measured = { seconds: number; processor: number };

const log = createLogger("error", { program: "bench" });
const signal = new AbortController().signal;
const { cacheDir, javaExecutables } = readConfig(process.env);

const engines = new Map<HtmlEngineName, HtmlEngine>();
for (const name of htmlEngines) {
  try {
    engines.set(name, await startHtmlEngine(name, { log, cacheDir, javaExecutables }));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.log(`${name} is left out: ${error.message}`);
  }
}

async function checkAll(engine: HtmlEngine, pages: readonly Page[], count: number): Promise<Measured> {
  const start = performance.now();
  const before = processorSeconds();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const page = pages[next++ % pages.length];
      if (!page) return;
      const result = await engine.check({ ...page, contentType: "text/html", encoding: UTF_8 }, signal);
      if ("engineError" in result) console.log(`${engine.engine.name}: ${page.url}: ${result.engineError}`);
    }
  };
  await Promise.all(Array.from({ length: engine.concurrency }, work));
  return { seconds: (performance.now() - start) / 1000, processor: processorSeconds() - before };
}
const UTF_8 = { name: "utf-8", from: "header" } as const;

const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html"))
  .map((name) => path.join(folder, name))
  .map((file) => ({ file, size: statSync(file).size }));

console.log(`${availableParallelism()} cores, best of ${times} rounds of ${ROUND_BYTES / 1e6} MB`);
try {
  for (const size of sizes) {
    const distance = (file: { size: number }): number => Math.abs(file.size - size);
    const pages = files
      .filter((file) => distance(file) <= TOLERANCE * size)
      .sort((a, b) => distance(a) - distance(b))
      .slice(0, PAGES)
      .map(({ file }) => ({ url: `file://${file}`, source: readFileSync(file, "utf8") }));
    if (pages.length === 0) {
      console.log(`${size / 1000} kB: the folder has no such pages`);
      continue;
    }
    await compare(size, pages);
  }
} finally {
  await Promise.all([...engines.values()].map((engine) => engine.close()));
}

async function compare(size: number, pages: readonly Page[]): Promise<void> {
  const count = Math.ceil(ROUND_BYTES / size);
  const measured = new Map<HtmlEngineName, Measured[]>();
  // The first round warms up: caches, and what compilers compile when it is run often.
  for (let round = 0; round <= times; round++)
    for (const [name, engine] of engines) {
      const one = await checkAll(engine, pages, count);
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), one]);
    }
  const best = (name: HtmlEngineName, of: keyof Measured): number =>
    Math.min(...(measured.get(name) ?? []).map((one) => one[of]));
  const milliseconds = (name: HtmlEngineName): number => (best(name, "processor") / count) * 1000;
  for (const name of engines.keys()) {
    const rate = (count / best(name, "seconds")).toFixed(0);
    console.log(
      `${`${size / 1000} kB`.padStart(6)}  ${name.padEnd(13)} ${rate.padStart(5)} pages/s  ${milliseconds(name).toFixed(1).padStart(6)} ms of processor time a page  (${pages.length} pages)`,
    );
  }
  const nu = engines.has("nu") ? "nu" : undefined;
  if (nu)
    record({
      ...{
        row: "4",
        measure: `HTML checks of pages of ${size / 1000} kB, conformance engine`,
        against: "vnu.jar, warm",
      },
      ...{ ratio: best(nu, "seconds") / best("conformance", "seconds"), target: { atLeast: 2 } },
      figures: Object.fromEntries(
        [...engines.keys()].map((name) => [`ms of processor time a page with ${name}`, milliseconds(name)]),
      ),
    });
}
