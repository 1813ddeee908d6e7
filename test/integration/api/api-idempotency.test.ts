import { request } from "node:http";
import { expect } from "chai";
import { sql } from "kysely";
import type { Cluster } from "../../../src/cluster/port.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("POST with an Idempotency-Key", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let now: Date;

  before(async () => {
    database = await createTestDatabase();
    now = new Date();
    api = await startTestApi(database, { now: () => now });
    call = api.as((await accountWithToken(database)).token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const post = (key: string, url = "https://example.com/", by = call) =>
    by("POST", "/reports", { attributes: { starting_url: url }, headers: { "idempotency-key": key } });
  const count = async () => (await api.deps.cluster.list("Report")).items.length;

  it("replays status, body and Location for the same body, and creates one report", async () => {
    const before = await count();
    const first = await post("same");
    const second = await post("same");
    expect(first.status, first.text).to.equal(201);
    expect([second.status, second.text]).to.deep.equal([first.status, first.text]);
    expect(second.headers.get("location")).to.equal(first.headers.get("location"));
    expect(second.headers.get("content-type")).to.equal(first.headers.get("content-type"));
    expect(await count()).to.equal(before + 1);
  });

  it("creates two reports for two keys, and for two tokens with the same key", async () => {
    const other = await accountWithToken(database);
    const ids = [await post("k1"), await post("k2"), await post("k1", undefined, api.as(other.token))].map(
      ({ json }) => json.data.id,
    );
    expect(new Set(ids).size).to.equal(3);
  });

  it("refuses another body with 422", async () => {
    await post("body");
    const reply = await post("body", "https://example.com/other");
    expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([422, "idempotency_key_reused"]);
  });

  it("creates one report for many concurrent requests: one response, and the others get 409 or the same", async () => {
    const before = await count();
    const replies = await Promise.all(Array.from({ length: 20 }, () => post("at-once")));
    const made = replies.filter(({ status }) => status === 201);
    expect(made).not.to.have.length(0);
    expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([409, "request_running"]);
      expect(reply.headers.get("retry-after")).to.equal("1");
    }
    expect(await count()).to.equal(before + 1);
  });

  it("answers 409 while another process runs the same request, and replays its answer afterwards", async () => {
    const second = await startTestApi(database);
    const token = (await accountWithToken(database)).token;
    try {
      const { first, reply } = await database.db.transaction().execute(async (trx) => {
        await sql`lock table cluster_objects in access exclusive mode`.execute(trx);
        const first = post("elsewhere", undefined, api.as(token));
        await eventually(async () => (await waitingForLocks()) === 1);
        return { first, reply: await post("elsewhere", undefined, second.as(token)) };
      });
      expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([409, "request_running"]);
      const made = await first;
      expect(made.status).to.equal(201);
      const replayed = await post("elsewhere", undefined, second.as(token));
      // The links differ only in the port of each of the two processes.
      expect(replayed.text).to.equal(made.text);
    } finally {
      await second.close();
    }
  });

  const SLOW = "https://slow.example/";

  /** A cluster that keeps everyone waiting who creates a report of SLOW, until it is released. */
  function heldBack() {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let count = 0;
    const cluster = (real: Cluster): Cluster => ({
      ...real,
      create: async (object) => {
        if (JSON.stringify(object).includes(SLOW)) {
          count += 1;
          await released;
        }
        return real.create(object);
      },
    });
    return { cluster, release, count: () => count };
  }

  /** The number of statements that wait for locks. */
  async function waitingForLocks(): Promise<number> {
    const { rows } =
      await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        database.db,
      );
    return rows.length;
  }

  it("handles many different requests at once, with a pool smaller than their number", async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => post(`many-${index}`)));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(30).fill(201));
  });

  it("lets a refused request be corrected under the same key", async () => {
    expect((await post("mended", "nonsense")).status).to.equal(422);
    expect((await post("mended")).status).to.equal(201);
  });

  it("creates no second schedule after the first one was deleted, however often it is repeated", async () => {
    const attributes = { starting_url: "https://example.com/", periodicity: { every: "day", at: "06:00" } };
    const schedule = () => call("POST", "/schedules", { attributes, headers: { "idempotency-key": "deleted" } });
    const made = (await schedule()).json.data;
    expect((await call("DELETE", `/schedules/${made.id}`)).status).to.equal(204);
    for (let time = 0; time < 3; time++) {
      const reply = await schedule();
      expect([reply.status, reply.json.errors?.[0]?.code], reply.text).to.deep.equal([409, "schedule_deleted"]);
    }
    expect((await call("GET", "/schedules")).json.data).to.deep.equal([]);
  });

  it("creates no second report after an interrupted request whose report was deleted", async () => {
    const { id } = (await post("interrupted")).json.data;
    // As if the process had been killed before it stored the response.
    await sql`update idempotency_keys set status = null, headers = null, body = null where key = 'interrupted'`.execute(
      database.db,
    );
    expect((await call("DELETE", `/reports/${id}`)).status).to.equal(204);
    for (let time = 0; time < 3; time++) {
      const reply = await post("interrupted");
      expect([reply.status, reply.json.errors?.[0]?.code], reply.text).to.deep.equal([409, "report_deleted"]);
    }
  });

  it("forgets after 24 hours: the key then means a new report", async () => {
    const first = await post("old");
    now = new Date(now.getTime() + 24 * 60 * 60 * 1000 + 1);
    const second = await post("old", "https://example.com/new");
    expect(second.status, second.text).to.equal(201);
    expect(second.json.data.id).not.to.equal(first.json.data.id);
  });

  it("answers an account while another one's previews of mutings take long", async () => {
    const [slow, other] = [await accountWithToken(database), await accountWithToken(database)];
    const reportId = await insertReport(database.db, { accountId: slow.accountId });
    const replies = await database.db.transaction().execute(async (trx) => {
      await sql`lock table issues in access exclusive mode`.execute(trx);
      const previews = Array.from({ length: 12 }, (_, index) =>
        api.as(slow.token)("POST", `/mutings/preview?report_id=${reportId}`, {
          attributes: { rule: "r" },
          headers: { "idempotency-key": `preview-${index}` },
        }),
      );
      await eventually(async () => (await waitingForLocks()) === 2);
      expect((await post("beside-previews", undefined, api.as(other.token))).status).to.equal(201);
      return previews;
    });
    await Promise.all(replies);
  });

  it("answers an account while another one's requests with keys take long, which then run as well", async () => {
    const [slow, other] = [await accountWithToken(database), await accountWithToken(database)];
    const held = heldBack();
    const holding = await startTestApi(database, { cluster: held.cluster(api.deps.cluster) });
    try {
      const replies = Array.from({ length: 6 }, (_, index) => post(`slow-${index}`, SLOW, holding.as(slow.token)));
      await eventually(() => held.count() === 2);
      expect((await post("beside", undefined, holding.as(other.token))).status).to.equal(201);
      expect(held.count()).to.equal(2);
      held.release();
      expect((await Promise.all(replies)).map(({ status }) => status)).to.deep.equal(Array(6).fill(201));
    } finally {
      held.release();
      await holding.close();
    }
  });

  it("does not run a request whose client left while it waited for others", async () => {
    const { token } = await accountWithToken(database);
    const held = heldBack();
    let asked = 0;
    const counted = () => {
      asked += 1;
      return new Date();
    };
    const holding = await startTestApi(database, { cluster: held.cluster(api.deps.cluster), now: counted });
    try {
      const first = [post("first", SLOW, holding.as(token)), post("second", SLOW, holding.as(token))];
      await eventually(() => held.count() === 2);
      const before = asked;
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "left",
      };
      const client = request(`${holding.url}/api/v1/reports`, { method: "POST", headers, agent: false });
      client.on("error", () => {}).end(JSON.stringify({ data: { attributes: { starting_url: SLOW } } }));
      // The time is asked for once the request has arrived.
      await eventually(() => asked > before);
      client.destroy();
      await eventually(() => holding.logged.some(({ message, status }) => message === "request" && status === 499));
      held.release();
      for (const { status } of await Promise.all(first)) expect(status).to.equal(201);
      expect((await post("after", SLOW, holding.as(token))).status).to.equal(201);
      expect(held.count()).to.equal(3);
    } finally {
      held.release();
      await holding.close();
    }
  });

  it("refuses a key that is too long or not printable", async () => {
    for (const key of ["x".repeat(256), "a b"]) {
      const reply = await post(key);
      expect([reply.status, reply.json.errors[0]?.source]).to.deep.equal([400, { header: "Idempotency-Key" }]);
    }
  });
});
