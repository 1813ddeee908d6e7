import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { migrate } from "../src/database/migrate.ts";
import { startPostgres } from "../src/embedded/postgres.ts";
import { insertReport } from "../test/support/builders.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * Crawls a folder of pages side by side: a bare undici + htmlparser2 loop, and the
 * crawler as it runs in production, a process of its own that stores what it finds in
 * PostgreSQL. Both are measured from the start of their process to its end.
 *
 *   node bench/crawl.ts <folder>      (or MANUAL_DIR)
 */

const RUNS = 5;
const main = fileURLToPath(new URL("../src/main/index.ts", import.meta.url));
const bare = fileURLToPath(new URL("./bare-crawl.ts", import.meta.url));

type Measured = { pages: number; seconds: number; peakMegabytes: number };

const folder = process.argv[2] ?? process.env.MANUAL_DIR;
if (!folder) {
  process.stderr.write("Say which folder of pages to crawl: node bench/crawl.ts <folder>, or set MANUAL_DIR.\n");
  process.exitCode = 2;
} else await run(folder);

async function run(pagesFolder: string): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), "sv-bench-"));
  await chmod(scratch, 0o755);
  const site = await startStaticServer(pagesFolder);
  const postgres = await startPostgres({ dataDir: path.join(scratch, "pgdata"), durable: true });
  const db = connect({ url: postgres.url, applicationName: "bench", maxConnections: 2, onIdleError: () => {} });
  try {
    await migrate(db);
    const startingUrl = `${site.url}index.html`;
    const measured: { bare: Measured[]; crawler: Measured[] } = { bare: [], crawler: [] };
    for (let round = 0; round < RUNS; round++) {
      measured.bare.push(await measure(bare, [startingUrl], {}, async (output) => Number(output.trim())));
      const report = await insertReport(db, {
        spec: { startingUrl, maxPages: 0, rateLimit: 0, performA11yChecks: true },
      });
      const env = { DATABASE_URL: postgres.url, ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8", LOG_LEVEL: "warn" };
      measured.crawler.push(
        await measure(main, ["crawler", "--report", report, "--run", "1"], env, async () => {
          const row = await db
            .selectFrom("reports")
            .select(["num_pages", "crawl_state"])
            .where("id", "=", report)
            .executeTakeFirstOrThrow();
          if (row.crawl_state !== "ended") throw new Error(`the crawl is ${row.crawl_state}`);
          return row.num_pages;
        }),
      );
      await sql`delete from reports`.execute(db);
    }
    print("bare undici + htmlparser2", best(measured.bare));
    print("crawler into PostgreSQL  ", best(measured.crawler));
    const ratio = rate(best(measured.crawler)) / rate(best(measured.bare));
    console.log(`ratio ${ratio.toFixed(2)} (target 0.60 or more), best of ${RUNS} runs each`);
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
  return { pages: await countPages(output), seconds, peakMegabytes: peak() };
}

/** The highest VmHWM seen: the kernel keeps the peak, so looking now and then is enough. */
function watchMemory(child: ChildProcess): () => number {
  let peak = 0;
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1000);
  };
  const timer = setInterval(look, 25);
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
  const memory = run.peakMegabytes > 0 ? `${run.peakMegabytes.toFixed(0)} MB at the peak` : "memory not known";
  console.log(`${name}  ${run.pages} pages in ${run.seconds.toFixed(2)} s  ${rate(run).toFixed(0)} pages/s  ${memory}`);
}
