import { expect } from "chai";
import { createSignInCode, createToken, SESSION_MS, SIGN_IN_CODE_MS } from "../../../src/database/accounts/tokens.ts";
import { createWeb } from "../../../src/web/app.ts";
import { accountWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { signedIn, webClient } from "../../support/web-service.ts";

describe("signing in to the pages", () => {
  let database: TestDatabase;
  let api: TestApi;
  let owner: { accountId: string; token: string };
  let tokenId: string;
  let now = new Date();

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { pages: createWeb, now: () => now });
  });
  beforeEach(async () => {
    now = new Date();
    owner = await accountWithToken(database);
    const tokens = await api.as(owner.token)("GET", "/api_tokens");
    tokenId = tokens.json.data[0]?.id ?? "";
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("needs a token, and says when there is no such", async () => {
    const visitor = webClient(api.url);
    const refused = await visitor.post("/sign-in", { token: "svt_wrong" });
    expect(refused.status).to.equal(422);
    expect(refused.html).to.include("There is no such token").and.not.include("svt_wrong");
    expect((await visitor.post("/sign-in", { token: " " })).html).to.include("the field is empty");
    expect((await visitor.post("/sign-in", { token: `  ${owner.token}\n` })).status).to.equal(303);
    expect((await visitor.get("/")).status).to.equal(200);
  });

  it("sets a cookie that scripts and other sites' forms cannot use", async () => {
    const { headers } = await webClient(api.url).post("/sign-in", { token: owner.token });
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).to.match(/^site-validator-session=[\w-]{43}; /);
    expect(cookie).to.include("HttpOnly").and.include("SameSite=Lax").and.include("Path=/");
    expect(cookie).to.not.include("Secure");
  });

  it("sets a cookie for TLS alone, below the path of its proxy, where the service is reached so", async () => {
    const proxied = await startTestApi(database, { pages: createWeb, baseUrl: "https://tools.example.com/validator" });
    try {
      const { headers, location } = await webClient(proxied.url).post("/sign-in", { token: owner.token });
      expect(headers.getSetCookie()[0]).to.include("Secure").and.include("Path=/validator");
      expect(headers.getSetCookie()[0]).to.match(/^__Secure-site-validator-session=/);
      expect(location).to.equal("/validator/");
    } finally {
      await proxied.close();
    }
  });

  it("has a cookie over TLS that no other host can set, and takes no other one", async () => {
    const over = await startTestApi(database, { pages: createWeb, baseUrl: "https://validator.example.com" });
    try {
      const client = await signedIn({ url: over.url, token: owner.token });
      expect(client.cookie()).to.match(/^__Host-site-validator-session=[\w-]{43}$/);
      expect((await client.get("/")).status).to.equal(200);
      const headers = { cookie: client.cookie().replace("__Host-", "") };
      const response = await fetch(over.url, { headers, redirect: "manual" });
      expect(response.status, "the same secret under a name that anybody can set").to.equal(303);
    } finally {
      await over.close();
    }
  });

  it("keeps neither the cookie's secret nor a link's code in the database", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const code = await createSignInCode(database.db, tokenId, now);
    const secret = client.cookie().split("=")[1] ?? "";
    const rows = JSON.stringify([
      await database.db.selectFrom("web_sessions").selectAll().execute(),
      await database.db.selectFrom("sign_in_codes").selectAll().execute(),
    ]);
    for (const text of [secret, code]) {
      expect(rows).to.not.include(text);
      expect(rows).to.not.include(JSON.stringify(Buffer.from(text, "base64url")));
    }
  });

  it("works by a link once, for an hour", async () => {
    const code = await createSignInCode(database.db, tokenId, now);
    const visitor = webClient(api.url);
    expect((await visitor.post("/sign-in", { token: "", code })).status).to.equal(303);
    expect((await visitor.get("/")).status).to.equal(200);
    expect((await webClient(api.url).post("/sign-in", { token: "", code })).html).to.include("has been used");
    const late = await createSignInCode(database.db, tokenId, now);
    now = new Date(now.getTime() + SIGN_IN_CODE_MS);
    expect((await webClient(api.url).post("/sign-in", { token: "", code: late })).status).to.equal(422);
  });

  it("gives a new session each time, and ends the one before", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const before = client.cookie();
    await client.post("/sign-in", { token: owner.token });
    expect(client.cookie()).to.not.equal(before);
    const { status } = await fetch(`${api.url}/`, { headers: { cookie: before }, redirect: "manual" });
    expect(status).to.equal(303);
  });

  it("lasts until somebody signs out", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const cookie = client.cookie();
    expect((await client.post("/sign-out", { csrf: "x" })).status).to.equal(403);
    await client.get("/");
    expect((await client.post("/sign-out", {})).location).to.equal("/sign-in?out=1");
    const { status } = await fetch(`${api.url}/`, { headers: { cookie }, redirect: "manual" });
    expect(status).to.equal(303);
  });

  it("lasts until its token is revoked, and says so", async () => {
    const { id, token } = await createToken(database.db, { accountId: owner.accountId, name: "x", scope: "write" });
    const client = await signedIn({ url: api.url, token });
    await api.as(owner.token)("DELETE", `/api_tokens/${id}`);
    const { status, location } = await client.get("/reports/new");
    expect([status, location]).to.deep.equal([303, "/sign-in?next=%2Freports%2Fnew&ended=1"]);
    expect((await client.get(location ?? "")).html).to.include("You are signed out");
  });

  it("lasts for thirty days", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    now = new Date(now.getTime() + SESSION_MS - 1_000);
    expect((await client.get("/")).status).to.equal(200);
    now = new Date(now.getTime() + 2_000);
    expect((await client.get("/")).status).to.equal(303);
  });

  it("goes on to the page that was asked for, and never to another site", async () => {
    const go = async (next: string) =>
      (await webClient(api.url).post("/sign-in", { token: owner.token, next })).location;
    expect(await go("/reports/new?url=x")).to.equal("/reports/new?url=x");
    const elsewhere = [
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example",
      "/\n/evil.example",
      "javascript:1",
      "x",
    ];
    for (const next of elsewhere) expect(await go(next), next).to.equal("/");
  });

  it("is offered where a link leads to a report that is not shared, and goes on to the report", async () => {
    const mine = await insertReport(database.db, { accountId: owner.accountId });
    const nobodys = "00000000-0000-4000-8000-000000000000";
    const visitor = webClient(api.url);
    const [ofMine, ofNobody] = await Promise.all([
      visitor.get(`/r/${mine}/issues?kind=html`),
      visitor.get(`/r/${nobodys}/issues?kind=html`),
    ]);
    expect([ofMine.status, ofNobody.status]).to.deep.equal([404, 404]);
    expect(ofMine.html.replaceAll(mine, nobodys)).to.equal(ofNobody.html);
    const [, link = ""] = /href="(\/sign-in[^"]+)"/.exec(ofMine.html) ?? [];
    const [, next = ""] = /name="next" value="([^"]+)"/.exec((await visitor.get(link)).html) ?? [];
    const { location } = await visitor.post("/sign-in", { token: owner.token, next });
    expect(location).to.equal(`/reports/${mine}/issues?kind=html`);
    expect((await visitor.get(location ?? "")).status).to.equal(200);
    const again = await visitor.get(`/r/${mine}`);
    expect(again.status).to.equal(404);
    expect(again.html).to.include(`<a href="/reports/${mine}">Open it in your account</a>`);
  });

  it("is offered by no other page that is not found", async () => {
    for (const path of ["/nothing", "/r", "/guides/html/nothing"]) {
      const { status, html } = await webClient(api.url).get(path);
      expect(status, path).to.equal(404);
      expect(html, path).to.not.include("/sign-in?");
    }
  });

  it("is refused from another site's form", async () => {
    const visitor = webClient(api.url);
    const { token } = owner;
    const foreign: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
    ];
    for (const headers of foreign) expect((await visitor.post("/sign-in", { token }, headers)).status).to.equal(403);
    expect((await visitor.post("/sign-in", { token }, { "sec-fetch-site": "same-origin" })).status).to.equal(303);
  });

  it("counts as calls of the address, so that nobody guesses tokens", async () => {
    const limited = await startTestApi(database, { pages: createWeb, requestsPerMinute: 3 });
    try {
      const visitor = webClient(limited.url);
      const statuses = [];
      for (let attempt = 0; attempt < 4; attempt += 1)
        statuses.push((await visitor.post("/sign-in", { token: `svt_guess-${attempt}` })).status);
      expect(statuses).to.deep.equal([422, 422, 422, 429]);
    } finally {
      await limited.close();
    }
  });

  it("does not open the API: it takes tokens alone", async () => {
    const client = await signedIn({ url: api.url, token: owner.token });
    const { status } = await fetch(`${api.url}/api/v1/reports`, { headers: { cookie: client.cookie() } });
    expect(status).to.equal(401);
  });

  it("sends pages with a policy that lets nothing in from elsewhere", async () => {
    const { headers } = await webClient(api.url).get("/sign-in");
    expect(headers.get("content-security-policy")).to.include("default-src 'none'").and.include("script-src 'self';");
    expect(headers.get("cache-control")).to.equal("no-store");
    expect(headers.get("x-content-type-options")).to.equal("nosniff");
  });
});
