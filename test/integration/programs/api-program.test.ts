import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { sql } from "kysely";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

const TOKEN = "svt_test-of-the-api-program";

/** The api's log, line by line; resolves with the address once it listens. */
async function address(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error("stderr is not a pipe");
  for await (const line of createInterface(child.stderr)) {
    const { message, url } = JSON.parse(line);
    if (message === "listening") return url;
  }
  throw new Error("the api ended before it listened");
}

describe("the api as a program", () => {
  let database: TestDatabase;
  const children = new Set<ChildProcess>();

  before(async () => {
    database = await createTestDatabase();
  });
  after(async () => {
    for (const child of children) child.kill("SIGKILL");
    await database.drop();
  });

  function start(env: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, ["bin/run.js", "api"], {
      env: { ...process.env, DATABASE_URL: database.url, HOST: "127.0.0.1", PORT: "0", FIRST_TOKEN: TOKEN, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
  }

  const post = (url: string) =>
    fetch(`${url}/api/v1/reports`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        "idempotency-key": "over-a-restart",
      },
      body: JSON.stringify({ data: { attributes: { starting_url: "https://example.com/" } } }),
    });

  it("serves with the configured token, and ends with 0 on SIGTERM", async () => {
    const child = start();
    const url = await address(child);
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
    const reply = await fetch(`${url}/api/v1/reports`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(reply.status).to.equal(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).to.deep.equal([0, null]);
  });

  it("serves the guides, also without the other pages", async () => {
    const child = start({ WEB_ENABLED: "false" });
    const url = await address(child);
    const guides = await fetch(`${url}/guides`);
    const style = /href="(\/assets\/[^"]+[.]css)"/.exec(await guides.text())?.[1];
    expect([guides.status, (await fetch(url + style)).headers.get("content-type")]).to.deep.equal([
      ...[200, "text/css; charset=utf-8"],
    ]);
    expect((await fetch(`${url}/sign-in`)).status).to.equal(404);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).to.deep.equal([0, null]);
  });

  it("that is killed during a POST and restarted answers the same POST at once, and creates one report", async () => {
    const first = start();
    const url = await address(first);
    await database.db.transaction().execute(async (trx) => {
      await sql`lock table reports in access exclusive mode`.execute(trx);
      const cut = post(url).catch(() => "cut off");
      await eventually(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        `.execute(database.db);
        return rows.length === 1;
      });
      first.kill("SIGKILL");
      await once(first, "exit");
      expect(await cut).to.equal("cut off");
    });
    const second = start();
    const restarted = await address(second);
    const replies = [await post(restarted), await post(restarted)];
    expect(replies.map(({ status }) => status)).to.deep.equal([201, 201]);
    const [one, two] = await Promise.all(replies.map((reply) => reply.text()));
    expect(one).to.equal(two);
    const objects = await database.db
      .selectFrom("cluster_objects")
      .select("uid")
      .where("kind", "=", "Report")
      .execute();
    expect(objects.map(({ uid }) => uid)).to.deep.equal([JSON.parse(one ?? "").data.id]);
    second.kill("SIGTERM");
    expect((await once(second, "exit"))[0]).to.equal(0);
  });
});
