import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { createKubernetesCluster } from "../src/cluster/kubernetes/kubernetes-cluster.ts";
import { API_VERSION, annotations } from "../src/schema/resources.ts";
import { accountWithToken } from "../test/support/api.ts";
import { reportSpec } from "../test/support/builders.ts";
import { createTestDatabase, stopTestServer } from "../test/support/database.ts";
import type { ServerRequest } from "./api-server.ts";
import { startControlPlane } from "./kubernetes/control-plane.ts";
import { median } from "./median.ts";
import { record } from "./results.ts";
import { isSmoke, rounds } from "./smoke.ts";

/**
 * How many reports a second one API process creates by POST /reports, compared with how many Report resources the API
 * server creates for a client that does nothing else; in turns. Beside it, the same API on the store of a single
 * machine, and how long 200 that are sent at once take. Each report has to have a row and a resource.
 *
 *     node bench/posts.ts [rounds]
 */

type Account = { accountId: string; token: string };

const CLIENTS = 16;
const EACH = isSmoke ? 20 : 200;
const AT_ONCE = isSmoke ? 20 : 200;
const times = Number(process.argv[2] ?? rounds(5));

const controlPlane = await startControlPlane();
const database = await createTestDatabase();
const servers: ChildProcess[] = [];
try {
  const local = await start({ serve: "api", url: database.url });
  // Once before, so that nothing of a first request is in it.
  await post(local, await newAccount(), CLIENTS, CLIENTS);
  const store = await post(local, await newAccount(), EACH, CLIENTS);
  if (controlPlane) {
    const { config, environment } = controlPlane;
    const cluster = createKubernetesCluster(config);
    const api = await start({ serve: "api", url: database.url, environment });
    await post(api, await newAccount(), CLIENTS, CLIENTS);
    const [through, bare]: [number[], number[]] = [[], []];
    let expected = CLIENTS;
    for (let round = 0; round < times; round++) {
      bare.push(await createBare(cluster, EACH));
      through.push((await post(api, await newAccount(), EACH, CLIENTS)).rate);
      expected += 2 * EACH;
    }
    const made = (await cluster.list("Report", { namespace: "default" })).items.length;
    if (made !== expected) throw new Error(`There are ${made} Reports; ${expected} were created.`);
    const burst = await post(api, await newAccount(), AT_ONCE, AT_ONCE);
    console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
    record({
      ...{ row: "11", measure: "POST /reports, one API process, 16 clients", against: "the API server's bare create" },
      ...{ ratio: median(through) / median(bare), target: { atLeast: 0.5 } },
      figures: {
        ...{ "reports a second": median(through), "of the bare create": median(bare) },
        ...{ "a second on the store of a single machine": store.rate },
        [`ms until half of ${AT_ONCE} at once are answered`]: median(burst.waits),
        "ms until the last is": Math.max(...burst.waits),
      },
    });
  }
} finally {
  for (const child of servers) child.disconnect();
  await database.drop();
  await stopTestServer();
  await controlPlane?.stop();
}

async function start(request: ServerRequest): Promise<string> {
  const child = fork(fileURLToPath(new URL("./api-server.ts", import.meta.url)), {
    execArgv: process.env.PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`] : [],
  });
  servers.push(child);
  child.send(request);
  const [message] = (await once(child, "message")) as [{ listening: string }];
  return message.listening;
}

/** A new account for each round: one account's resources are limited. */
function newAccount(): Promise<Account> {
  return accountWithToken(database);
}

/** @returns reports a second, and each wait in milliseconds */
async function post(url: string, { accountId, token }: Account, count: number, clients: number) {
  const pool = new Pool(url, { connections: clients });
  const waits: number[] = [];
  const started = performance.now();
  await eachOf(count, clients, async (n) => {
    const sent = performance.now();
    const attributes = { starting_url: `https://example.com/${n}` };
    const { statusCode, body } = await pool.request({
      ...{ method: "POST", path: "/api/v1/reports", body: JSON.stringify({ data: { attributes } }) },
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`POST /reports: ${statusCode} ${text}`);
    waits.push(performance.now() - sent);
  });
  const rate = count / ((performance.now() - started) / 1000);
  await pool.close();
  const reports = await database.db.selectFrom("reports").select("id").where("account_id", "=", accountId).execute();
  if (reports.length !== count) throw new Error(`The account has ${reports.length} reports; ${count} were posted.`);
  return { rate, waits };
}

async function createBare(cluster: ReturnType<typeof createKubernetesCluster>, count: number): Promise<number> {
  const round = Math.random().toString(36).slice(2);
  const started = performance.now();
  await eachOf(count, CLIENTS, async (n) => {
    await cluster.create<"Report">({
      ...{ apiVersion: API_VERSION, kind: "Report" },
      metadata: { name: `bare-${round}-${n}`, namespace: "default", annotations: { [annotations.account]: "none" } },
      spec: reportSpec({ startingUrl: `https://example.com/${n}` }),
    });
  });
  return count / ((performance.now() - started) / 1000);
}

async function eachOf(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: atOnce }, async () => {
    while (next < count) await work(next++);
  });
  await Promise.all(workers);
}
