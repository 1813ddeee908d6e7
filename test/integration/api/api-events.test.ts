import { expect } from "chai";
import { sql } from "kysely";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type OpenStream, openStream } from "../../support/event-stream.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { eventually } from "../../support/wait.ts";

/** Long enough that no test waits for it to pass, short enough to see that nobody did. */
const NEVER = 600_000;

describe("a report's events", () => {
  let database: TestDatabase;
  let account: { accountId: string; token: string };
  let api: TestApi;
  const apis: TestApi[] = [];
  const streams: OpenStream[] = [];

  before(async () => {
    database = await createTestDatabase();
    account = await accountWithToken(database);
  });
  beforeEach(async () => {
    api = await start();
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    for (const each of apis.splice(0)) await each.close();
  });
  after(async () => {
    await database.drop();
  });

  /** By default, changes are noticed only through the database's notifications. */
  async function start(
    subscriptionLimits: TestApi["deps"]["subscriptionLimits"] = {},
    overrides = {},
  ): Promise<TestApi> {
    const limits = { pollInterval: NEVER, heartbeat: NEVER, eventInterval: 0, ...subscriptionLimits };
    const started = await startTestApi(database, {
      databaseUrl: database.url,
      subscriptionLimits: limits,
      ...overrides,
    });
    apis.push(started);
    return started;
  }

  const makeReport = () => insertReport(database.db, { accountId: account.accountId });

  async function open(
    id: string,
    { at = api, token = account.token, ...headers }: { at?: TestApi; token?: string } & Record<string, unknown> = {},
  ): Promise<OpenStream> {
    const stream = await openStream(`${at.url}/api/v1/reports/${id}/events`, {
      accept: "text/event-stream",
      ...(token && { authorization: `Bearer ${token}` }),
      ...(headers as Record<string, string>),
    });
    streams.push(stream);
    return stream;
  }

  const named = (stream: OpenStream, name: string) => stream.events.filter(({ event }) => event === name);
  const received = (stream: OpenStream, count: number) => eventually(() => named(stream, "report").length >= count);
  const attributes = (stream: OpenStream) =>
    named(stream, "report").map(({ data = "" }) => JSON.parse(data).data.attributes as Record<string, unknown>);

  /** Like the crawler: updates the counters and notifies everyone who waits. */
  async function found(id: string, pages: number): Promise<void> {
    await sql`update reports set num_pages = ${pages}, crawl_state = 'ended' where id = ${id}
      returning pg_notify('site_validator', id::text)`.execute(database.db);
  }

  async function finish(id: string, phase: "Complete" | "Failed" = "Complete"): Promise<void> {
    await database.db.updateTable("reports").set({ crawl_state: "ended" }).where("id", "=", id).execute();
    await endReport(database.db, id, phase, new Date());
  }

  async function watchers(at = api): Promise<number> {
    return (await at.deps.metrics.watchers.get()).values[0]?.value ?? Number.NaN;
  }

  async function listenConnections(): Promise<number> {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and application_name = 'site-validator api (listen)'`.execute(database.db);
    return rows.length;
  }

  it("are the report's document at each change, and an end when it is complete", async () => {
    const id = await makeReport();
    const stream = await open(id);
    await received(stream, 1);
    await found(id, 3);
    await received(stream, 2);
    await finish(id);
    expect(await stream.ended).to.equal("ended");
    expect(attributes(stream).map(({ num_pages, phase }) => [num_pages, phase])).to.deep.equal([
      [0, "Pending"],
      [3, "Pending"],
      [3, "Complete"],
    ]);
    expect(JSON.parse(stream.events.at(-1)?.data ?? "")).to.deep.equal({ reason: "complete" });
    expect(stream.events.at(-1)?.event).to.equal("end");
    const current = await api.as(account.token)("GET", `/reports/${id}`);
    const last = named(stream, "report").at(-1);
    expect(JSON.parse(last?.data ?? "")).to.deep.equal(current.json);
    expect(current.headers.get("etag"), "the id is the ETag's").to.equal(`"${last?.id}"`);
    expect(new Set(named(stream, "report").map((event) => event.id)).size).to.equal(3);
  });

  it("come in a response that no proxy buffers", async () => {
    const { response } = await open(await makeReport());
    expect(response.status).to.equal(200);
    expect(response.headers.get("content-type")).to.match(/^text\/event-stream/);
    expect(response.headers.get("cache-control")).to.equal("no-store, no-transform");
    expect(response.headers.get("x-accel-buffering")).to.equal("no");
    expect(response.headers.get("content-length")).to.equal(null);
  });

  it("end with the reason: failed, or deleted", async () => {
    const [failing, deleted] = [await makeReport(), await makeReport()];
    const both = [await open(failing), await open(deleted)];
    for (const stream of both) await received(stream, 1);
    await finish(failing, "Failed");
    expect((await api.as(account.token)("DELETE", `/reports/${deleted}`)).status).to.equal(204);
    const reasons = [];
    for (const stream of both) {
      await stream.ended;
      reasons.push(JSON.parse(named(stream, "end")[0]?.data ?? "").reason);
    }
    expect(reasons).to.deep.equal(["failed", "deleted"]);
  });

  it("combine changes that come faster than once a second, except for the end", async () => {
    const slow = await start({ eventInterval: NEVER });
    const id = await makeReport();
    const stream = await open(id, { at: slow });
    await received(stream, 1);
    for (let pages = 1; pages <= 5; pages++) await found(id, pages);
    await finish(id);
    await stream.ended;
    expect(attributes(stream).map(({ num_pages }) => num_pages)).to.deep.equal([0, 5]);
  });

  it("are sent when they are due, although nothing else changes", async () => {
    const slow = await start({ eventInterval: 50 });
    const id = await makeReport();
    const stream = await open(id, { at: slow });
    await received(stream, 1);
    await found(id, 1);
    await found(id, 2);
    await eventually(() => attributes(stream).at(-1)?.num_pages === 2);
  });

  it("resume where a client was: it gets nothing that it has already, and 204 after the end", async () => {
    const id = await makeReport();
    const first = await open(id);
    await received(first, 1);
    const known = first.events.find(({ event }) => event === "report")?.id ?? "";
    first.leave();
    const second = await open(id, { "last-event-id": known });
    await eventually(() => second.events.some(({ comment }) => comment !== undefined));
    await found(id, 9);
    await received(second, 1);
    expect(attributes(second).map(({ num_pages }) => num_pages)).to.deep.equal([9]);
    await finish(id);
    await second.ended;
    const end = named(second, "end")[0]?.id ?? "";
    expect((await open(id, { "last-event-id": end })).response.status).to.equal(204);
    const again = await open(id);
    await again.ended;
    expect(again.events.map(({ event }) => event).filter(Boolean)).to.deep.equal(["report", "end"]);
  });

  it("are noticed without a notification; while nothing happens, comments keep the stream alive", async () => {
    const alone = await start({ pollInterval: 20, heartbeat: 20 }, { databaseUrl: undefined });
    const id = await makeReport();
    const stream = await open(id, { at: alone });
    await eventually(() => stream.events.filter(({ comment }) => comment !== undefined).length >= 2);
    await database.db.updateTable("reports").set({ num_pages: 4 }).where("id", "=", id).execute();
    await received(stream, 2);
    expect(attributes(stream).at(-1)?.num_pages).to.equal(4);
  });

  it("are sent only to callers who may see the report", async () => {
    const id = await makeReport();
    const other = await accountWithToken(database);
    const guest = await guestWithToken(database, account.accountId);
    for (const { token } of [other, guest]) expect((await open(id, { token })).response.status).to.equal(404);
    const anonymous = await open(id, { token: "" });
    expect(anonymous.response.status).to.equal(401);
    expect(anonymous.response.headers.get("content-type")).to.match(/^application\/vnd\.api\+json/);
    expect((await open("x")).response.status).to.equal(404);
    expect((await open(id, { accept: "application/json" })).response.status).to.equal(406);
    expect(await watchers()).to.equal(0);
  });

  it("of a shared report are open to everybody, until it is no longer shared", async () => {
    const id = await makeReport();
    const call = api.as(account.token);
    await call("PATCH", `/reports/${id}`, { attributes: { shared: true } });
    const reader = await open(id, { token: "" });
    await received(reader, 1);
    await call("PATCH", `/reports/${id}`, { attributes: { shared: false } });
    await reader.ended;
    expect(named(reader, "end")).to.have.length(1);
  });

  it("are limited in streams, by account and in total", async () => {
    const small = await start({ perAccount: 2, total: 3 });
    const id = await makeReport();
    const { token } = await accountWithToken(database);
    const mine = await insertReport(database.db, { accountId: (await accountWithToken(database)).accountId });
    await database.db.updateTable("reports").set({ shared: true }).where("id", "=", mine).execute();
    const { accountId } = account;
    const second = (await createToken(database.db, { accountId, name: "second", scope: "read" })).token;
    expect((await open(id, { at: small })).response.status).to.equal(200);
    expect((await open(id, { at: small, token: second })).response.status).to.equal(200);
    const third = await open(id, { at: small, token: second });
    expect([third.response.status, third.response.headers.get("retry-after")]).to.deep.equal([429, "10"]);
    expect((await open(mine, { at: small, token })).response.status).to.equal(200);
    expect((await open(mine, { at: small, token })).response.status).to.equal(429);
    streams[0]?.leave();
    await eventually(async () => (await watchers(small)) === 2);
    expect((await open(id, { at: small })).response.status).to.equal(200);
  });

  it("of guests leave room for the host, and each other", async () => {
    const host = await accountWithToken(database);
    const small = await start({ perAccount: 4 });
    const guests: { guestToken: string; token: string }[] = [];
    for (let guest = 0; guest < 3; guest++) guests.push(await guestWithToken(database, host.accountId));
    const reports: string[] = [];
    for (const { guestToken } of guests) {
      const id = await insertReport(database.db, { accountId: host.accountId });
      await database.db.updateTable("reports").set({ guest_token: guestToken }).where("id", "=", id).execute();
      reports.push(id);
    }
    const status = async (guest: number) =>
      (await open(reports[guest] ?? "", { at: small, token: guests[guest]?.token ?? "" })).response.status;
    expect([await status(0), await status(0)], "one guest").to.deep.equal([200, 429]);
    expect([await status(1), await status(2)], "its guests").to.deep.equal([200, 429]);
    for (const expected of [200, 200, 429])
      expect((await open(reports[0] ?? "", { at: small, token: host.token })).response.status).to.equal(expected);
  });

  it("use one connection for all streams, and leave nothing behind when clients leave", async () => {
    const ids = [await makeReport(), await makeReport()];
    for (const id of [...ids, ...ids]) await received(await open(id), 1);
    await eventually(async () => (await watchers()) === 4 && (await listenConnections()) === 1);
    for (const stream of streams.splice(0)) stream.leave();
    await eventually(async () => (await watchers()) === 0);
    await apis.pop()?.close();
    await eventually(async () => (await listenConnections()) === 0);
  });

  it("end when the service stops, without delaying it", async () => {
    const id = await makeReport();
    const stream = await open(id);
    await received(stream, 1);
    await apis.pop()?.close();
    expect(await stream.ended).to.equal("ended");
    expect(named(stream, "end"), "there is more to come elsewhere").to.deep.equal([]);
  });

  it("end after a maximum time, so that the token is checked again", async () => {
    const stream = await open(await makeReport(), { at: await start({ maxDuration: 50 }) });
    expect(await stream.ended).to.equal("ended");
    expect(named(stream, "end")).to.deep.equal([]);
  });

  it("go on after the database was away", async () => {
    const proxy = await faultProxy(database.url);
    const db = connect({ url: proxy.url, applicationName: "test", maxConnections: 5, onIdleError: () => {} });
    try {
      const shaky = await start({ pollInterval: 20 }, { db, databaseUrl: proxy.url });
      const id = await makeReport();
      const stream = await open(id, { at: shaky });
      await received(stream, 1);
      await proxy.cut();
      await found(id, 7);
      await eventually(() => shaky.logged.some(({ message }) => /cannot listen/.test(String(message))));
      await proxy.mend();
      await received(stream, 2);
      expect(attributes(stream).at(-1)?.num_pages).to.equal(7);
      stream.leave();
      await apis.pop()?.close();
    } finally {
      await db.destroy();
      await proxy.cut();
    }
  });

  it("are not streamed to HEAD, which gets the same headers", async () => {
    const reply = await api.as(account.token)("HEAD", `/reports/${await makeReport()}/events`);
    expect([reply.status, reply.text]).to.deep.equal([200, ""]);
    expect(reply.headers.get("content-type")).to.match(/^text\/event-stream/);
    expect(await watchers()).to.equal(0);
  });

  describe("requested with Prefer: wait", () => {
    const get = (id: string, headers: Record<string, string>, at = api) =>
      at.as(account.token)("GET", `/reports/${id}`, { headers });

    it("wait for the next version", async () => {
      const id = await makeReport();
      const etag = (await get(id, {})).headers.get("etag") ?? "";
      const waiting = get(id, { prefer: "wait=60", "if-none-match": etag });
      await eventually(async () => (await watchers()) === 1);
      await found(id, 2);
      const reply = await waiting;
      expect([reply.status, reply.json.data.attributes.num_pages]).to.deep.equal([200, 2]);
      expect(reply.headers.get("preference-applied")).to.equal("wait=60");
      expect(await watchers()).to.equal(0);
    });

    it("wait for the end if the client names no version, and do not wait if there is a newer version or the report has ended", async () => {
      const id = await makeReport();
      const waiting = get(id, { prefer: "respond-async, Wait=900; x=y" });
      await eventually(async () => (await watchers()) === 1);
      await found(id, 2);
      await finish(id);
      const reply = await waiting;
      expect([reply.status, reply.json.data.attributes.phase]).to.deep.equal([200, "Complete"]);
      expect(reply.headers.get("preference-applied"), "no more than a minute").to.equal("wait=60");
      const known = await get(id, { prefer: "wait=60", "if-none-match": reply.headers.get("etag") ?? "" });
      expect([known.status, known.headers.get("preference-applied")]).to.deep.equal([304, "wait=60"]);
      const other = await get(await makeReport(), { prefer: "wait=60", "if-none-match": '"old"' });
      expect(other.status).to.equal(200);
    });

    it("are 304 when nothing happens in time, and when the service stops", async () => {
      const id = await makeReport();
      const etag = (await get(id, {})).headers.get("etag") ?? "";
      const late = await get(id, { prefer: "wait=0", "if-none-match": etag });
      expect([late.status, late.headers.get("preference-applied")]).to.deep.equal([304, "wait=0"]);
      const waiting = get(id, { prefer: "wait=60", "if-none-match": etag });
      await eventually(async () => (await watchers()) === 1);
      await apis.pop()?.close();
      expect((await waiting).status).to.equal(304);
    });

    it("are 404 if the report is deleted meanwhile", async () => {
      const id = await makeReport();
      const waiting = get(id, { prefer: "wait=60" });
      await eventually(async () => (await watchers()) === 1);
      await api.as(account.token)("DELETE", `/reports/${id}`);
      expect((await waiting).status).to.equal(404);
    });

    it("leave nothing behind when the client leaves early", async () => {
      const id = await makeReport();
      const client = new AbortController();
      const waiting = fetch(`${api.url}/api/v1/reports/${id}`, {
        headers: { authorization: `Bearer ${account.token}`, prefer: "wait=60" },
        signal: client.signal,
      }).catch(() => "left");
      await eventually(async () => (await watchers()) === 1);
      client.abort();
      expect(await waiting).to.equal("left");
      await eventually(async () => (await watchers()) === 0);
    });

    it("do not wait beyond the limits, nor if the preference is invalid", async () => {
      const full = await start({ perAccount: 0 });
      const id = await makeReport();
      for (const [at, prefer] of [
        [full, "wait=60"],
        [api, "wait=soon"],
        [api, "waiting=60"],
        [api, ""],
      ] as const) {
        const reply = await get(id, { prefer }, at);
        expect([reply.status, reply.headers.get("preference-applied")]).to.deep.equal([200, null]);
      }
    });
  });
});
