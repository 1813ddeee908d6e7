import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { Pool } from "undici";
import { connect } from "../src/database/connection/connect.ts";
import { migrationLimits } from "../src/database/connection/connection-options.ts";
import { accountWithToken } from "../test/support/api.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import type { ServerMessage, ServerRequest, Statement } from "./api-server.ts";
import { insertManyReports } from "./many-reports.ts";
import { median } from "./median.ts";
import { record } from "./results.ts";
import { isSmoke, rounds } from "./smoke.ts";

/**
 * How long the slowest one in a hundred of each list, filter and sort takes at 20 requests a second, in an account with
 * 10,000 reports and 1,000,000 findings (bench/many-reports.ts says how they are spread), compared with the same
 * statements by a bare client of PostgreSQL at the same rate; in turns.
 *
 *     node bench/lists.ts [reports] [findings]
 */

const REPORTS = Number(process.argv[2] ?? (isSmoke ? 200 : 10_000));
const FINDINGS = Number(process.argv[3] ?? REPORTS * 100);
const EVERY_MS = 50;
const REQUESTS = isSmoke ? 3 : 50;
const times = rounds(2);

const database = await createTestDatabase();
const db = connect({
  ...{ url: database.url, applicationName: "bench", maxConnections: 1, limits: migrationLimits },
  onIdleError: () => {},
});
const { accountId, token } = await accountWithToken(database);
const filled = performance.now();
const id = await insertManyReports(db, { accountId, reports: REPORTS, findings: FINDINGS });
console.log(`filled in ${((performance.now() - filled) / 1000).toFixed(0)} s`);
const headers = { authorization: `Bearer ${token}` };
const child = fork(fileURLToPath(new URL("./api-server.ts", import.meta.url)));
const api = await start(child);
const client = new Pool(api, { connections: 20 });
const bare = new pg.Pool({ connectionString: database.url, max: 10 });
try {
  const lists = await allLists();
  const results: { path: string; api: number[]; bare: number[] }[] = [];
  for (const path of lists) {
    const { json } = await call(path);
    if (
      json.data.length === 0 &&
      !/state\]=|muted|url\]=none|status\]=failed|excluded|schedule|comparison|mutings/.test(path)
    )
      throw new Error(`${path} has no rows.`);
    await recordedOf(child);
    await call(path);
    const statements = await recordedOf(child);
    const result = { path: path.replace(id, "…"), api: [] as number[], bare: [] as number[] };
    for (let round = 0; round < times; round++) {
      result.api.push(...(await atRate(async () => void (await call(path)))));
      result.bare.push(
        ...(await atRate(async () => {
          for (const { text, values } of statements) await bare.query(text, values);
        })),
      );
    }
    results.push(result);
    const shown = [median(result.api), median(result.bare), p99(result.api), p99(result.bare)];
    console.log(`${shown.map((ms) => ms.toFixed(1).padStart(8)).join(" ")}  ${statements.length}  ${result.path}`);
  }
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
  const worst = results.toSorted((a, b) => p99(b.api) / p99(b.bare) - p99(a.api) / p99(a.bare))[0];
  const slowest = results.toSorted((a, b) => p99(b.api) - p99(a.api))[0];
  const name = `API, ${REPORTS.toLocaleString("en")} reports, ${FINDINGS.toLocaleString("en")} findings, 20 requests a second`;
  if (worst)
    record({
      ...{ row: "10b", measure: `${name}: p99 of the list with the worst ratio of ${results.length}` },
      ...{ against: "the same statements by a bare client", ratio: p99(worst.api) / p99(worst.bare) },
      ...{ target: { atMost: 2 }, figures: { ms: p99(worst.api), "ms of the bare client": p99(worst.bare) } },
    });
  if (slowest)
    record({
      ...{ row: "10b", measure: `${name}: p99 of the slowest list of ${results.length}`, against: "50 ms" },
      ...{ ratio: p99(slowest.api) / 50, target: { atMost: 1 } },
      figures: { "ms p99": p99(slowest.api), "ms in the middle": median(slowest.api) },
    });
} finally {
  child.disconnect();
  await client.close();
  await bare.end();
  await db.destroy();
  await database.drop();
  await stopTestServer();
}

/** Every list, with each of its filters and orders. */
async function allLists(): Promise<string[]> {
  const report = `/reports/${id}`;
  const first = async (path: string) => (await call(path)).json.data[0]?.id ?? "0";
  const page = await first(`${report}/web_pages`);
  const issue = await first(`${report}/common_html_issues`);
  const component = await first(`${report}/components`);
  const next = (await call(`${report}/findings?page[size]=100`)).json.links.next as string;
  const sorted = (path: string, keys: string[]) =>
    keys.flatMap((key) => [`${path}?sort=${key}-asc`, `${path}?sort=${key}-desc`]);
  const states = ["new", "persisting"].map((state) => `filter[state]=${state}`);
  const filters = ["filter[rule]=rule-1", "filter[issue_type]=error", ...states, "filter[muted]=true"];
  const filtered = (path: string, of: string[]) => of.map((filter) => `${path}?${filter}`);
  const tags = ["any", "all", "none"].map((mode) => `filter[tags][mode]=${mode}&filter[tags][list]=nightly`);
  const sorts = [
    "url",
    "num_web_pages",
    "html_issues",
    "html_errors",
    "html_warnings",
    "a11y_issues",
    "last_checked_at",
  ];
  return [
    ...["/reports", ...sorted("/reports", sorts)],
    ...filtered("/reports", [
      ...["filter[url]=site-42.", "filter[url]=none-such", ...tags, `filter[schedule_id]=${id}`],
      ...["created_by=me", "created_by=all", "created_by=guests"],
      ...[`page[number]=${Math.floor(REPORTS / 50)}&page[size]=25`, "page[size]=100"],
    ]),
    ...["/sites", "/sites?page[number]=2", "/sites?filter[starting_url]=https://site-42.example/"],
    ...[`${report}/web_pages`, ...sorted(`${report}/web_pages`, ["errors", "url"])],
    ...filtered(`${report}/web_pages`, [
      ...["filter[url]=7", "filter[status]=checked", "filter[status]=failed"],
      ...[`filter[common_html_issue_id]=${issue}`, `page[number]=${Math.ceil(FINDINGS / 10_000)}&page[size]=5`],
    ]),
    ...[`${report}/common_html_issues`, ...sorted(`${report}/common_html_issues`, ["how_many", "pages"])],
    ...filtered(`${report}/common_html_issues`, ["filter[message]=rule", ...filters]),
    ...[`${report}/web_pages/${page}/html_issues`, ...sorted(`${report}/web_pages/${page}/html_issues`, ["how_many"])],
    ...filtered(`${report}/web_pages/${page}/html_issues`, filters),
    ...[`${report}/findings`, next.replace(/^.*\/api\/v1/, "")],
    ...filtered(`${report}/findings`, [...filters, "filter[state]=fixed", `filter[component]=${component}`]),
    ...[`${report}/components`, ...sorted(`${report}/components`, ["how_many", "pages", "impact"])],
    ...filtered(`${report}/components`, filters),
    ...[`${report}/excluded_urls`, `${report}/comparison`, "/schedules", "/mutings", "/usage"],
  ];
}

async function call(path: string) {
  const { statusCode, body } = await client.request({ method: "GET", path: `/api/v1${path}`, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`);
  // biome-ignore lint/suspicious/noExplicitAny: a document as a client sees it
  return { json: JSON.parse(text) as any };
}

/** Starts work at a steady rate, whether or not what came before is done. @returns the milliseconds of each */
async function atRate(work: () => Promise<void>): Promise<number[]> {
  const waits: Promise<number>[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const started = performance.now();
    waits.push(work().then(() => performance.now() - started));
    await sleep(EVERY_MS);
  }
  return Promise.all(waits);
}

async function start(process: ChildProcess): Promise<string> {
  process.send({ serve: "api", url: database.url } satisfies ServerRequest);
  const [message] = (await once(process, "message")) as [{ listening: string }];
  return message.listening;
}

async function recordedOf(process: ChildProcess): Promise<Statement[]> {
  const reply = once(process, "message") as Promise<[ServerMessage]>;
  process.send("record" satisfies ServerRequest);
  const [message] = await reply;
  return "recorded" in message ? message.recorded : [];
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}
