import { expect } from "chai";
import { sql } from "kysely";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
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
        await eventually(async () => {
          const { rows } =
            await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
              database.db,
            );
          return rows.length === 1;
        });
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

  it("handles many different requests at once, with a pool smaller than their number", async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => post(`many-${index}`)));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(30).fill(201));
  });

  it("lets a refused request be corrected under the same key", async () => {
    expect((await post("mended", "nonsense")).status).to.equal(422);
    expect((await post("mended")).status).to.equal(201);
  });

  it("forgets after 24 hours: the key then means a new report", async () => {
    const first = await post("old");
    now = new Date(now.getTime() + 24 * 60 * 60 * 1000 + 1);
    const second = await post("old", "https://example.com/new");
    expect(second.status, second.text).to.equal(201);
    expect(second.json.data.id).not.to.equal(first.json.data.id);
  });

  it("refuses a key that is too long or not printable", async () => {
    for (const key of ["x".repeat(256), "a b"]) {
      const reply = await post(key);
      expect([reply.status, reply.json.errors[0]?.source]).to.deep.equal([400, { header: "Idempotency-Key" }]);
    }
  });
});
