import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { Pool } from "undici";
import { connect } from "../src/database/connection/connect.ts";
import { migrationLimits } from "../src/database/connection/connection-options.ts";
import { accountWithToken } from "../test/support/api.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import type { Replay, ServerMessage, ServerRequest, Statement } from "./api-server.ts";
import { insertLargeReport } from "./large-report.ts";
import { median } from "./median.ts";
import { processorSeconds } from "./processor-time.ts";
import { record } from "./results.ts";
import { isSmoke, rounds } from "./smoke.ts";

/**
 * How many requests a second one API process responds to, with 50 clients at once, compared with a bare express
 * application that makes the same statements and sends the same bytes. Each server is a process of its own; they take
 * turns. The memory of the API is looked at before and after.
 *
 *     node bench/api.ts [rounds]
 */

const CLIENTS = 50;
const SECONDS = isSmoke ? 1 : 4;
const times = Number(process.argv[2] ?? rounds(3));

const database = await createTestDatabase();
const { accountId, token } = await accountWithToken(database);
const db = connect({
  ...{ url: database.url, applicationName: "bench", maxConnections: 1, limits: migrationLimits },
  onIdleError: () => {},
});
const report = await insertLargeReport(db, { accountId, run: 1, findings: 20_000 });
await sql`vacuum analyze`.execute(db);
const headers = { authorization: `Bearer ${token}` };
const paths = {
  "poll of a report": `/api/v1/reports/${report}`,
  "page of a list": `/api/v1/reports/${report}/web_pages?page[size]=50`,
  "page of issues": `/api/v1/reports/${report}/common_html_issues`,
};

type Measured = { rate: number; processor: number };
type Server = { child: ChildProcess; url: string };
const api = await start({ serve: "api", url: database.url });
const replays: Replay[] = [];
for (const path of Object.values(paths)) replays.push(await recordOf(path));
const bare = await start({ serve: "bare", url: database.url, replays });
try {
  for (const server of [api, bare]) for (const path of Object.values(paths)) await load(server, path, 1);
  const before = memory(api);
  for (const [name, path] of Object.entries(paths)) {
    const rates = { api: [] as Measured[], bare: [] as Measured[] };
    for (let round = 0; round < times; round += 1) {
      rates.api.push(await load(api, path, SECONDS));
      rates.bare.push(await load(bare, path, SECONDS));
    }
    const of = (server: keyof typeof rates, what: keyof Measured) => median(rates[server].map((one) => one[what]));
    const [own, limit] = [of("api", "rate"), of("bare", "rate")];
    const statements = replays.find((replay) => replay.path === path)?.statements.length;
    record({
      ...{ row: "10", measure: `API, one process, ${CLIENTS} clients: ${name}` },
      against: `a bare express route with the same ${statements} statements`,
      ...{ ratio: own / limit, target: { atLeast: 0.6 } },
      figures: {
        ...{ "responses a second": own, "of the bare route": limit },
        "ms of processor time, with the database's": of("api", "processor"),
        "ms of the bare route": of("bare", "processor"),
      },
    });
  }
  console.log(`memory of the API: ${before} MB before, ${memory(api)} MB after`);
} finally {
  for (const { child } of [api, bare]) child.disconnect();
  await db.destroy();
  await database.drop();
  await stopTestServer();
}

async function start(request: ServerRequest): Promise<Server> {
  const child = fork(fileURLToPath(new URL("./api-server.ts", import.meta.url)), {
    execArgv: process.env.PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`] : [],
  });
  child.send(request);
  const [message] = (await once(child, "message")) as [{ listening: string }];
  return { child, url: message.listening };
}

/** What the API does for a path when it has done so before, so that nothing of a first request is in it. */
async function recordOf(path: string): Promise<Replay> {
  await call(path);
  await recordedOf(api);
  const { type, body } = await call(path);
  return { path, type, body, statements: await recordedOf(api) };
}

async function call(path: string): Promise<{ type: string; body: string }> {
  const response = await fetch(api.url + path, { headers });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { type: response.headers.get("content-type") ?? "", body: await response.text() };
}

async function recordedOf({ child }: Server): Promise<Statement[]> {
  const reply = once(child, "message") as Promise<[ServerMessage]>;
  child.send("record" satisfies ServerRequest);
  const [message] = await reply;
  return "recorded" in message ? message.recorded : [];
}

/** @returns responses a second, and ms of processor time a response, of server and database together */
async function load({ url }: Server, path: string, seconds: number): Promise<Measured> {
  const pool = new Pool(url, { connections: CLIENTS });
  const before = processorSeconds();
  const started = performance.now();
  const end = started + seconds * 1000;
  let responses = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < end) {
        const { statusCode, body } = await pool.request({ method: "GET", path, headers });
        await body.dump();
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
        responses += 1;
      }
    }),
  );
  const rate = responses / ((performance.now() - started) / 1000);
  const processor = ((processorSeconds() - before) / responses) * 1000;
  await pool.close();
  return { rate, processor };
}

/** Resident memory in MB. */
function memory({ child }: Server): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1000);
}
