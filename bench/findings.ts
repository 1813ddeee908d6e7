import { readdirSync, readFileSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { migrationLimits } from "../src/database/connection/connection-options.ts";
import { exportPages } from "../src/database/findings/export.ts";
import type { Database } from "../src/database/tables.ts";
import { type ExportFormatName, exportFormats } from "../src/domain/export/formats.ts";
import { stateTotals } from "../src/domain/findings/finding-state.ts";
import { readGuides } from "../src/files/read-guides.ts";
import { compareReports } from "../src/transactions/compare.ts";
import { endReport } from "../src/transactions/end-report.ts";
import { insertAccount } from "../test/support/builders.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { insertLargeFindings, insertLargeReport } from "./large-report.ts";

/**
 * How long it takes to compare two reports with many findings and to export them, beside the time of inserting the
 * findings of one in a single statement; and the most memory of this process and of the database's while it goes on.
 * One finding in twenty differs.
 *
 *     node bench/findings.ts [findings]
 */

const total = Number(process.argv[2] ?? 500_000);
const SAMPLE_MS = 50;

const database = await createTestDatabase();
// The rows of a benchmark may take longer to insert than a statement of the service may.
const db = connect({
  url: database.url,
  applicationName: "bench",
  maxConnections: 1,
  limits: migrationLimits,
  onIdleError: () => {},
});
const guides = await readGuides();
const accountId = await insertAccount(db);
const base = await insertLargeReport(db, { accountId, run: 1, findings: total });
const now = await insertLargeReport(db, { accountId, run: 2, findings: total });
await sql`vacuum analyze`.execute(db);
const insertion = await measured("insert one report's findings", () => insertLargeFindings(db, now, 2));
await insertLargeFindings(db, base, 1);
await sql`vacuum analyze`.execute(db);

const compared = await measured("compare", () => compareReports(db, now, base), insertion.seconds);
await endReport(db, now, "Complete", new Date(), compared.result?.id);
console.log(JSON.stringify(stateTotals(compared.result?.counts ?? [])));
for (const name of Object.keys(exportFormats) as ExportFormatName[]) {
  const { result: bytes } = await measured(`export ${name}`, () => exported(db, now, name), insertion.seconds);
  console.log(`  ${(bytes / 1e6).toFixed(0)} MB`);
}
await db.destroy();
await database.drop();
await stopTestServer();

async function exported(from: Kysely<Database>, id: string, name: ExportFormatName): Promise<number> {
  let bytes = 0;
  const engines = { html: { name: "conformance", version: "1" } };
  const all = exportFormats[name].write({
    report: {
      id,
      starting_url: "https://example.com/",
      inserted_at: new Date(),
      engines,
      coverage: null,
      requiresComplete: false,
    },
    kinds: ["html"],
    guideUrl: () => null,
    guides: async () => guides,
    pages: (kind) => exportPages(from, id, { kind, muted: false }),
  });
  for await (const piece of all) bytes += Buffer.byteLength(piece);
  return bytes;
}

/** Runs something; prints its time, as a ratio to another if one is given, and the most memory meanwhile. */
async function measured<Result>(name: string, run: () => Promise<Result>, than?: number) {
  const most = { own: 0, database: 0 };
  const timer = setInterval(() => {
    most.own = Math.max(most.own, process.memoryUsage.rss());
    most.database = Math.max(most.database, largestBackend());
  }, SAMPLE_MS);
  const start = performance.now();
  const result = await run();
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  const ratio = than === undefined ? "" : `, ${(seconds / than).toFixed(2)} times inserting`;
  const memory = `this process ${megabytes(most.own)}, largest of the database's ${megabytes(most.database)}`;
  console.log(`${name.padEnd(30)} ${seconds.toFixed(1).padStart(6)} s${ratio}; ${memory}`);
  return { result, seconds };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** Anonymous memory of the largest server process: what it shares with the others is not its own. */
function largestBackend(): number {
  let most = 0;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)))
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      if (/^Name:\s+postgres$/m.test(status))
        most = Math.max(most, Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It has ended.
    }
  return most;
}
