import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { migrationLimits } from "../src/database/connection/connection-options.ts";
import { storePageLosses } from "../src/database/reports/page-losses.ts";
import { listOutdatedReports } from "../src/database/reports/recounts.ts";
import { compareReports } from "../src/transactions/compare.ts";
import { endReport } from "../src/transactions/end-report.ts";
import { recountReport } from "../src/transactions/recount.ts";
import { storeComponents } from "../src/transactions/store-components.ts";
import { createWeb } from "../src/web/app.ts";
import { accountWithToken, startTestApi } from "../test/support/api.ts";
import { setReport } from "../test/support/check-counts.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import { addMuting, mutingOf } from "../test/support/mutings.ts";
import { signedIn } from "../test/support/web-service.ts";
import { insertLargeFindings, insertLargeReport } from "./large-report.ts";
import { processorSeconds } from "./processor-time.ts";

/**
 * How long the pages of a large report take, from the request to the last byte, and how large they are compressed,
 * with and without the style and script that a browser loads once. Processor time is that of the service and its database
 * together: on a busy machine it says what a page costs, and the times by the clock say who else was there. Then the same
 * pages while a muting is applied to the report.
 *
 *     node bench/web.ts [findings]
 */

const findings = Number(process.argv[2] ?? 500_000);
const ROUNDS = 15;
const compress = promisify(gzip);

const database = await createTestDatabase();
const { accountId, token } = await accountWithToken(database);
const db = connect({
  ...{ url: database.url, applicationName: "bench", maxConnections: 1, limits: migrationLimits },
  onIdleError: () => {},
});
const [base, report] = [
  await insertLargeReport(db, { accountId, run: 1, findings }),
  await insertLargeReport(db, { accountId, run: 2, findings }),
];
for (const [at, id] of [base, report].entries()) {
  await insertLargeFindings(db, id, at + 1);
  await sql`update common_issues c set how_many = f.how_many from (
      select i.common_id, sum(i.how_many)::integer as how_many
      from issues i where i.report_id = ${id} group by i.common_id
    ) f where c.id = f.common_id`.execute(db);
  const { rows } = await sql<{ pages: number }>`
    select count(*)::integer as pages from web_pages where report_id = ${id}`.execute(db);
  const pages = rows[0]?.pages ?? 0;
  await setReport(db, id, { num_pages: pages, html_checked: pages, html_errors: findings });
}
await sql`vacuum analyze`.execute(db);
await endReport(db, base, "Complete", new Date());
const comparison = (await compareReports(db, report, base))?.id ?? null;
await storeComponents(db, report, comparison);
await storePageLosses(db, report);
await endReport(db, report, "Complete", new Date(), comparison);
await sql`update report_ends set is_whole = true`.execute(db);
await sql`vacuum analyze`.execute(db);
const api = await startTestApi(database, { pages: createWeb });
try {
  const client = await signedIn({ url: api.url, token });
  const first = async (path: string) => (await api.as(token)("GET", path)).json.data[0]?.id;
  const issue = await first(`/reports/${report}/common_html_issues`);
  const component = await first(`/reports/${report}/components`);
  const page = await first(`/reports/${report}/web_pages`);
  const { data: sections } = (await api.as(token)("GET", `/reports/${report}/sections`)).json;
  const cause = await first(`/reports/${report}/causes`);
  const site = await first("/sites");
  const folder = sections[0]?.attributes.path;
  const { data: made } = (
    await api.as(token)("POST", "/share_links", {
      attributes: { report_id: report, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
    })
  ).json;
  const assets = await loadedOnce((await client.get("/")).html);
  console.log(`style and script: ${kilobytes(assets)} compressed\n`);
  console.log(
    `${"page".padEnd(28)} ${"median".padStart(9)} ${"processor".padStart(9)} ${"slowest".padStart(9)} ${"HTML".padStart(9)} ${"first visit".padStart(12)}`,
  );
  for (const [name, path] of Object.entries({
    sites: "/",
    site: `/sites/${site}`,
    causes: `/reports/${report}/causes`,
    "causes, of a role": `/reports/${report}/causes?role=content`,
    "causes, of a folder": `/reports/${report}/causes?path=${folder}`,
    cause: `/reports/${report}/causes/${cause}`,
    report: `/reports/${report}`,
    issues: `/reports/${report}/issues`,
    "issues, of one engine": `/reports/${report}/issues?kind=html`,
    "issues, of a folder": `/reports/${report}/issues?path=${folder}`,
    "issues, new": `/reports/${report}/issues?state=new`,
    "issues, of templates": `/reports/${report}/issues?role=template`,
    "issues, new of a folder": `/reports/${report}/issues?path=${folder}&state=new&role=template`,
    "issues, of editors": `/reports/${report}/issues?role=content`,
    "issues, of designers": `/reports/${report}/issues?role=design`,
    "issues, with a text": `/reports/${report}/issues?text=alt`,
    issue: `/reports/${report}/issues/html/${issue}`,
    component: `/reports/${report}/components/${component}`,
    pages: `/reports/${report}/pages`,
    "pages, most errors first": `/reports/${report}/pages?sort=errors-desc`,
    "pages, with new errors": `/reports/${report}/pages?state=new`,
    page: `/reports/${report}/pages/${page}`,
    changes: `/reports/${report}/changes`,
    failed: `/reports/${report}/failed`,
    editors: `/reports/${report}/editors`,
    "shared by a link": `/shared/${made?.attributes.secret}`,
    "shared, for editors": `/shared/${made?.attributes.secret}/editors`,
    mutings: "/mutings",
    "mute, with a preview": `/mutings/new?component=${component}&report_id=${report}`,
    "new report": "/reports/new",
    "new schedule": "/schedules/new",
    tokens: "/tokens",
    usage: "/usage",
    guides: "/guides",
    guide: "/guides/a11y/color-contrast",
  })) {
    const times: number[] = [];
    let last = "";
    const before = processorNow();
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      const { status, html } = await client.get(path);
      times.push(performance.now() - start);
      if (status !== 200) throw new Error(`${path}: ${status}\n${html}`);
      last = html;
    }
    const processor = ((processorNow() - before) / ROUNDS) * 1_000;
    const bytes = (await compress(last)).length;
    times.sort((a, b) => a - b);
    const [median = 0, slowest = 0] = [times[Math.floor(ROUNDS / 2)], times.at(-1)];
    const columns = [
      `${median.toFixed(0)} ms`,
      `${processor.toFixed(0)} ms`,
      `${slowest.toFixed(0)} ms`,
      kilobytes(bytes),
    ].map((text) => text.padStart(9));
    console.log(`${name.padEnd(28)} ${columns.join(" ")} ${kilobytes(bytes + assets).padStart(12)}`);
  }
  const muted = await whileMuted(
    async (path) => {
      const start = performance.now();
      const { status } = await client.get(path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
      return performance.now() - start;
    },
    ["", "/causes", "/issues", "/issues?state=new", "/issues?role=template", "/pages", "/changes"],
  );
  console.log(`\nwhile a muting of one rule is applied, which takes ${muted.seconds.toFixed(1)} s:`);
  for (const [path, times] of muted.times) {
    const sorted = times.toSorted((a, b) => a - b);
    const [middle = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    console.log(
      `${(path || "report").padEnd(28)} ${middle.toFixed(0)} ms, ${slowest.toFixed(0)} ms at most, ${sorted.length} times`,
    );
  }
} finally {
  await api.close();
  await db.destroy();
  await database.drop();
  await stopTestServer();
}

/** Requests pages of the report one after the other for as long as it is counted again, as the controller does it. */
async function whileMuted(request: (path: string) => Promise<number>, paths: readonly string[]) {
  const times = new Map<string, number[]>(paths.map((path) => [path, []]));
  await addMuting(db, { accountId, guestToken: null }, mutingOf({ rule: "rule-3" }));
  const outdated = (await listOutdatedReports(db)).find(({ id }) => id === report);
  if (!outdated) throw new Error("The muting has outdated nothing.");
  const start = performance.now();
  let end: number | undefined;
  const recounted = recountReport(db, outdated, new AbortController().signal).finally(() => {
    end = performance.now();
  });
  while (end === undefined) for (const path of paths) times.get(path)?.push(await request(`/reports/${report}${path}`));
  await recounted;
  return { times, seconds: (end - start) / 1000 };
}

/** The compressed bytes of what the pages load. */
async function loadedOnce(html: string): Promise<number> {
  const paths = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  let bytes = 0;
  for (const path of new Set(paths)) {
    const response = await fetch(api.url + path);
    bytes += (await compress(await response.arrayBuffer())).length;
  }
  return bytes;
}

/** Seconds of this process, which has the service, and of the database that it has started. */
function processorNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + processorSeconds();
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
