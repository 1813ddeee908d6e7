import { loadavg } from "node:os";
import { sql } from "kysely";
import type { CrawlBatch } from "../src/database/crawl/crawl.ts";
import { encodeSource } from "../src/database/crawl/page-sources.ts";
import { storeBatch } from "../src/transactions/crawl.ts";
import { recordOutcomes } from "../src/transactions/end-checks.ts";
import { leaseChecks } from "../src/transactions/lease-checks.ts";
import { insertReport, reportSpec } from "../test/support/builders.ts";
import { readReport } from "../test/support/check-counts.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { engine, htmlIssue } from "../test/support/fake-runner.ts";
import { htmlPage } from "../test/support/queue-pages.ts";
import { record } from "./results.ts";
import { isSmoke } from "./smoke.ts";

/**
 * How much larger the database is after many checks than a copy without any empty room (VACUUM FULL), with the
 * statements that crawlers and checkers make, several at once, and autovacuum as it is set; by table. Half of the pages
 * have findings, so that their sources stay.
 *
 *     node bench/bloat.ts [checks]
 */

const CHECKS = Number(process.argv[2] ?? (isSmoke ? 400 : 100_000));
const BATCH = 10;
const CHECKERS = 4;
const PAGES_OF_REPORT = Math.min(CHECKS, 5_000);
const month = "2026-01-01";

const database = await createTestDatabase();
const { db } = database;
const paragraphs = Array.from(
  { length: 400 },
  (_, n) => `<p id="n${(n * 7919) % 997}">${(n * 104_729) % 9_973} words</p>`,
);
const page = htmlPage(paragraphs.join("\n"));
const source = await encodeSource({ source: page, contentType: "text/html" });
const kept = { bytes: source.body.byteLength, length: page.length };
const issues = Array.from({ length: 5 }, (_, n) => htmlIssue(`Issue ${n} of a page.`, 1 + (n % 3)));
const started = performance.now();
const written = await walBytes();
try {
  for (let done = 0; done < CHECKS; done += PAGES_OF_REPORT) await runReport();
  const seconds = (performance.now() - started) / 1000;
  console.log(`${CHECKS} checks in ${seconds.toFixed(0)} s, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  const wal = (await walBytes()) - written;
  const found = await numberOf("findings");
  const before = await sizes();
  await sql`vacuum full`.execute(db);
  const after = await sizes();
  let [sum, compact] = [0, 0];
  for (const [name, bytes] of [...before].sort(([, a], [, b]) => b - a)) {
    const full = after.get(name) ?? 0;
    sum += bytes;
    compact += full;
    if (bytes > 200_000)
      console.log(`${(bytes / 1e6).toFixed(1).padStart(9)} MB  ${(bytes / full).toFixed(2)}  ${name}`);
  }
  record({
    ...{
      row: "14",
      measure: `database after ${CHECKS.toLocaleString("en")} checks`,
      against: "a copy without empty room",
    },
    ...{ ratio: sum / compact, target: { atMost: 1.3 } },
    figures: {
      MB: sum / 1e6,
      "bytes a page": sum / CHECKS,
      "findings a page": found / CHECKS,
      "bytes of WAL a page": wal / CHECKS,
      "pages a second, without waiting for the disk": CHECKS / seconds,
    },
  });
} finally {
  await database.drop();
  await stopTestServer();
}

/** A report from its crawl to its last check, with the crawler ahead of the checkers. */
async function runReport(): Promise<void> {
  const reportId = await insertReport(db);
  let crawled = 0;
  let crawling = true;
  const crawl = (async () => {
    for (; crawled < PAGES_OF_REPORT; crawled += BATCH) await storeBatch(db, reportId, ["html"], batchOf(crawled));
  })().finally(() => {
    crawling = false;
  });
  const checker = async () => {
    for (;;) {
      const isLast = !crawling;
      const { checks } = await leaseChecks(db, { reportId, kind: "html" }, BATCH, month);
      if (checks.length === 0 && isLast) return;
      if (checks.length === 0) await new Promise(setImmediate);
      else
        await recordOutcomes(
          db,
          { reportId, kind: "html", spec: reportSpec() },
          checks.map((lease, n) => {
            const outcome = { kind: "html" as const, engine, issues: n % 2 === 0 ? issues : [] };
            return { lease, outcome, source: kept };
          }),
          new Date(),
        );
    }
  };
  await Promise.all([crawl, ...Array.from({ length: CHECKERS }, checker)]);
  const { html_checked: checked } = await readReport(db, reportId);
  if (checked !== PAGES_OF_REPORT) throw new Error(`${checked} of ${PAGES_OF_REPORT} pages were checked.`);
}

function batchOf(first: number): CrawlBatch {
  const urls = Array.from({ length: BATCH }, (_, n) => `https://example.com/${first + n}`);
  return {
    frontier: urls.map((url, n) => ({ url, position: first + n, depth: 1, linkedFrom: null, done: true })),
    pages: urls.map((url) => ({ url, linkedFrom: null, httpStatus: 200, source, failure: undefined })),
    excluded: [],
    notices: [],
    inbound: [],
    seen: [],
    answers: [],
    startFailure: undefined,
  };
}

/** What the server has written to its log so far. */
async function walBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`select pg_current_wal_insert_lsn() - '0/0' as bytes`.execute(db);
  return Number(rows[0]?.bytes);
}

/** Bytes of each table and of each index. */
async function sizes(): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; bytes: string }>`
    select c.relname as name, pg_total_relation_size(c.oid) - case c.relkind when 'r' then pg_indexes_size(c.oid) else 0 end as bytes
    from pg_class c where c.relkind in ('r', 'i') and c.relnamespace = 'public'::regnamespace`.execute(db);
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

async function numberOf(table: string): Promise<number> {
  const { rows } = await sql<{ number: string }>`select count(*) as number from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.number);
}
