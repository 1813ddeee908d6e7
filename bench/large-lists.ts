import { loadavg } from "node:os";
import { sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { migrationLimits } from "../src/database/connection/connection-options.ts";
import { compareReports } from "../src/transactions/compare.ts";
import { endReport } from "../src/transactions/end-report.ts";
import { storeComponents } from "../src/transactions/store-components.ts";
import { accountWithToken, startTestApi } from "../test/support/api.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { insertLargeFindings, insertLargeReport } from "./large-report.ts";
import { median } from "./median.ts";

/**
 * How long the lists of one large report take, one request after the other: in the middle, and at most.
 *
 *     node bench/large-lists.ts [findings]
 */

const FINDINGS = Number(process.argv[2] ?? 500_000);
const TIMES = 15;

const database = await createTestDatabase();
// The rows of a benchmark may take longer to insert than a statement of the service may.
const limits = migrationLimits;
const db = connect({ url: database.url, applicationName: "bench", maxConnections: 1, limits, onIdleError: () => {} });
const api = await startTestApi(database, { requestsPerMinute: 1_000_000 });
const { accountId, token } = await accountWithToken(database);
const [base, id] = [
  await insertLargeReport(db, { accountId, run: 1, findings: FINDINGS }),
  await insertLargeReport(db, { accountId, run: 2, findings: FINDINGS }),
];
await insertLargeFindings(db, base, 1);
await insertLargeFindings(db, id, 2);
await sql`update web_pages set fetch_ms = id % 997`.execute(db);
await sql`update checks set duration_ms = id % 1009`.execute(db);
await sql`vacuum analyze`.execute(db);
await endReport(db, base, "Complete", new Date());
const comparison = (await compareReports(db, id, base))?.id ?? null;
const grouping = performance.now();
await storeComponents(db, id, comparison);
console.log(`components, roles and faults stored in ${((performance.now() - grouping) / 1000).toFixed(1)} s`);
await endReport(db, id, "Complete", new Date(), comparison);
await sql`vacuum analyze`.execute(db);

// What checkers count was not counted: without it lists would leave out the site's numbers, and the issues.
await sql`update report_ends set is_whole = true`.execute(db);
await sql`update common_issues c set how_many = counted.how_many from (
  select common_id, sum(how_many)::integer as how_many from issues group by 1
) counted where counted.common_id = c.id`.execute(db);
await sql`vacuum analyze common_issues`.execute(db);
const { rows: frequent } = await sql<{ kind: string; rule: string }>`
  select kind, rule from common_issues where report_id = ${id} and rule is not null
  group by 1, 2 order by sum(how_many) desc limit 1`.execute(db);
const rule = new URLSearchParams({
  "filter[kind]": frequent[0]?.kind ?? "",
  "filter[rule]": frequent[0]?.rule ?? "",
});

const report = `/reports/${id}`;
const [site] = (await api.as(token)("GET", "/sites")).json.data;
const lists = [
  report,
  ...["", "?sort=errors-desc", "?sort=new_errors-desc", "?sort=duration-desc", "?filter[state]=new"].map(
    (query) => `${report}/web_pages${query}`,
  ),
  ...["sections", "criteria", "comparison/rules", "comparison"].map((list) => `${report}/${list}`),
  ...["web_pages", "findings", "components", "common_html_issues"].map(
    (list) => `${report}/${list}?filter[path]=/part-7/`,
  ),
  ...["/none/", "/part-7/none/"].map((path) => `${report}/findings?filter[path]=${path}`),
  ...["content", "template", "design"].flatMap((role) =>
    ["findings", "components", "common_html_issues"].map((list) => `${report}/${list}?filter[role]=${role}`),
  ),
  `${report}/findings?base=${base}&filter[state]=fixed`,
  ...["/sites", "/sites?sort=change-desc", `/sites/${site?.id}`, `/sites/${site?.id}/history`],
  ...["/sites_history?period=365", `/sites/${site?.id}/runs`, `/sites/${site?.id}/history?period=90&each=report`],
  ...["filter[result]=errors", "filter[search]=page-4", "filter[id]=1,2,3"].map(
    (query) => `${report}/web_pages?${query}&sort=errors-desc`,
  ),
  ...["filter[search]=image", "filter[state]=nobody"].map((query) => `${report}/causes?${query}`),
  ...["/site_rules", `/site_rules?${rule}`],
];
const call = api.as(token);
for (const path of lists) {
  const times: number[] = [];
  for (let n = 0; n <= TIMES; n++) {
    const started = performance.now();
    const { status, text } = await call("GET", path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    // The first one fills caches.
    if (n > 0) times.push(performance.now() - started);
  }
  const shown = [median(times), Math.max(...times)].map((ms) => ms.toFixed(1).padStart(8));
  console.log(`${shown.join(" ")} ms  ${path.replace(id, "…").replace(base, "…")}`);
}
console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
await api.close();
await db.destroy();
await database.drop();
await stopTestServer();
