import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { sql } from "kysely";
import { ensureFirstAccount } from "../../../src/database/accounts/tokens.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openStream } from "../../support/event-stream.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { eventually } from "../../support/wait.ts";

const TOKEN = "svt_test-of-the-stopping-api";
const authorization = `Bearer ${TOKEN}`;

type Api = { database: TestDatabase; proxy: FaultProxy; child: ChildProcess; url: string; post(): Promise<Response> };

/** Runs the API behind a proxy that can swallow what goes to its database. */
async function withApi(body: (api: Api) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const proxy = await faultProxy(database.url);
  const child = spawn(process.execPath, ["bin/run.js", "api"], {
    env: { ...process.env, DATABASE_URL: proxy.url, HOST: "127.0.0.1", PORT: "0", FIRST_TOKEN: TOKEN },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error("the api ended before it listened")));
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (line.includes('"listening"')) resolve(JSON.parse(line).url);
      });
    });
    const post = () =>
      fetch(`${url}/api/v1/reports`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ data: { attributes: { starting_url: "https://example.com/" } } }),
      });
    await body({ database, proxy, child, url, post });
  } finally {
    child.kill("SIGKILL");
    await proxy.cut();
    await database.drop();
  }
}

/** Packets to and from the database vanish, in both directions, without an end. */
const tests: Record<string, (api: Api) => Promise<void>> = {
  "stays ready to say 503, answers every request, and creates no report that cannot start": async (api) => {
    const { database, proxy, url, post } = api;
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
    proxy.swallow();
    // More than it has connections: all of them are stuck.
    const posts = await Promise.all(Array.from({ length: 12 }, post));
    expect(new Set(posts.map(({ status }) => status))).to.deep.equal(new Set([503]));
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    await proxy.mend();
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
    expect((await post()).status).to.equal(201);
    // Each report that exists has its row, so the controller finds it.
    const { rows } = await sql<{ reports: number; resources: number }>`
      select (select count(*) from reports)::integer as reports,
        (select count(*) from cluster_objects where kind = 'Report')::integer as resources`.execute(database.db);
    expect(rows[0]).to.deep.equal({ reports: 1, resources: 1 });
  },

  "ends on SIGTERM by itself, with requests under way and an event stream open": async (api) => {
    const { database, proxy, child, url, post } = api;
    const { accountId } = await ensureFirstAccount(database.db, { token: TOKEN });
    const id = await insertReport(database.db, { accountId });
    const stream = await openStream(`${url}/api/v1/reports/${id}/events`, {
      accept: "text/event-stream",
      authorization,
    });
    expect(stream.response.status).to.equal(200);
    proxy.swallow();
    const underWay = Array.from({ length: 12 }, () =>
      post().then(
        ({ status }) => status,
        () => "cut off",
      ),
    );
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const [code, signal] = await ended;
    // Not by the kernel, and not by the test's own end.
    expect(signal).to.equal(null);
    expect(code).to.be.within(0, 1);
    for (const outcome of await Promise.all(underWay)) expect(outcome).to.be.oneOf([503, "cut off"]);
    stream.leave();
  },
};

describe("the api with a frozen database", () => {
  const runs = new Map<string, Promise<void>>();

  // They wait for limits of connections, so all of them wait at once.
  before(() => {
    for (const [name, body] of Object.entries(tests)) {
      const run = withApi(body);
      // It may fail before its test begins.
      run.catch(() => {});
      runs.set(name, run);
    }
  });

  for (const name of Object.keys(tests)) it(name, () => runs.get(name));
});
