import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { migrate } from "../src/database/migrations/migrate.ts";
import { startPostgres } from "../src/embedded/postgres.ts";
import { insertReport } from "../test/support/builders.ts";
import { corpus } from "./corpora.ts";
import { bundledEntry } from "./entry.ts";
import { installPeers } from "./peers/install.ts";
import { peakMegabytes } from "./processes.ts";
import { processorSeconds } from "./processor-time.ts";
import { record } from "./results.ts";
import { isSmoke, rounds } from "./smoke.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * Compares three crawls of a folder of pages: a bare undici + htmlparser2 loop, the crawler as npm scripts start it, a
 * process that stores its pages in PostgreSQL, and Crawlee's CheerioCrawler. All are measured from the start of their
 * process to its end, in turns, and have to find the same number of pages.
 *
 *   node bench/crawl.ts [folder]      (or MANUAL_DIR; bench/corpora.ts)
 */

const RUNS = rounds(5);
/** It takes ten times as long. */
const CRAWLEE_RUNS = isSmoke ? 0 : 2;
const DRAIN_MS = 250;
const bare = fileURLToPath(new URL("./bare-crawl.ts", import.meta.url));
const crawlee = fileURLToPath(new URL("./peers/crawlee.js", import.meta.url));

/** `cpu` is the processor time of the crawl and of the database, in seconds. */
type Measured = { pages: number; seconds: number; cpu: number; peakMegabytes: number };

const folder = await corpus();
if (folder === undefined) process.exitCode = 2;
else {
  if (CRAWLEE_RUNS > 0) await installPeers();
  await run(folder);
}

async function run(pagesFolder: string): Promise<void> {
  const entry = await bundledEntry();
  const scratch = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
  await chmod(scratch, 0o755);
  const site = await startStaticServer(pagesFolder);
  const postgres = await startPostgres({ dataDir: path.join(scratch, "pgdata"), durable: true });
  const db = connect({ url: postgres.url, applicationName: "bench", maxConnections: 2, onIdleError: () => {} });
  try {
    await migrate(db);
    const startingUrl = `${site.url}index.html`;
    const measured = { bare: [] as Measured[], crawler: [] as Measured[], crawlee: [] as Measured[] };
    const printed = async (output: string) => Number(output.trim());
    for (let round = 0; round < RUNS; round++) {
      measured.bare.push(await measure(bare, [startingUrl], {}, printed));
      if (round < CRAWLEE_RUNS) measured.crawlee.push(await measure(crawlee, [startingUrl], {}, printed));
      const report = await insertReport(db, {
        spec: { startingUrl, maxPages: 0, rateLimit: 0, performA11yChecks: true },
      });
      // A crawl waits when too many pages wait for their checks: here nobody checks them.
      const checked = setInterval(() => void db.deleteFrom("page_sources").execute(), DRAIN_MS);
      const env = { DATABASE_URL: postgres.url, ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8", LOG_LEVEL: "warn" };
      measured.crawler.push(
        await measure(entry, ["crawler", "--report", report, "--run", "1"], env, async () => {
          const row = await db
            .selectFrom("reports")
            .select(["num_pages", "crawl_state"])
            .where("id", "=", report)
            .executeTakeFirstOrThrow();
          if (row.crawl_state !== "ended") throw new Error(`the crawl is ${row.crawl_state}`);
          return row.num_pages;
        }).finally(() => clearInterval(checked)),
      );
      await sql`delete from reports`.execute(db);
    }
    const [limit, own] = [best(measured.bare), best(measured.crawler)];
    print("bare undici + htmlparser2", limit);
    print("crawler into PostgreSQL  ", own);
    const all = Object.values(measured).flat();
    if (new Set(all.map(({ pages }) => pages)).size > 1)
      throw new Error(`The crawls found different numbers of pages: ${all.map(({ pages }) => pages).join(", ")}.`);
    const figures = {
      "pages/s": rate(own),
      "ms of processor time a page": (own.cpu / own.pages) * 1000,
      "MB of memory": own.peakMegabytes,
    };
    record({
      ...{ row: "1", measure: "crawl into PostgreSQL, no rate limit", against: "undici + htmlparser2 loop" },
      ...{ ratio: rate(own) / rate(limit), target: { atLeast: 0.8 } },
      figures: {
        ...figures,
        "pages/s of the loop": rate(limit),
        "ms of the loop": (limit.cpu / limit.pages) * 1000,
      },
    });
    if (measured.crawlee.length === 0) return;
    const peer = best(measured.crawlee);
    print("Crawlee's CheerioCrawler ", peer);
    record({
      ...{ row: "2", measure: "the same", against: "Crawlee CheerioCrawler" },
      ...{ ratio: rate(own) / rate(peer), target: { atLeast: 10 } },
      figures: { ...figures, "pages/s of Crawlee": rate(peer), "MB of Crawlee": peer.peakMegabytes },
    });
  } finally {
    await db.destroy();
    await postgres.stop();
    await site.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function measure(
  script: string,
  args: string[],
  env: Record<string, string>,
  countPages: (output: string) => Promise<number>,
): Promise<Measured> {
  const started = performance.now();
  const cpu = processorSeconds();
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const peak = watchMemory(child);
  const [code] = await once(child, "close");
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`${path.basename(script)} ended with code ${code}`);
  const used = processorSeconds() - cpu;
  return { pages: await countPages(output), seconds, cpu: used, peakMegabytes: peak() };
}

/** The highest peak observed: the kernel keeps the peak, so an occasional reading is enough. */
function watchMemory(child: ChildProcess): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMegabytes(child.pid ?? 0));
  }, 25);
  child.once("exit", () => clearInterval(timer));
  return () => peak;
}

function best(runs: Measured[]): Measured {
  return runs.reduce((one, other) => (rate(other) > rate(one) ? other : one));
}

function rate({ pages, seconds }: Measured): number {
  return pages / seconds;
}

function print(name: string, run: Measured): void {
  const memory = run.peakMegabytes > 0 ? `${run.peakMegabytes.toFixed(0)} MB peak memory` : "peak memory unknown";
  console.log(`${name}  ${run.pages} pages in ${run.seconds.toFixed(2)} s  ${rate(run).toFixed(0)} pages/s  ${memory}`);
}
