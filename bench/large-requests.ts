import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { connect } from "../src/database/connection/connect.ts";
import { migrationLimits } from "../src/database/connection/connection-options.ts";
import { listOutdatedReports } from "../src/database/reports/recounts.ts";
import { compareReports } from "../src/transactions/compare.ts";
import { endReport } from "../src/transactions/end-report.ts";
import { purgeDeletedReports, purgeWorkingRows } from "../src/transactions/purge.ts";
import { recountReport } from "../src/transactions/recount.ts";
import { storeComponents } from "../src/transactions/store-components.ts";
import { accountWithToken } from "../test/support/api.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import type { ServerMessage, ServerRequest } from "./api-server.ts";
import { insertLargeFindings, insertLargeReport } from "./large-report.ts";
import { isSmoke } from "./smoke.ts";

/**
 * How long every request of the API takes for a report with a million findings, compared with an earlier one of as
 * many; and the work that requests leave to the controller. One request at a time, each once: what may take seconds is
 * searched, not milliseconds (bench/lists.ts). docs/scale.md has the table.
 *
 *     node bench/large-requests.ts [findings]
 */

const FINDINGS = Number(process.argv[2] ?? (isSmoke ? 10_000 : 1_000_000));
/** A request that takes longer than this belongs into the controller's queue. */
const LIMIT_MS = 5_000;

const database = await createTestDatabase();
const db = connect({
  ...{ url: database.url, applicationName: "bench", maxConnections: 2, limits: migrationLimits },
  onIdleError: () => {},
});
const measured: { what: string; ms: number; firstMs: number; status: number | string; kB: number }[] = [];
const { accountId, token } = await accountWithToken(database);
const child = fork(fileURLToPath(new URL("./api-server.ts", import.meta.url)));
let api = "";
try {
  const [base, report] = [await fill(1), await fill(2)];
  await finish();
  const compared = await timed("controller: compare two reports", () => compareReports(db, report, base));
  await endReport(db, report, "Complete", new Date(), compared?.id);
  await timed("controller: group the components", () => storeComponents(db, report, compared?.id ?? null));
  await sql`vacuum analyze`.execute(db);
  api = await start(child);
  await measureReads(report, base);
  await measureWrites(report, base);
} finally {
  child.disconnect();
  print();
  await db.destroy();
  await database.drop();
  await stopTestServer();
}

async function fill(run: number): Promise<string> {
  const id = await insertLargeReport(db, { accountId, run, findings: FINDINGS });
  await sql`analyze`.execute(db);
  await insertLargeFindings(db, id, run);
  return id;
}

/** Sets the counters that the checkers would have kept. */
async function finish(): Promise<void> {
  await sql`update common_issues c set how_many = f.how_many from (
      select i.common_id, sum(i.how_many)::integer as how_many from issues i group by i.common_id
    ) f where c.id = f.common_id`.execute(db);
  await sql`update reports r set phase = 'Complete', completed_at = now(), num_pages = p.pages
    from (select report_id, count(*)::integer as pages from web_pages group by report_id) p where r.id = p.report_id`.execute(
    db,
  );
  await sql`update check_counts k set checked = r.num_pages, errors = f.number
    from reports r, (select report_id, count(*)::integer as number from findings group by report_id) f
    where k.report_id = r.id and k.report_id = f.report_id and k.kind = 'html'`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function measureReads(id: string, base: string): Promise<void> {
  const report = `/reports/${id}`;
  const first = async (path: string) => (await call("GET", path)).json.data[0]?.id ?? "0";
  const page = await first(`${report}/web_pages`);
  const issue = await first(`${report}/common_html_issues`);
  const component = await first(`${report}/components`);
  const pages = Math.ceil(FINDINGS / 100);
  const filters = [
    ...["new", "persisting", "unknown", "new_rule"].map((state) => `filter[state]=${state}`),
    ...["filter[rule]=rule-1", "filter[rule]=none-such", "filter[issue_type]=error", "filter[issue_type]=warning"],
    "filter[muted]=true",
  ];
  const with_ = (path: string, of: string[]) => [path, ...of.map((query) => `${path}?${query}`)];
  const sorts = (keys: string[]) => keys.flatMap((key) => [`sort=${key}-asc`, `sort=${key}-desc`]);
  const paths = [
    ...with_("/reports", ["sort=html_issues-desc", "filter[url]=example", "page[number]=1000"]),
    ...[report, "/sites", "/sites?filter[starting_url]=https://example.com/", `${report}/progress`],
    ...with_(`${report}/web_pages`, [
      ...sorts(["errors", "url"]),
      ...["filter[url]=77", "filter[url]=none-such", "filter[status]=checked", "filter[status]=failed"],
      ...[`filter[common_html_issue_id]=${issue}`, `page[size]=100&page[number]=${Math.ceil(pages / 100)}`],
      ...[`filter[common_html_issue_id]=${issue}&page[number]=${Math.ceil(pages / 25)}`],
    ]),
    `${report}/web_pages/${page}`,
    ...with_(`${report}/web_pages/${page}/html_issues`, ["sort=how_many-desc", "filter[state]=new"]),
    `${report}/web_pages/${page}/a11y_issues`,
    ...with_(`${report}/common_html_issues`, [
      ...["filter[message]=rule", "filter[muted]=true", "filter[state]=new", "filter[state]=persisting"],
      ...sorts(["how_many", "pages"]),
    ]),
    ...with_(`${report}/common_a11y_issues`, ["filter[muted]=true"]),
    ...["fixed", "gone"].map((state) => `${report}/findings?filter[state]=${state}`),
    ...with_(`${report}/findings`, [...filters, `filter[component]=${component}`, "page[size]=100"]),
    ...with_(`${report}/components`, [...filters, ...sorts(["how_many", "pages", "impact"]), "page[number]=3"]),
    ...with_(`/reports/${base}/components`, ["filter[rule]=rule-1", "sort=pages-asc"]),
    ...[`${report}/excluded_urls`, `${report}/mutings`, `${report}/comparison`],
    ...["/schedules", "/mutings", "/devices", "/guest_accounts", "/api_tokens", "/basic_auths", "/usage"],
  ];
  for (const path of paths) await measure("GET", path, { id, base });
  // A place far back in a list with cursors.
  let next: string | null = `${report}/findings?page[size]=100`;
  for (let n = 0; next !== null && n < 50; n += 1)
    next = ((await call("GET", next)).json.links.next as string | null)?.replace(/^.*\/api\/v1/, "") ?? null;
  if (next !== null) await measure("GET", next, { id, base });
  for (const format of ["ndjson", "csv", "sarif", "junit"])
    await measure("GET", `${report}/export.${format}`, { id, base });
  await measure("GET", `${report}/export.ndjson?filter[rule]=rule-1`, { id, base });
}

async function measureWrites(id: string, base: string): Promise<void> {
  const ids = { id, base };
  await measure("GET", `/reports/${base}/comparison?base=${id}`, ids);
  const everything = { url_match: "https://example.com/", message: "Message 1 of a rule.", comment: "bench" };
  await measure("POST", "/mutings/preview", ids, everything);
  const { json } = await measure("POST", "/mutings", ids, everything);
  await recount();
  await measure("DELETE", `/mutings/${json.data.id}`, ids);
  await recount();
  await measure("PATCH", `/reports/${id}`, ids, { shared: true });
  const { json: listed } = await call("GET", `/reports/${id}/web_pages`);
  await measure("DELETE", `/reports/${id}/web_pages/${listed.data[0].id}`, ids);
  await measure("PATCH", `/reports/${id}/web_pages/${listed.data[1].id}`, ids, { status: "pending" });
  await sql`update reports set deleted_at = now() - interval '1 day' where id = ${base}`.execute(db);
  const never = new AbortController().signal;
  await timed("controller: purge a deleted report", () => purgeDeletedReports(db, new Date(), never));
  await timed("controller: purge what its comparisons leave", () => purgeWorkingRows(db, never));
}

async function recount(): Promise<void> {
  for (const report of await listOutdatedReports(db))
    await timed("controller: recount a report, and its comparison", () =>
      recountReport(db, report, new AbortController().signal),
    );
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await work();
  measured.push({ what, ms: performance.now() - started, firstMs: 0, status: "", kB: 0 });
  console.error(`${((performance.now() - started) / 1_000).toFixed(1)} s  ${what}`);
  return result;
}

async function measure(method: string, path: string, { id, base }: { id: string; base: string }, attributes?: object) {
  const started = performance.now();
  const result = await call(method, path, attributes);
  const shown = decodeURIComponent(path).replaceAll(id, "…").replaceAll(base, "base");
  const what = `${method} ${shown.replace(/after\]=.*/, "after]=…")}`;
  const ms = performance.now() - started;
  measured.push({ what, ms, firstMs: result.firstAt - started, status: result.status, kB: result.bytes / 1_000 });
  if (ms > 1_000) console.error(`${(ms / 1_000).toFixed(1)} s  ${result.status}  ${what}`);
  return result;
}

async function call(method: string, path: string, attributes?: object) {
  const response = await fetch(`${api}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/vnd.api+json" },
    ...(attributes && { body: JSON.stringify({ data: { attributes } }) }),
  });
  const firstAt = performance.now();
  let [bytes, start] = [0, ""];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Exports are not kept.
    if (!path.includes("/export")) start += decoder.decode(chunk, { stream: true });
  }
  // biome-ignore lint/suspicious/noExplicitAny: a document as a client sees it
  return { status: response.status, firstAt, bytes, json: start === "" ? {} : (JSON.parse(start) as any) };
}

function print(): void {
  console.log("| seconds | first byte after | status | kB | what |\n|---|---|---|---|---|");
  for (const { what, ms, firstMs, status, kB } of measured.toSorted((a, b) => b.ms - a.ms))
    console.log(
      `| ${[(ms / 1_000).toFixed(2), firstMs ? (firstMs / 1_000).toFixed(2) : "", status, kB ? Math.round(kB) : "", `\`${what}\``].join(" | ")} |`,
    );
  const long = measured.filter(
    ({ what, ms, firstMs }) => !what.startsWith("controller") && ms > LIMIT_MS && firstMs > 1_000,
  );
  console.log(`${long.length} of ${measured.length} take longer than ${LIMIT_MS / 1_000} s without sending anything`);
}

async function start(process: ChildProcess): Promise<string> {
  process.send({ serve: "api", url: database.url } satisfies ServerRequest);
  const [message] = (await once(process, "message")) as [ServerMessage];
  return "listening" in message ? message.listening : "";
}
