// Signatures are made and verified for each sign-in, and some passwords judged by scrypt.
import { expect } from "chai";
import { insertPerson, type NewPerson } from "../../../src/database/accounts/people.ts";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { GROUP_ROLE_MS, PERSON_SESSION_MS, PROVIDER_SIGN_IN_MS } from "../../../src/domain/accounts/sign-in-limits.ts";
import { createOpenIdProvider } from "../../../src/net/openid-provider.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { PASSWORD, personWithToken, signedInAs } from "../../support/people.ts";
import { open, type Page, pageOf, startTestPages, textOf } from "../../support/web-pages.ts";
import { type WebClient, webClient } from "../../support/web-service.ts";

const CLIENT_SECRET = "the client's own secret";
const ada = { sub: "u-1", email: "Ada@city.example", email_verified: true, name: "Ada Lovelace", groups: ["web"] };

describe("signing in by a provider", () => {
  let database: TestDatabase;
  let provider: FakeProvider;
  let service: TestApi;
  let accountId: string;
  let now = new Date();

  before(async () => {
    database = await createTestDatabase();
    provider = await startFakeProvider();
    const client = createOpenIdProvider({
      ...{ issuer: provider.issuer, clientId: "site-validator", clientSecret: CLIENT_SECRET },
      ...{ scopes: "openid email profile", groupsClaim: "groups" },
    });
    service = await startTestPages(database, {
      now: () => now,
      provider: { name: "City account", client },
      people: { groupRoles: { web: "owner", press: "reader", writers: "editor" }, contact: "web@city.example" },
    });
  });
  beforeEach(async () => {
    now = new Date();
    await emptyDatabase(database.db);
    ({ accountId } = await accountWithToken(database));
    Object.assign(provider, {
      ...{ claims: { ...ada }, userInfo: undefined, isForged: false, leadsBack: () => {}, requests: [] },
      ...{ tokenRequests: [], isAway: false, status: undefined },
    });
  });
  after(async () => {
    await service.close();
    await provider.close();
    await database.drop();
  });

  /** Goes to the provider, as somebody who presses the button. @returns the address to which that leads back */
  async function goAway(client: WebClient, from = "/sign-in"): Promise<string> {
    const page = await open(client, from);
    const to = page('a[href^="/sign-in/provider"]').attr("href") ?? "";
    const { location, status } = await client.get(to);
    if (location === null) throw new Error(`Nobody is led to the provider, but: ${status}`);
    const reply = await fetch(location, { redirect: "manual" });
    const back = new URL(reply.headers.get("location") ?? "");
    expect(back.origin).to.equal(service.url);
    return back.pathname + back.search;
  }
  async function comeIn(client = webClient(service.url), from?: string): Promise<Page> {
    return pageOf(await client.get(await goAway(client, from)));
  }
  const people = () =>
    database.db
      .selectFrom("people")
      .innerJoin("api_tokens", "api_tokens.id", "people.id")
      .select(["people.id", "name", "mail", "role", "group_role", "groups", "oidc_subject", "password_hash"])
      .execute();
  const entries = async () => {
    const rows = await database.db.selectFrom("audit_entries").selectAll().orderBy("id").execute();
    return rows.map(({ who_name, verb, changes }) => `${who_name} ${verb} ${JSON.stringify(changes)}`);
  };
  const invited = (mail: string, person: Partial<NewPerson> = {}) =>
    insertPerson(database.db, {
      ...{ accountId, mail, name: "Invited", role: "editor" },
      invitation: { secret: "svi_secret", endsAt: new Date(now.getTime() + 60_000), by: "ops" },
      ...person,
    });

  it("lets somebody join whose group has a role, and leads to the page that was asked for", async () => {
    const client = webClient(service.url);
    const asked = await client.get("/mutings");
    const page = await comeIn(client, asked.location ?? "");
    expect([page.status, page.location]).to.deep.equal([303, "/mutings"]);
    expect((await client.get("/mutings")).status).to.equal(200);
    const [person, ...others] = await people();
    expect(others).to.deep.equal([]);
    expect(person).to.include({ name: "Ada Lovelace", mail: "ada@city.example", role: null, group_role: "owner" });
    const said = await entries();
    expect(said).to.have.length(2);
    expect(said[0]).to.include("Ada Lovelace joined by the sign-in provider").and.include("u-1");
    expect(said[1]).to.include("Ada Lovelace signed in");
  });

  it("asks with PKCE, state and nonce, and gives the provider its secret and no other", async () => {
    await comeIn();
    const [asked] = provider.tokenRequests;
    // Both parts are encoded as in forms (RFC 6749, 2.3.1).
    const credentials = new URLSearchParams(`x=${atob(asked?.authorization?.slice("Basic ".length) ?? "")}`).get("x");
    expect(credentials).to.equal(`site-validator:${CLIENT_SECRET}`);
    expect(asked?.body.get("code_verifier")).to.match(/^[\w-]{43}$/);
    expect(JSON.stringify(service.logged)).to.not.include(CLIENT_SECRET);
  });

  it("knows somebody again by the subject, whatever the name and the mail address are by then", async () => {
    await comeIn();
    provider.claims = { ...ada, email: "lovelace@city.example", name: "A. Lovelace" };
    expect((await comeIn()).status).to.equal(303);
    expect((await people()).map(({ mail }) => mail)).to.deep.equal(["ada@city.example"]);
  });

  it("changes the role with the groups at each sign-in, and takes it away everywhere at once", async () => {
    const before = webClient(service.url);
    await comeIn(before);
    provider.claims = { ...ada, groups: ["press", "writers", "unknown"] };
    await comeIn();
    const [person] = await people();
    expect([person?.group_role, person?.groups]).to.deep.equal(["editor", ["press", "writers"]]);
    expect((await before.get("/people")).html).to.not.include('id="invite"');
    provider.claims = { ...ada, groups: [] };
    const refused = await comeIn();
    expect([refused.status, textOf(refused, "main").includes("You have no role here.")]).to.deep.equal([403, true]);
    expect((await before.get("/")).location).to.include("/sign-in");
    expect((await entries()).filter((entry) => entry.includes("another role"))).to.have.length(2);
  });

  it("lets a role by groups end after 30 days without a sign-in, also for tokens", async () => {
    await comeIn();
    const [person] = await people();
    const { token } = await createToken(database.db, { accountId, name: "x", scope: "read", madeBy: person?.id ?? "" });
    expect((await service.as(token)("GET", "/usage")).status).to.equal(200);
    now = new Date(now.getTime() + GROUP_ROLE_MS);
    expect((await service.as(token)("GET", "/usage")).status).to.equal(401);
  });

  it("ends a session after twelve hours, as that of a password", async () => {
    const client = webClient(service.url);
    await comeIn(client);
    now = new Date(now.getTime() + PERSON_SESSION_MS - 1_000);
    expect((await client.get("/")).status).to.equal(200);
    now = new Date(now.getTime() + 2_000);
    expect((await client.get("/")).location).to.include("/sign-in");
  });

  it("refuses somebody whose groups have no role, says whom to ask, and has an entry that is found by its id", async () => {
    provider.claims = { ...ada, groups: ["constructor", "__proto__", "*"] };
    const page = await comeIn();
    expect([page.status, page.headers.getSetCookie().some((cookie) => /session=[\w-]{43}/.test(cookie))]).to.deep.equal(
      [403, false],
    );
    expect(textOf(page, "main")).to.include("City account knows you").and.include("web@city.example");
    const id = textOf(page, "main code");
    const row = await database.db.selectFrom("audit_entries").selectAll().executeTakeFirstOrThrow();
    expect([row.request_id, row.verb, row.who_name]).to.deep.equal([id, "did not get in: no role", "ada@city.example"]);
    expect(await people()).to.deep.equal([]);
  });

  it("makes of somebody who was invited with the verified address who that is, once", async () => {
    const id = await invited("ada@city.example");
    provider.claims = { ...ada, groups: [] };
    expect((await comeIn()).status).to.equal(303);
    const [person] = await people();
    expect(person).to.include({ id, role: "editor", group_role: null, oidc_subject: "u-1" });
    expect((await webClient(service.url).get("/join/svi_secret")).status).to.equal(404);
    provider.claims = { ...ada, sub: "u-2" };
    expect((await comeIn()).status).to.equal(403);
  });

  describe("is no way to become somebody else", () => {
    it("with an address that nobody has verified, or of which somebody else says that it is", async () => {
      await invited("ada@city.example");
      for (const said of [{ email_verified: false }, { email_verified: undefined }, { email_verified: "true" }]) {
        provider.claims = { ...ada, ...said, groups: ["web"] };
        provider.userInfo = { sub: "u-1", email_verified: true };
        const page = await comeIn();
        expect([said, page.status]).to.deep.equal([said, 403]);
      }
      expect((await people()).map(({ oidc_subject }) => oidc_subject)).to.deep.equal([null]);
    });

    it("with the address of somebody who has a password", async () => {
      const owner = await personWithToken(database, accountId, "owner", { mail: "ada@city.example" });
      const page = await comeIn();
      expect([page.status, textOf(page, "main").includes("in another way")]).to.deep.equal([403, true]);
      await signedInAs(service.url, owner.mail);
    });

    it("with an invitation that is over, or one of another account", async () => {
      await invited("ada@city.example", { invitation: { secret: "svi_x", endsAt: now, by: "ops" } });
      expect((await comeIn()).status).to.equal(403);
      const other = await accountWithToken(database);
      await invited("eve@city.example", { accountId: other.accountId });
      provider.claims = { ...ada, sub: "u-3", email: "eve@city.example", groups: [] };
      expect((await comeIn()).status).to.equal(403);
    });

    it("with the subject of somebody at another issuer", async () => {
      const provision = { issuer: "https://other.example", subject: "u-1", groups: [], role: "owner" as const };
      await insertPerson(database.db, {
        ...{ accountId, mail: "x@city.example", name: "X", role: null },
        provider: { ...provision, roleEndsAt: new Date(now.getTime() + 1_000) },
      });
      await comeIn();
      expect((await people()).map(({ mail }) => mail)).to.have.members(["x@city.example", "ada@city.example"]);
    });
  });

  it("binds somebody who is here already when an owner has decided so, and leaves owners alone their password", async () => {
    for (const [role, keeps] of [
      ["owner", true],
      ["reader", false],
    ] as const) {
      await emptyDatabase(database.db);
      ({ accountId } = await accountWithToken(database));
      const person = await personWithToken(database, accountId, role, { mail: "ada@city.example" });
      const owner = await personWithToken(database, accountId, "owner");
      const decided = await service.as(owner.token)("PATCH", `/people/${person.id}`, {
        attributes: { awaits_provider: true },
      });
      expect(decided.json.data.attributes).to.include({ awaits_provider: true, has_provider: false });
      expect((await comeIn()).status).to.equal(303);
      const row = (await people()).find(({ id }) => id === person.id);
      expect([role, row?.oidc_subject, row?.password_hash !== null]).to.deep.equal([role, "u-1", keeps]);
      const after = await service.as(owner.token)("GET", `/people/${person.id}`);
      expect(after.json.data.attributes).to.include({ awaits_provider: false, has_provider: true });
    }
  });

  describe("takes no answer", () => {
    const attacks: Record<string, Partial<FakeProvider>> = {
      "for another attempt (nonce)": { claims: { ...ada, nonce: "another" } },
      "for another client (aud)": { claims: { ...ada, aud: "another" } },
      "of another issuer (iss)": { claims: { ...ada, iss: "https://evil.example" } },
      "that is over (exp)": { claims: { ...ada, exp: Math.floor(Date.now() / 1_000) - 120 } },
      "that another key has signed": { isForged: true },
      "with another state": { leadsBack: (query) => query.set("state", "another") },
      "without a state": { leadsBack: (query) => query.delete("state") },
      "of another provider (mix-up)": { leadsBack: (query) => query.set("iss", "https://evil.example") },
      "with a code that it did not give": { leadsBack: (query) => query.set("code", "another") },
      "that is an error": { leadsBack: (query) => query.set("error", "access_denied") },
      "of two codes": { leadsBack: (query) => query.append("code", "another") },
      "whose claims are of somebody else": { userInfo: { sub: "u-2", email: "x@city.example" } },
    };
    for (const [name, attack] of Object.entries(attacks))
      it(name, async () => {
        Object.assign(provider, attack);
        const client = webClient(service.url);
        const page = await comeIn(client);
        expect([page.status, textOf(page, "main").includes("The sign-in was not completed.")]).to.deep.equal([
          422,
          true,
        ]);
        expect((await client.get("/")).location).to.include("/sign-in");
        expect(await people()).to.deep.equal([]);
        expect(service.logged.at(-1)?.message === undefined).to.equal(false);
      });

    it("twice", async () => {
      const client = webClient(service.url);
      const back = await goAway(client);
      const cookie = client.cookie();
      const first = await fetch(service.url + back, { headers: { cookie }, redirect: "manual" });
      expect(first.status).to.equal(303);
      const again = await fetch(service.url + back, { headers: { cookie }, redirect: "manual" });
      expect([again.status, again.headers.getSetCookie().length]).to.deep.equal([422, 1]);
    });

    it("that another browser has begun, as somebody does who signs others in as himself", async () => {
      const back = await goAway(webClient(service.url));
      for (const victim of [webClient(service.url), webClient(service.url)]) {
        const page = pageOf(await victim.get(back));
        expect([page.status, textOf(page, "main").includes("in another browser")]).to.deep.equal([422, true]);
      }
      // With one of its own that has begun, too.
      const victim = webClient(service.url);
      await goAway(victim);
      expect((await victim.get(back)).status).to.equal(422);
      expect(await people()).to.deep.equal([]);
    });

    it("after ten minutes", async () => {
      const client = webClient(service.url);
      const back = await goAway(client);
      now = new Date(now.getTime() + PROVIDER_SIGN_IN_MS);
      expect((await client.get(back)).status).to.equal(422);
    });
  });

  it("leads on to pages of this service alone", async () => {
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]) {
      const client = webClient(service.url);
      const { location } = await client.get(`/sign-in/provider?next=${encodeURIComponent(next)}`);
      const reply = await fetch(location ?? "", { redirect: "manual" });
      const back = new URL(reply.headers.get("location") ?? "");
      expect([next, (await client.get(back.pathname + back.search)).location]).to.deep.equal([next, "/"]);
    }
  });

  it("ends an earlier session of the browser, which somebody else may have set", async () => {
    const owner = await personWithToken(database, accountId, "owner");
    const client = await signedInAs(service.url, owner.mail);
    const before = client.cookie();
    const away = await client.get("/sign-in/provider");
    const reply = await fetch(away.location ?? "", { redirect: "manual" });
    const back = new URL(reply.headers.get("location") ?? "");
    await fetch(service.url + back.pathname + back.search, {
      headers: { cookie: `${before}; ${client.cookie()}` },
      redirect: "manual",
    });
    const old = await fetch(`${service.url}/`, { headers: { cookie: before }, redirect: "manual" });
    expect(old.status).to.equal(303);
  });

  it("has no secret of an attempt in the database or in the log", async () => {
    const client = webClient(service.url);
    const { location } = await client.get("/sign-in/provider");
    const secret = client.cookie().split("=")[1] ?? "";
    const rows = JSON.stringify(await database.db.selectFrom("provider_sign_ins").selectAll().execute());
    for (const part of [secret, new URL(location ?? "").searchParams.get("state") ?? ""]) {
      expect(part).to.have.length(43);
      expect(rows + JSON.stringify(service.logged)).to.not.include(part);
    }
  });

  it("names the way in when the provider is away, and is back when it is", async () => {
    const owner = await personWithToken(database, accountId, "owner");
    for (const fault of [{ isAway: true }, { status: 503 }, { status: 404 }]) {
      Object.assign(provider, { isAway: false, status: undefined, ...fault });
      const page = await open(webClient(service.url), "/sign-in/provider");
      expect([page.status, textOf(page, "[role=alert]").includes("City account does not answer since")]).to.deep.equal([
        503,
        true,
      ]);
      expect(page("details[open] input[name=password]")).to.have.length(1);
    }
    await signedInAs(service.url, owner.mail, PASSWORD);
    expect(textOf(await open(webClient(service.url), "/sign-in"), "[role=alert]")).to.include("does not answer");
    Object.assign(provider, { isAway: false, status: undefined });
    expect((await comeIn()).status).to.equal(303);
    expect((await open(webClient(service.url), "/sign-in"))("[role=alert]")).to.have.length(0);
  });

  it("asks owners with a password for a second factor, and nobody else", async () => {
    const owner = await personWithToken(database, accountId, "owner");
    const reader = await personWithToken(database, accountId, "reader");
    for (const [mail, to] of [
      [owner.mail, "/people/own"],
      [reader.mail, "/usage"],
    ] as const) {
      const client = webClient(service.url);
      const reply = await client.post("/sign-in", { mail, password: PASSWORD, next: "/usage" });
      expect(reply.location).to.equal(to);
      const own = textOf(await open(client, "/people/own"), ".strip");
      expect(own).to.include("the way in when City account is away");
    }
  });

  it("says so, and signs nobody in, when the provider goes away meanwhile", async () => {
    const client = webClient(service.url);
    const back = await goAway(client);
    provider.isAway = true;
    const page = pageOf(await client.get(back));
    expect([page.status, textOf(page, "[role=alert]").includes("does not answer")]).to.deep.equal([503, true]);
  });

  it("leads to the provider's own page to sign out, once somebody is out", async () => {
    await comeIn();
    const page = await open(webClient(service.url), "/sign-in?out");
    expect(textOf(page, "main")).to.include("City account may still be signed in on this computer");
    const { location } = await webClient(service.url).get("/sign-in/provider/end");
    expect(location).to.match(/\/end\?post_logout_redirect_uri=.*%2Fsign-in&client_id=site-validator$/);
  });
});
