import { expect } from "chai";
import type { Route } from "../../../src/api/context.ts";
import { routes } from "../../../src/api/routes.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";
import {
  accountWithToken,
  type Call,
  guestWithToken,
  type Reply,
  startTestApi,
  type TestApi,
} from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addressOf, oneOfEach, validAttributes, validBodies } from "../../support/every-route.ts";

/** Routes of things that belong to nobody. */
const ownerless = new Set(["device_id", "month"]);
const parametersOf = ({ path }: Route) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

const guarded = routes.filter(({ access }) => access !== "public");
/** Routes to a thing that belongs to somebody, or below it. */
const isOwned = (route: Route) =>
  parametersOf(route).some((name) => !ownerless.has(name)) ||
  // Somebody's file, of a month that everybody has.
  (route.method === "GET" && route.path.startsWith("/months/:month/file"));
const owned = guarded.filter(isOwned);
/** Lists, and what there is of everybody's in a month. */
const lists = guarded.filter(
  (route) => route.method === "GET" && parametersOf(route).every((name) => name === "month") && !isOwned(route),
);

describe("the tenant boundary, on every route of the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let ids: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { encryptor: createEncryptor("the key of this test") });
  });
  beforeEach(async () => {
    owner = await accountWithToken(database);
    ids = await oneOfEach(database, api, owner);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  function visit(route: Route, call: Call): Promise<Reply> {
    const attributes = validAttributes(route);
    return call(route.method, addressOf(route, ids), attributes ? { attributes } : {});
  }

  /** How each route responds, as `METHOD path status code`. */
  async function outcomes(among: readonly Route[], call: Call): Promise<string[]> {
    const all: string[] = [];
    for (const route of among) {
      const { status, json } = await visit(route, call);
      all.push(`${route.method} ${route.path} ${[status, ...(json.errors ?? []).map(({ code }) => code)].join(" ")}`);
    }
    return all;
  }

  const expected = (among: readonly Route[], outcome: string) =>
    among.map(({ method, path }) => `${method} ${path} ${outcome}`);
  const gets = guarded.filter(({ method }) => method === "GET");
  const changes = guarded.filter(({ method }) => method !== "GET");

  /** Whatever others tried, everything still exists. */
  async function expectUntouched(): Promise<void> {
    expect(await outcomes(gets, api.as(owner.token))).to.deep.equal(expected(gets, "200"));
    const schedule = await api.as(owner.token)("GET", `/schedules/${ids.schedule_id}`);
    expect(schedule.json.data.attributes.active).to.equal(true);
    const report = await api.as(owner.token)("GET", `/reports/${ids.report_id}`);
    expect(report.json.data.attributes).to.include({ shared: false, phase: "Complete" });
    const guest = await api.as(owner.token)("GET", `/guest_accounts/${ids.guest_account_id}`);
    expect(guest.json.data.attributes.max_usage).to.equal(5);
  }

  it("lets the owner's token with the scope write do everything", async () => {
    const inOrder = [...changes].sort((one, two) => Number(one.method === "DELETE") - Number(two.method === "DELETE"));
    expect(await outcomes(gets, api.as(owner.token))).to.deep.equal(expected(gets, "200"));
    // Children come first: a deleted report has no pages to delete.
    inOrder.sort((one, two) => (one.method === two.method ? two.path.length - one.path.length : 0));
    const statuses = (await outcomes(inOrder, api.as(owner.token))).filter((answer) => !/ 20[0124]$/.test(answer));
    expect(statuses).to.deep.equal([]);
  });

  it("is 404 for another account's token, which changes nothing", async () => {
    const other = await accountWithToken(database);
    expect(await outcomes(owned, api.as(other.token))).to.deep.equal(expected(owned, "404 not_found"));
    await expectUntouched();
  });

  it("is 404 for a guest of the account, and 403 where guests may not go at all", async () => {
    const guest = await guestWithToken(database, owner.accountId);
    expect(await outcomes(owned, api.as(guest.token))).to.deep.equal(expected(owned, "404 not_found"));
    const self = `/guest_accounts/${guest.guestToken}`;
    for (const [method, path, attributes] of [
      ["POST", "/guest_accounts", { max_usage: 1_000 }],
      ["PATCH", self, { max_usage: 1_000 }],
      ["DELETE", self, undefined],
    ] as const) {
      const { status, json } = await api.as(guest.token)(method, path, attributes ? { attributes } : {});
      expect([method, status, json.errors[0]?.code]).to.deep.equal([method, 403, "host_only"]);
    }
    await expectUntouched();
  });

  it("keeps one account's resources out of the lists of another or of a guest", async () => {
    const strangers = [await accountWithToken(database), await guestWithToken(database, owner.accountId)];
    const secret = Object.entries(ids).flatMap(([name, id]) => (ownerless.has(name) ? [] : [id]));
    const long = secret.filter((id) => id.length > 10);
    for (const { token } of strangers) {
      for (const route of lists) {
        const { status, json, text } = await visit(route, api.as(token));
        expect([route.path, status], text).to.deep.equal([route.path, 200]);
        for (const id of long) expect(text, `${route.path} as ${token}`).not.to.include(id);
        const own = ["/devices", "/devices/default", "/usage", "/api_tokens", "/guest_accounts"].includes(route.path);
        // What is no list has no number.
        if (!own) expect([route.path, json.meta?.total ?? 0]).to.deep.equal([route.path, 0]);
      }
    }
  });

  it("is 403 for a read-only token wherever something would change, and open to it elsewhere", async () => {
    const { token } = await createToken(database.db, { accountId: owner.accountId, name: "r", scope: "read" });
    expect(await outcomes(changes, api.as(token))).to.deep.equal(expected(changes, "403 insufficient_scope"));
    const accepted = await api.as(undefined)("POST", `/invitations/${ids.guest_account_id}`, {
      attributes: { name: "Ada", email: "ada@example.org" },
    });
    expect(accepted.status).to.equal(201);
    expect(await outcomes(gets, api.as(token))).to.deep.equal(expected(gets, "200"));
    await expectUntouched();
  });

  it("is 401 with a challenge without a token, and with an unknown or revoked one", async () => {
    const { id, token } = await createToken(database.db, { accountId: owner.accountId, name: "old", scope: "write" });
    expect((await api.as(owner.token)("DELETE", `/api_tokens/${id}`)).status).to.equal(204);
    expect(await outcomes(guarded, api.as(undefined))).to.deep.equal(expected(guarded, "401 unauthenticated"));
    for (const wrong of [token, "svt_wrong", "x".repeat(600)])
      expect(await outcomes(guarded, api.as(wrong))).to.deep.equal(expected(guarded, "401 invalid_token"));
    const challenge = (await api.as(undefined)("GET", "/reports")).headers.get("www-authenticate");
    expect(challenge).to.match(/^Bearer /);
    await expectUntouched();
  });

  it("keeps one account from using what another stored", async () => {
    const other = api.as((await accountWithToken(database)).token);
    const attributes = { starting_url: "https://example.com/", basic_auth_id: ids.basic_auth_id };
    const schedule = (await other("POST", "/schedules", { attributes: validBodies.schedule?.POST ?? {} })).json.data.id;
    const replies = [
      await other("POST", "/reports", { attributes }),
      await other("POST", "/schedules", { attributes: { ...attributes, periodicity: null } }),
      await other("PATCH", `/schedules/${schedule}`, { attributes: { basic_auth_id: ids.basic_auth_id } }),
    ];
    for (const { status, json } of replies)
      expect([status, json.errors[0]?.code]).to.deep.equal([422, "unknown_basic_auth"]);
  });
});
