import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, type Call, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const ada = { name: "Ada Lovelace", email: "ada@example.org" };

describe("guest accounts, invitations and tokens", () => {
  let database: TestDatabase;
  let api: TestApi;
  let host: { accountId: string; token: string };
  let call: Call;
  let other: Call;
  let now: Date;

  before(async () => {
    database = await createTestDatabase();
    now = new Date("2026-03-31T23:59:00Z");
    api = await startTestApi(database, { now: () => now });
    host = await accountWithToken(database);
    call = api.as(host.token);
    other = api.as((await accountWithToken(database)).token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const invite = async (max_usage = 100) =>
    (await call("POST", "/guest_accounts", { attributes: { max_usage } })).json.data;
  const accept = (token: string, attributes: object = ada) =>
    api.as(undefined)("POST", `/invitations/${token}`, { attributes });
  const codes = (reply: Awaited<ReturnType<Call>>) =>
    reply.json.errors.map(({ code, source }) => [code, source?.pointer?.replace("/data/attributes/", "")]);

  it("creates a guest account with an open invitation", async () => {
    const reply = await call("POST", "/guest_accounts", { attributes: { max_usage: 7 } });
    expect(reply.status, reply.text).to.equal(201);
    const { id, type, attributes } = reply.json.data;
    expect(type).to.equal("guest_account");
    expect(attributes).to.include({ max_usage: 7, current_usage: 0, guest: null, accepted_at: null });
    expect(attributes.invitation_url).to.equal(`${api.url}/invitations/${id}`);
    expect(reply.headers.get("location")).to.equal(`${api.url}/api/v1/guest_accounts/${id}`);
    expect((await call("GET", `/guest_accounts/${id}`)).json.data.attributes).to.deep.equal(attributes);
  });

  it("reports everything that is wrong with a guest account", async () => {
    const wrong = async (attributes: object) => codes(await call("POST", "/guest_accounts", { attributes }));
    expect(await wrong({})).to.deep.equal([["required", "max_usage"]]);
    expect(await wrong({ max_usage: 0 })).to.deep.equal([["out_of_range", "max_usage"]]);
    expect(await wrong({ max_usage: "5" })).to.deep.equal([["invalid_type", "max_usage"]]);
    expect(await wrong({ max_usage: 5_000_000_000 })).to.deep.equal([["out_of_range", "max_usage"]]);
    expect(await wrong({ max_usage: 1.5, current_usage: 1 })).to.have.deep.members([
      ["invalid_type", "max_usage"],
      ["unknown_attribute", "current_usage"],
    ]);
    const { id } = await invite();
    const changed = await call("PATCH", `/guest_accounts/${id}`, { attributes: { max_usage: 0, current_usage: -1 } });
    expect(codes(changed)).to.have.deep.members([
      ["out_of_range", "max_usage"],
      ["out_of_range", "current_usage"],
    ]);
  });

  it("lets a guest accept an invitation once, and work with its token from then on", async () => {
    const { id } = await invite();
    const reply = await accept(id);
    expect(reply.status, reply.text).to.equal(201);
    const { attributes, type } = reply.json.data;
    expect(type).to.equal("api_token");
    const guest = api.as(String(attributes.token));
    expect((await guest("GET", `/guest_accounts/${id}`)).json.data.attributes).to.deep.include({
      invitation_url: null,
      guest: ada,
      accepted_at: "2026-03-31T23:59:00",
    });
    const location = (reply.headers.get("location") ?? "").replace(`${api.url}/api/v1`, "");
    const read = await guest("GET", location);
    expect([read.status, read.json.data.attributes.token]).to.deep.equal([200, undefined]);
    const report = await guest("POST", "/reports", { attributes: { starting_url: "https://example.com/" } });
    expect([report.status, report.json.data.attributes.guest_token]).to.deep.equal([201, id]);
    const again = await accept(id);
    expect([again.status, again.json.errors[0]?.code]).to.deep.equal([409, "invitation_used"]);
  });

  it("gives only one token for many concurrent requests", async () => {
    const { id } = await invite();
    const replies = await Promise.all(Array.from({ length: 8 }, () => accept(id)));
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it("refuses an unknown invitation, and a guest without name or email", async () => {
    expect((await accept("svg_unknown")).status).to.equal(404);
    const { id } = await invite();
    expect(codes(await accept(id, { name: " ", email: "nobody", scope: "x" }))).to.have.deep.members([
      ["invalid_format", "name"],
      ["invalid_format", "email"],
      ["unknown_attribute", "scope"],
    ]);
    expect((await accept(id)).status).to.equal(201);
  });

  it("shows a host only its own guests, and a guest only itself", async () => {
    const mine = await accountWithToken(database);
    const guests = [await guestWithToken(database, mine.accountId), await guestWithToken(database, mine.accountId)];
    const ids = async (by: Call) => (await by("GET", "/guest_accounts")).json.data.map(({ id }) => id);
    expect(await ids(api.as(mine.token))).to.have.members(guests.map(({ guestToken }) => guestToken));
    const [first, second] = guests;
    if (!first || !second) throw new Error("two were made");
    const guest = api.as(first.token);
    expect(await ids(guest)).to.deep.equal([first.guestToken]);
    const own = `/guest_accounts/${first.guestToken}`;
    for (const by of [other, api.as(second.token)])
      for (const method of ["GET", "PATCH", "DELETE"])
        expect((await by(method, own, method === "PATCH" ? { attributes: {} } : {})).status, method).to.equal(404);
    for (const [method, path] of [
      ["POST", "/guest_accounts"],
      ["PATCH", own],
      ["DELETE", own],
    ] as const) {
      const reply = await guest(method, path, { attributes: { max_usage: 9_999 } });
      expect([method, reply.status, reply.json.errors[0]?.code]).to.deep.equal([method, 403, "host_only"]);
    }
  });

  it("counts a guest's credits by calendar month, and resets them without touching the account's", async () => {
    const { id } = await invite();
    const values = { account_id: host.accountId, month: "2026-03-01", charged: 12, reserved: 3 };
    await database.db
      .insertInto("credit_usage")
      .values([values, { ...values, guest_token: id }])
      .execute();
    const usage = async () => (await call("GET", `/guest_accounts/${id}`)).json.data.attributes.current_usage;
    expect(await usage()).to.equal(12);
    const patched = await call("PATCH", `/guest_accounts/${id}`, { attributes: { current_usage: 0, max_usage: 20 } });
    expect(patched.json.data.attributes).to.include({ current_usage: 0, max_usage: 20 });
    const rows = await database.db
      .selectFrom("credit_usage")
      .select(["charged", "reserved"])
      .where("account_id", "=", host.accountId)
      .orderBy("guest_token")
      .execute();
    expect(rows).to.deep.equal([
      { charged: 12, reserved: 3 },
      { charged: 0, reserved: 3 },
    ]);
    await call("PATCH", `/guest_accounts/${id}`, { attributes: { current_usage: 5 } });
    expect(await usage()).to.equal(5);
    now = new Date("2026-04-01T00:00:00Z");
    expect(await usage()).to.equal(0);
  });

  it("shows this month's usage: all of it to a host, its own to a guest", async () => {
    now = new Date("2026-05-02T00:00:00Z");
    const mine = await accountWithToken(database, { monthly_credits: 50 });
    const guest = await guestWithToken(database, mine.accountId, { max_usage: 10 });
    const usage = async (token: string) => (await api.as(token)("GET", "/usage")).json.data;
    const none = { guest_token: guest.guestToken, limit: 10, charged: 0, reserved: 0, left: 10 };
    /** The twelve months up to May, with what was charged in the last two of them. */
    const months = (april: number, may: number) => {
      const names = ["2025-06", "2025-07", "2025-08", "2025-09", "2025-10", "2025-11"].concat([
        "2025-12",
        "2026-01",
        "2026-02",
        "2026-03",
        "2026-04",
        "2026-05",
      ]);
      return names.map((month, n) => ({ month, charged: n === 11 ? may : n === 10 ? april : 0 }));
    };
    expect((await usage(mine.token)).attributes).to.deep.equal({
      ...{ month: "2026-05", limit: 50, charged: 0, reserved: 0, left: 50 },
      months: months(0, 0),
      storage: { bytes: 0, limit: null },
      guests: [none],
    });
    const values = { account_id: mine.accountId, month: "2026-05-01", charged: 7, reserved: 2 };
    await database.db
      .insertInto("credit_usage")
      .values([values, { ...values, charged: 4, guest_token: guest.guestToken }, { ...values, month: "2026-04-01" }])
      .execute();
    const used = { limit: 10, charged: 4, reserved: 2, left: 4 };
    const ofMine = { charged: 7, reserved: 2, left: 41, months: months(7, 7) };
    expect((await usage(mine.token)).attributes).to.deep.include(ofMine);
    expect((await usage(mine.token)).attributes.guests).to.deep.equal([{ guest_token: guest.guestToken, ...used }]);
    expect((await usage(guest.token)).attributes).to.deep.equal({ month: "2026-05", ...used, months: months(0, 4) });
    expect((await usage(host.token)).attributes).to.include({ limit: null, left: null });
    now = new Date("2026-04-01T00:00:00Z");
  });

  it("ends a guest's access with its account, and keeps its reports for the host", async () => {
    const { id } = await invite();
    const guest = api.as(String((await accept(id)).json.data.attributes.token));
    const made = await guest("POST", "/reports", { attributes: { starting_url: "https://example.com/" } });
    expect(made.json.data.relationships).to.have.property("guest_account");
    const open = await invite();
    expect((await call("DELETE", `/guest_accounts/${open.id}`)).status).to.equal(204);
    expect((await accept(open.id)).status).to.equal(404);
    expect((await call("DELETE", `/guest_accounts/${id}`)).status).to.equal(204);
    for (const method of ["GET", "DELETE"]) expect((await call(method, `/guest_accounts/${id}`)).status).to.equal(404);
    expect((await guest("GET", "/reports")).status).to.equal(401);
    const kept = (await call("GET", `/reports/${made.json.data.id}`)).json.data;
    expect(kept.attributes.guest_token).to.equal(id);
    expect(kept.relationships, "a link that leads nowhere").not.to.have.property("guest_account");
    const listed = await call("GET", `/reports?created_by=guests&guest_token=${id}`);
    expect(listed.json.meta.total).to.equal(1);
  });

  it("creates, lists and revokes tokens; a secret is shown once and stored nowhere", async () => {
    const key = { "idempotency-key": "token-1" };
    const attributes = { name: "CI", scope: "write" };
    const reply = await call("POST", "/api_tokens", { attributes, headers: key });
    expect(reply.status, reply.text).to.equal(201);
    const { id, attributes: made } = reply.json.data;
    const secret = String(made.token);
    expect(made).to.include(attributes);
    const again = await call("POST", "/api_tokens", { attributes, headers: key });
    expect(again.json.data.attributes.token).not.to.equal(secret);
    const stored = JSON.stringify(await database.db.selectFrom("idempotency_keys").selectAll().execute());
    expect(stored).not.to.include(secret);
    const listed = await call("GET", "/api_tokens");
    expect(listed.json.data.map((token) => token.id)).to.include(id);
    expect(listed.text).not.to.include(secret).and.not.to.include("token_hash");
    expect((await api.as(secret)("GET", `/api_tokens/${id}`)).json.data.attributes.last_used_at).to.equal(
      "2026-04-01T00:00:00",
    );
    expect((await other("GET", `/api_tokens/${id}`)).status).to.equal(404);
    expect((await other("DELETE", `/api_tokens/${id}`)).status).to.equal(404);
    expect((await call("DELETE", `/api_tokens/${id}`)).status).to.equal(204);
    expect((await call("DELETE", `/api_tokens/${id}`)).status).to.equal(404);
    expect((await api.as(secret)("GET", "/reports")).status).to.equal(401);
  });

  it("creates a read-only token by default, and reserves the name of the service's own token", async () => {
    const reply = await call("POST", "/api_tokens", { attributes: { name: "r" } });
    expect(reply.json.data.attributes.scope).to.equal("read");
    expect((await api.as(String(reply.json.data.attributes.token))("POST", "/reports")).status).to.equal(403);
    const wrong = async (attributes: object) => codes(await call("POST", "/api_tokens", { attributes }));
    expect(await wrong({ name: "first" })).to.deep.equal([["reserved", "name"]]);
    expect(await wrong({ scope: "admin" })).to.have.deep.members([
      ["required", "name"],
      ["not_allowed", "scope"],
    ]);
  });

  it("lets a guest list and create only its own tokens", async () => {
    const guest = await guestWithToken(database, host.accountId);
    const by = api.as(guest.token);
    const made = (await by("POST", "/api_tokens", { attributes: { name: "mine", scope: "write" } })).json.data;
    expect(made.attributes.guest_token).to.equal(guest.guestToken);
    const listed = (await by("GET", "/api_tokens")).json;
    expect(listed.data.map(({ attributes }) => attributes.name)).to.deep.equal(["guest", "mine"]);
    const { id } = await createToken(database.db, { accountId: host.accountId, name: "host's", scope: "read" });
    for (const method of ["GET", "DELETE"]) expect((await by(method, `/api_tokens/${id}`)).status).to.equal(404);
    expect((await call("DELETE", `/api_tokens/${made.id}`)).status).to.equal(204);
  });
});

describe("the invitation's page", () => {
  let database: TestDatabase;
  let api: TestApi;
  let url: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });
  beforeEach(async () => {
    const { token } = await accountWithToken(database);
    const { json } = await api.as(token)("POST", "/guest_accounts", { attributes: { max_usage: 5 } });
    url = String(json.data.attributes.invitation_url);
  });

  const post = (form: Record<string, string>) => fetch(url, { method: "POST", body: new URLSearchParams(form) });

  it("asks for name and email, and loads nothing", async () => {
    const response = await fetch(url);
    expect(response.status).to.equal(200);
    expect(response.headers.get("content-type")).to.match(/^text\/html/);
    expect(response.headers.get("content-security-policy")).to.include("default-src 'none'");
    expect(response.headers.get("cache-control")).to.equal("no-store");
    const html = await response.text();
    for (const part of ['<html lang="en">', "<h1>", '<label for="name">', '<label for="email">', 'method="post"'])
      expect(html).to.include(part);
    expect(html).not.to.match(/<script|src=|onclick/);
  });

  it("shows a working token once", async () => {
    const response = await post({ name: "Ada", email: "ada@example.org" });
    expect(response.status).to.equal(201);
    const html = await response.text();
    const token = /svt_[\w-]{32}/.exec(html)?.[0];
    expect((await api.as(token)("GET", "/reports")).status).to.equal(200);
    const reference = /<a href="([^"]+)">/.exec(html)?.[1] ?? "";
    expect(new URL(reference, url).href).to.equal(`${api.url}/api/v1/docs`);
    expect((await post({ name: "Eve", email: "eve@example.org" })).status).to.equal(409);
    expect((await fetch(url)).status).to.equal(409);
    expect(JSON.stringify(api.logged)).not.to.include(token);
    expect(JSON.stringify(api.logged)).not.to.include(new URL(url).pathname);
  });

  it("shows errors at their fields, and never treats input as markup", async () => {
    const response = await post({ name: '"><script>alert(1)</script>', email: "nobody" });
    expect(response.status).to.equal(422);
    const html = await response.text();
    expect(html).to.include('aria-describedby="email-error"').and.to.include('id="email-error"');
    expect(html).not.to.include("<script").and.not.to.include('id="name-error"');
    expect((await post({ name: "\0", email: "a@b" })).status).to.equal(422);
    expect((await post({ name: "Ada", email: "ada@example.org" })).status).to.equal(201);
  });

  it("responds with 404 to an unknown invitation", async () => {
    for (const path of ["/invitations/svg_x", "/invitations/%00"])
      expect((await fetch(api.url + path)).status).to.equal(404);
  });
});
