import { readFileSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { withJobToken } from "../src/database/connection/connection-options.ts";
import type { CrawlBatch } from "../src/database/crawl/crawl.ts";
import { encodeSource } from "../src/database/crawl/page-sources.ts";
import { ensureJobRole, jobToken, ownLogin, withLogin } from "../src/database/job-role.ts";
import type { Database } from "../src/database/tables.ts";
import { storeBatch } from "../src/transactions/crawl.ts";
import { recordOutcomes } from "../src/transactions/end-checks.ts";
import { leaseChecks } from "../src/transactions/lease-checks.ts";
import { insertReport, reportSpec } from "../test/support/builders.ts";
import { expectConsistent } from "../test/support/consistency.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { engine, htmlIssue } from "../test/support/fake-runner.ts";
import { htmlPage } from "../test/support/queue-pages.ts";

/**
 * What the rights of Jobs cost (docs/adr/0030): the same statements by the database's owner and by the user of Jobs,
 * whose rows are picked by row-level security. Both take turns, batch by batch, each on a report of its own. Measured
 * is the processor time of each one's server process: other load on the machine does not affect it.
 *
 *     node bench/job-rights.ts [pages]
 */

const pages = Number(process.argv[2] ?? 4_000);
const BATCH = 10;
/** Reports of others, so that the tables have rows that are not to be seen. */
const OTHERS = 20;
const month = "2026-01-01";
const now = new Date();

type Side = { name: string; db: Kysely<Database>; reportId: string; backend: number; ms: Record<string, number> };

const steps: Record<string, (side: Side, batch: number) => Promise<unknown>> = {
  "store crawled pages": ({ db, reportId }, batch) => storeBatch(db, reportId, ["html"], crawled(batch)),
  "lease checks": async (side) => {
    leased = (await leaseChecks(side.db, { reportId: side.reportId, kind: "html" }, BATCH, month)).checks;
    if (leased.length !== BATCH) throw new Error(`${side.name} leased ${leased.length} checks instead of ${BATCH}.`);
  },
  "store their findings": ({ db, reportId }) =>
    recordOutcomes(
      db,
      { reportId, kind: "html", spec: reportSpec() },
      leased.map((lease) => ({ lease, outcome: { kind: "html", engine, issues } })),
      now,
    ),
};
let leased: Awaited<ReturnType<typeof leaseChecks>>["checks"] = [];
const source = await encodeSource({ source: htmlPage("<p>x</p>".repeat(2_000)), contentType: "text/html" });
const issues = Array.from({ length: 10 }, (_, n) => htmlIssue(`Issue ${n} of a page.`, 1 + (n % 3)));

const database = await createTestDatabase();
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db);
const login = ownLogin(rows[0]?.name ?? "");
if (!(await ensureJobRole(database.db, login))) throw new Error("The role of Jobs could not be created.");
for (let other = 0; other < OTHERS; other++) {
  const reportId = await insertReport(database.db);
  for (let batch = 0; batch < 20; batch++) await storeBatch(database.db, reportId, ["html"], crawled(batch));
}
await sql`vacuum analyze`.execute(database.db);

const owner = await open("owner", () => database.url);
const job = await open("Jobs", (token) => withJobToken(withLogin(database.url, login), token));
for (let batch = 0; batch < pages / BATCH; batch++)
  for (const side of batch % 2 === 0 ? [owner, job] : [job, owner])
    for (const [step, run] of Object.entries(steps)) {
      const before = processorMs(side.backend);
      await run(side, batch);
      side.ms[step] = (side.ms[step] ?? 0) + processorMs(side.backend) - before;
    }
for (const { reportId } of [owner, job]) await expectConsistent(database.db, reportId);

console.log(`${pages} pages in batches of ${BATCH}, beside ${OTHERS} reports of others; ms of processor time a batch`);
for (const step of [...Object.keys(steps), "in all"]) {
  const [of, to] = [owner, job].map(({ ms }) => {
    const sum = step === "in all" ? Object.values(ms).reduce((a, b) => a + b, 0) : (ms[step] ?? 0);
    return sum / (pages / BATCH);
  }) as [number, number];
  console.log(`${step.padEnd(22)} owner ${of.toFixed(2)}, Jobs ${to.toFixed(2)}: ratio ${(to / of).toFixed(2)}`);
}
for (const { db } of [owner, job]) await db.destroy();
await database.drop();
await stopTestServer();

async function open(name: string, urlOf: (token: string) => string): Promise<Side> {
  const reportId = await insertReport(database.db);
  const url = urlOf(await jobToken(database.db, reportId));
  const db = connect({ url, applicationName: name, maxConnections: 1, onIdleError: () => {} });
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return { name, db, reportId, backend: rows[0]?.pid ?? 0, ms: {} };
}

/** The first field of schedstat: time on the processor, in nanoseconds. */
function processorMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

function crawled(batch: number): CrawlBatch {
  const urls = Array.from({ length: BATCH }, (_, n) => `https://example.com/${batch * BATCH + n}`);
  return {
    frontier: urls.map((url, n) => ({ url, position: batch * BATCH + n, depth: 1, linkedFrom: null, done: true })),
    pages: urls.map((url) => ({ url, linkedFrom: null, httpStatus: 200, source, failure: undefined })),
    excluded: [],
    notices: [],
    inbound: [],
    seen: [],
    answers: [],
    startFailure: undefined,
  };
}
