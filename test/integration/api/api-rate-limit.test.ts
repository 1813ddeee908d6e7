import { expect } from "chai";
import { sql } from "kysely";
import { reserveCalls } from "../../../src/database/accounts/api-requests.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { connect } from "../../../src/database/connection/connect.ts";
import { accountWithToken, guestWithToken, type Reply, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type FaultProxy, faultProxy } from "../../support/fault-proxy.ts";
import { eventually } from "../../support/wait.ts";

const MINUTE = 60_000;

describe("the rate limit of the API", () => {
  let database: TestDatabase;
  let token: string;
  let accountId: string;
  let now: Date;
  const apis: TestApi[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    now = new Date("2026-01-01T00:00:00Z");
    ({ token, accountId } = await accountWithToken(database));
    await sql`truncate api_calls`.execute(database.db);
  });
  afterEach(async () => {
    for (const api of apis.splice(0)) await api.close();
  });
  after(async () => {
    await database.drop();
  });

  async function replicas(count: number, requestsPerMinute: number): Promise<TestApi[]> {
    for (let made = 0; made < count; made++)
      apis.push(await startTestApi(database, { requestsPerMinute, now: () => now }));
    return apis;
  }

  const ask = (api: TestApi | undefined, as: string | undefined = token): Promise<Reply> => {
    if (!api) throw new Error("There is no such replica.");
    return api.as(as)("GET", "/devices");
  };
  const header = (reply: Reply, name: string) => Number(reply.headers.get(name));
  const admitted = (replies: Reply[]) => replies.filter(({ status }) => status === 200).length;

  it("holds over two processes on one database, exactly where it is low", async () => {
    const [one, two] = await replicas(2, 6);
    const statuses = [];
    for (let call = 0; call < 8; call++) statuses.push((await ask(call % 2 ? two : one)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 200, 429, 429]);
  });

  it("admits not one call too many of hundreds at once, and at most 5 % too few for each process", async () => {
    const three = await replicas(3, 100);
    const calls = Array.from({ length: 240 }, (_, call) => ask(three[call % 3]));
    const replies = await Promise.all(calls);
    expect(admitted(replies)).to.be.within(85, 100);
    expect(replies.map(({ status }) => status)).to.include(429);
    // Nothing is lost if one process gets all calls.
    now = new Date(now.getTime() + MINUTE);
    const alone = await Promise.all(Array.from({ length: 120 }, () => ask(three[0])));
    expect(admitted(alone)).to.equal(100);
  });

  it("says how many calls are left across all processes, and when there will be more", async () => {
    const [one, two] = await replicas(2, 5);
    const first = await ask(one);
    expect(
      ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) => header(first, name)),
    ).to.deep.equal([5, 4, 60]);
    now = new Date(now.getTime() + 45_500);
    const second = await ask(two);
    expect([header(second, "ratelimit-remaining"), header(second, "ratelimit-reset")]).to.deep.equal([3, 15]);
    for (const api of [one, two, one]) await ask(api);
    for (const api of [one, two]) {
      const refused = await ask(api);
      expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([429, "rate_limited"]);
      expect([header(refused, "retry-after"), header(refused, "ratelimit-remaining")]).to.deep.equal([15, 0]);
    }
  });

  it("starts again for everybody when the minute is over, not before", async () => {
    const [one, two] = await replicas(2, 2);
    for (const api of [one, two]) expect((await ask(api)).status).to.equal(200);
    now = new Date(now.getTime() + MINUTE - 1);
    for (const api of [one, two]) expect((await ask(api)).status).to.equal(429);
    now = new Date(now.getTime() + 1);
    for (const api of [two, one]) expect((await ask(api)).status).to.equal(200);
    for (const api of [one, two]) expect((await ask(api)).status).to.equal(429);
  });

  it("holds for an account, however many tokens it and its guests have", async () => {
    const [one, two] = await replicas(2, 6);
    const tokens = [token];
    for (const name of ["second", "third"])
      tokens.push((await createToken(database.db, { accountId, name, scope: "read" })).token);
    for (let guest = 0; guest < 2; guest++) tokens.push((await guestWithToken(database, accountId)).token);
    const statuses = [];
    for (let call = 0; call < 10; call++)
      statuses.push((await ask(call % 2 ? two : one, tokens[call % tokens.length])).status);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 200, 429, 429, 429, 429]);
    const other = await accountWithToken(database);
    expect((await ask(one, other.token)).status, "another account").to.equal(200);
  });

  it("leaves half of the calls to the host, however many its guests make", async () => {
    const [one, two] = await replicas(2, 6);
    const guests = [await guestWithToken(database, accountId), await guestWithToken(database, accountId)];
    const statuses = [];
    for (let call = 0; call < 5; call++)
      statuses.push((await ask(call % 2 ? two : one, guests[call % 2]?.token)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
    for (const expected of [200, 200, 200, 429]) expect((await ask(one, token)).status).to.equal(expected);
  });

  it("tells a guest how many calls are left for guests, or for the account, whichever are fewer", async () => {
    const [one] = await replicas(1, 6);
    const guest = await guestWithToken(database, accountId);
    const told = (reply: Reply) => ["limit", "remaining"].map((name) => header(reply, `ratelimit-${name}`));
    expect(told(await ask(one, guest.token))).to.deep.equal([3, 2]);
    for (let call = 0; call < 4; call++) await ask(one);
    expect(told(await ask(one, guest.token)), "the host has left nothing").to.deep.equal([6, 0]);
    const refused = await ask(one, guest.token);
    expect([refused.status, ...told(refused)]).to.deep.equal([429, 6, 0]);
    expect((await ask(one, guest.token)).status).to.equal(429);
  });

  it("counts calls by account, and those without a valid token by address", async () => {
    const [one, two] = await replicas(2, 1);
    const other = await accountWithToken(database);
    expect((await ask(one)).status).to.equal(200);
    expect((await ask(two, other.token)).status).to.equal(200);
    expect((await ask(one, "svt_wrong")).status).to.equal(401);
    for (const as of ["svt_another", undefined]) {
      const anonymous = await two?.as(as)("GET", "/devices");
      expect(anonymous?.status).to.equal(429);
    }
  });

  it("counts calls through a trusted proxy by the address that it reports", async () => {
    const from = async (api: TestApi, address: string) =>
      (await api.as(undefined)("GET", "/devices", { headers: { "x-forwarded-for": address } })).status;
    const trusting = await startTestApi(database, {
      requestsPerMinute: 1,
      now: () => now,
      trustedProxies: ["127.0.0.0/8", "10.0.0.0/8"],
    });
    apis.push(trusting);
    expect(await from(trusting, "198.51.100.1")).to.equal(401);
    expect(await from(trusting, "198.51.100.2"), "another caller").to.equal(401);
    expect(await from(trusting, "203.0.113.9, 198.51.100.2, 10.1.2.3"), "told by the client itself").to.equal(429);
    expect(await from(trusting, "2001:db8::1")).to.equal(401);
    expect(await from(trusting, "2001:db8::ffff:2"), "of the same network").to.equal(429);
    expect(await from(trusting, "x".repeat(5_000)), "the proxy itself").to.equal(401);
    const [, plain] = await replicas(1, 1);
    if (!plain) throw new Error("There is no such replica.");
    expect(await from(plain, "198.51.100.3"), "nobody is believed").to.equal(429);
  });

  it("needs one statement for many calls of a busy caller", async () => {
    const [one] = await replicas(1, 1_000);
    const tokensTaken = async () => {
      const { rows } = await sql<{ used: number }>`select used from api_calls`.execute(database.db);
      return rows[0]?.used;
    };
    const taken = new Set<number | undefined>();
    for (let call = 0; call < 120; call++) {
      expect((await ask(one)).status).to.equal(200);
      taken.add(await tokensTaken());
    }
    // 1, 2, 4, 8, 16, 32, 50, 50: as many statements as there were different numbers.
    expect([...taken]).to.deep.equal([1, 3, 7, 15, 31, 63, 113, 163]);
  });

  it("is not disturbed by a clock that is wrong", async () => {
    await sql`insert into api_calls (key, ends_at, used, granted) values ('x', '2126-01-01', 5, 1)`.execute(
      database.db,
    );
    const reservation = { key: "x", want: 1, limit: 5, windowMs: MINUTE, now };
    expect(await reserveCalls(database.db, reservation)).to.include({ granted: 1, used: 1 });
  });

  it("keeps no rows of callers who are gone", async () => {
    const [one] = await replicas(1, 5);
    await ask(one);
    await ask(one, undefined);
    const keys = async () => (await sql`select 1 from api_calls`.execute(database.db)).rows.length;
    now = new Date(now.getTime() + 3 * MINUTE);
    expect((await ask(one)).status).to.equal(200);
    await eventually(async () => (await keys()) === 1);
  });

  describe("with the database away", () => {
    let proxy: FaultProxy;
    let api: TestApi;

    before(async () => {
      proxy = await faultProxy(database.url);
    });
    after(async () => {
      await proxy.cut();
    });

    it("is counted by each process separately: responses are 503 or as usual, never 500", async () => {
      const db = connect({ url: proxy.url, applicationName: "test", maxConnections: 5, onIdleError: () => {} });
      try {
        api = await startTestApi({ ...database, db }, { requestsPerMinute: 3, now: () => now });
        apis.push(api);
        expect((await ask(api)).status).to.equal(200);
        await proxy.cut();
        const statuses = [];
        // The invitation's page checks the rate limit before anything else.
        for (let call = 0; call < 5; call++) {
          now = new Date(now.getTime() + 1_000);
          statuses.push((await api.as(undefined)("GET", "//invitations/none")).status);
        }
        expect(statuses).to.deep.equal([503, 503, 503, 429, 429]);
        const warnings = api.logged.filter(({ message }) => /counts API calls on its own/.test(String(message)));
        expect(warnings).to.have.length(1);
        await proxy.mend();
        now = new Date(now.getTime() + MINUTE);
        expect((await ask(api)).status).to.equal(200);
      } finally {
        await apis.pop()?.close();
        await db.destroy();
      }
    });
  });
});
