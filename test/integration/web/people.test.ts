// Passwords are judged by scrypt with 32 MB, as whoever guesses has to.
import { expect } from "chai";
import { siteIdOf } from "../../../src/database/reports/site-key.ts";
import { INVITATION_MS } from "../../../src/domain/accounts/sign-in-limits.ts";
import { fromBase32, hotp } from "../../../src/domain/accounts/totp.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { PASSWORD, personWithToken, signedInAs } from "../../support/people.ts";
import { readQrCode } from "../../support/qr-code.ts";
import { open, type Page, press, startTestPages, textOf } from "../../support/web-pages.ts";
import { type WebClient, webClient } from "../../support/web-service.ts";

describe("the page People", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let owner: { id: string; mail: string; token: string };
  let client: WebClient;
  let now = new Date();

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { now: () => now });
  });
  beforeEach(async () => {
    now = new Date();
    await emptyDatabase(database.db);
    ({ accountId } = await accountWithToken(database));
    owner = await personWithToken(database, accountId, "owner", { mail: "ops@example.org" });
    client = await signedInAs(service.url, owner.mail);
  });
  after(async () => {
    await service.close();
    await database.drop();
  });

  async function invite(fields: Record<string, string> = {}): Promise<{ page: Page; path: string }> {
    const page = await press(client, await open(client, "/people"), "/people", { mail: "ada@example.org", ...fields });
    return { page, path: new URL(String(page("#field-link").val() ?? "http://x/")).pathname };
  }
  const accept = async (path: string, fields: Record<string, string> = {}, visitor = webClient(service.url)) =>
    press(visitor, await open(visitor, path), path, { password: PASSWORD, password_again: PASSWORD, ...fields });

  it("invites somebody, who chooses a password by a link that works once", async () => {
    const { page, path } = await invite({ name: "Ada", role: "editor" });
    expect(page.status).to.equal(201);
    expect((await open(client, "/people")).html()).to.not.include(path);
    const visitor = webClient(service.url);
    expect(textOf(await open(visitor, path), "main")).to.include("ops invites you. You are editor.");
    expect((await accept(path, {}, visitor)).status).to.equal(303);
    expect((await visitor.get("/")).status).to.equal(200);
    expect((await open(webClient(service.url), path)).status).to.equal(404);
    await signedInAs(service.url, "ada@example.org");
  });

  it("has no place for one who comes after a week, with another link, or by another site's form", async () => {
    const { path } = await invite();
    const forged = await webClient(service.url).post(
      path,
      { password: PASSWORD, password_again: PASSWORD },
      { "sec-fetch-site": "cross-site" },
    );
    expect(forged.status).to.equal(403);
    expect((await open(webClient(service.url), path.replace(/.$/, "-"))).status).to.equal(404);
    now = new Date(now.getTime() + INVITATION_MS + 1);
    expect((await open(webClient(service.url), path)).status).to.equal(404);
  });

  it("says what is wrong with an invitation beside its field", async () => {
    expect(textOf((await invite({ mail: "nobody" })).page, "#error-mail")).to.not.equal("");
    await invite();
    const twice = await invite();
    expect([twice.page.status, textOf(twice.page, "main")][0]).to.equal(409);
    expect(textOf(twice.page, "main")).to.include("has a person with the address ada@example.org");
  });

  it("changes a role, which holds at once for a browser that is signed in", async () => {
    const editor = await personWithToken(database, accountId, "editor");
    const theirs = await signedInAs(service.url, editor.mail);
    expect((await theirs.get("/mutings")).html).to.include("/mutings/new");
    await press(client, await open(client, `/people/${editor.id}`), `/people/${editor.id}`, { role: "reader" });
    expect((await theirs.get("/mutings")).html).to.not.include("/mutings/new");
    await press(client, await open(client, `/people/${editor.id}`), `/people/${editor.id}`, { role: "" });
    expect((await theirs.get("/mutings")).location).to.include("/sign-in");
  });

  it("invites somebody to single sites, gives another one, and takes them away", async () => {
    const ids = await Promise.all(
      ["shop", "town"].map(async (name) => {
        const startingUrl = `https://${name}.example.com/`;
        await insertReport(database.db, { accountId, spec: { startingUrl } });
        return siteIdOf(startingUrl);
      }),
    );
    const [shop = "", town = ""] = ids;
    const { page, path } = await invite({ role: "", sites: shop, site_role: "editor" });
    expect(page.status).to.equal(201);
    const visitor = webClient(service.url);
    expect(textOf(await open(visitor, path), "main")).to.include("You are editor on 1 site.");
    await accept(path, {}, visitor);
    expect(textOf(await open(visitor, "/"), "main"))
      .to.include("shop.example.com")
      .and.not.include("town.example.com");
    const people = await open(client, "/people");
    const row = people("tr").filter((_, one) => people(one).text().includes("ada@example.org"));
    expect(row.find("td").eq(1).text().replace(/\s+/g, " ").trim()).to.equal("editor 1 site");
    const person = row.find("th a").attr("href") ?? "";
    await press(client, await open(client, person), person, { do: "add", more: town });
    expect(textOf(await open(visitor, "/"), "main")).to.include("town.example.com");
    const roles = await open(client, person);
    expect([shop, town].map((id) => roles(`select[name="role-${id}"]`).val())).to.deep.equal(["editor", "reader"]);
    await press(client, roles, person, { [`role-${shop}`]: "" });
    expect(textOf(await open(visitor, "/"), "main")).to.not.include("shop.example.com");
    await press(client, await open(client, person), person, { [`role-${town}`]: "" });
    expect((await visitor.get("/")).location).to.include("/sign-in");
  });

  it("removes somebody, with browsers and tokens, but never the last owner with a password", async () => {
    const other = await personWithToken(database, accountId, "owner");
    const theirs = await signedInAs(service.url, other.mail);
    const page = await open(client, `/people/${other.id}`);
    expect(textOf(page, "details.confirm")).to.include("1 token ends.");
    expect((await press(client, page, `/people/${other.id}/remove`)).location).to.equal("/people?done=removed");
    expect((await theirs.get("/")).location).to.include("/sign-in");
    expect((await service.as(other.token)("GET", "/usage")).status).to.equal(401);
    const own = await open(client, `/people/${owner.id}`);
    const kept = await press(client, own, `/people/${owner.id}/remove`);
    expect([kept.status, textOf(kept, "main").includes("only owner with a password")]).to.deep.equal([409, true]);
    expect(kept("#field-name").val()).to.equal("ops");
    const demoted = await press(client, own, `/people/${owner.id}`, { role: "editor" });
    expect(demoted.status).to.equal(409);
  });

  it("signs out a browser of somebody else, and one's own", async () => {
    const reader = await personWithToken(database, accountId, "reader");
    const theirs = await signedInAs(service.url, reader.mail);
    const sessions = await service.as(owner.token)("GET", `/sessions?filter[person_id]=${reader.id}`);
    const path = `/sessions/${sessions.json.data[0]?.id}/end`;
    await press(client, await open(client, `/people/${reader.id}`), path);
    expect((await theirs.get("/")).location).to.include("/sign-in");
    const first = await signedInAs(service.url, reader.mail);
    now = new Date(now.getTime() + 1_000);
    const second = await signedInAs(service.url, reader.mail);
    const own = await open(second, "/people");
    expect(own(`td form[action$="/end"]`).length).to.equal(2);
    // The one used last is this one, and comes first.
    await press(second, own, own(`td form[action$="/end"]`).last().attr("action") ?? "");
    expect((await first.get("/")).location).to.include("/sign-in");
  });

  it("signs somebody out everywhere, and oneself", async () => {
    const reader = await personWithToken(database, accountId, "reader");
    const theirs = [await signedInAs(service.url, reader.mail), await signedInAs(service.url, reader.mail)];
    await press(client, await open(client, `/people/${reader.id}`), "/sessions/end");
    for (const one of theirs) expect((await one.get("/")).location).to.include("/sign-in");
    expect((await client.get("/")).status).to.equal(200);
    const own = await signedInAs(service.url, reader.mail);
    const forged = await own.post("/sessions/end", { of: owner.id });
    expect([forged.status, (await client.get("/")).status]).to.deep.equal([303, 200]);
    await press(own, await open(own, "/people"), "/sessions/end");
    expect((await own.get("/")).location).to.include("/sign-in");
  });

  it("has an entry in the audit log of whoever joins, and of changes of the own sign-in, without a secret", async () => {
    const { path } = await invite({ name: "Ada" });
    const visitor = webClient(service.url);
    await accept(path, {}, visitor);
    const own = await open(visitor, "/people/own");
    const secret = String(own("#field-secret").val()).replaceAll(" ", "");
    const factor = hotp(fromBase32(secret), Math.floor(now.getTime() / 30_000));
    await press(visitor, own, "/people/own/factor", { factor, password_old: PASSWORD });
    const changed = { password_now: PASSWORD, password: "another long one", password_again: "another long one" };
    await press(visitor, await open(visitor, "/people/own"), "/people/own/password", changed);
    const off = await open(visitor, "/people/own");
    await press(visitor, off, "/people/own/factor/end", { password_old: "another long one" });
    const rows = await database.db
      .selectFrom("audit_entries")
      .select(["verb", "who", "target_name", "changes", "address", "request_id"])
      .where("who_name", "=", "Ada")
      .orderBy("id")
      .execute();
    expect(rows.map(({ verb }) => verb)).to.deep.equal([
      ...["accepted an invitation", "signed in", "set up a second factor", "changed the own password"],
      "switched the second factor off",
    ]);
    for (const { who, address, request_id } of rows) {
      expect([who, address]).to.deep.equal(["person", "127.0.0.1"]);
      expect(request_id).to.match(/^[\w-]{8,}$/);
    }
    for (const text of [secret, PASSWORD, "another long one", "scrypt"])
      expect(JSON.stringify(rows)).to.not.include(text);
  });

  it("shows readers and editors the own sign-in alone, and takes no form about others of them", async () => {
    for (const role of ["reader", "editor"] as const) {
      const person = await personWithToken(database, accountId, role);
      const theirs = await signedInAs(service.url, person.mail);
      const page = await open(theirs, "/people");
      expect(page.html()).to.not.include(owner.mail);
      expect(page("#invite").length).to.equal(0);
      expect((await theirs.get(`/people/${owner.id}`)).status).to.equal(403);
      for (const path of ["/people", `/people/${owner.id}`, `/people/${owner.id}/remove`])
        expect((await theirs.post(path, { mail: "x@example.org", role: "owner" })).status, path).to.equal(403);
      const sessions = await service.as(owner.token)("GET", `/sessions?filter[person_id]=${owner.id}`);
      expect((await theirs.post(`/sessions/${sessions.json.data[0]?.id}/end`, {})).status).to.equal(404);
    }
  });

  it("keeps one account's people from another's owners", async () => {
    const other = await accountWithToken(database);
    const stranger = await personWithToken(database, other.accountId, "owner");
    const theirs = await signedInAs(service.url, stranger.mail);
    expect((await theirs.get("/people")).html).to.not.include(owner.mail);
    expect((await theirs.get(`/people/${owner.id}`)).status).to.equal(404);
    expect((await theirs.post(`/people/${owner.id}/remove`, {})).status).to.equal(404);
  });

  it("sets up a second factor, with the password, and signs other browsers out", async () => {
    const elsewhere = await signedInAs(service.url, owner.mail);
    const page = await open(client, "/people/own");
    const secret = String(page("#field-secret").val()).replaceAll(" ", "");
    const code = () => hotp(fromBase32(secret), Math.floor(now.getTime() / 30_000));
    const link = page('a[href^="otpauth:"]').attr("href");
    expect(link).to.include(secret);
    expect(readQrCode(page("svg.qr")), "the QR code").to.equal(link);
    const without = await press(client, page, "/people/own/factor", {
      factor: code(),
      password_old: "not my password",
    });
    expect(textOf(without, "#error-password_old")).to.include("not your password");
    const wrong = await press(client, page, "/people/own/factor", { factor: "000000", password_old: PASSWORD });
    expect(textOf(wrong, "#error-factor")).to.include("not the code of now");
    expect(
      (await press(client, page, "/people/own/factor", { factor: code(), password_old: PASSWORD })).status,
    ).to.equal(303);
    expect((await elsewhere.get("/")).location).to.include("/sign-in");
    const { totp_secret } = await database.db
      .selectFrom("people")
      .select("totp_secret")
      .where("id", "=", owner.id)
      .executeTakeFirstOrThrow();
    expect(totp_secret?.toString("latin1")).to.not.include(secret);
    now = new Date(now.getTime() + 30_000);
    const visitor = webClient(service.url);
    const asked = await press(visitor, await open(visitor, "/sign-in"), "/sign-in", {
      mail: owner.mail,
      password: PASSWORD,
    });
    expect((await press(visitor, asked, "/sign-in", { factor: code() })).status).to.equal(303);
    const end = await press(visitor, await open(visitor, "/people/own"), "/people/own/factor/end", {
      password_old: PASSWORD,
    });
    expect(end.location).to.equal("/people?done=factorOff");
  });

  it("changes the password of whoever knows it, in a form of this session alone", async () => {
    const page = await open(client, "/people/own");
    const change = { password: "another long one", password_again: "another long one" };
    expect(
      (await press(client, page, "/people/own/password", { ...change, password_now: "not my password" })).status,
    ).to.equal(422);
    expect(
      (await press(client, page, "/people/own/password", { ...change, password_now: PASSWORD, csrf: "x" })).status,
    ).to.equal(403);
    expect((await press(client, page, "/people/own/password", { ...change, password_now: PASSWORD })).status).to.equal(
      303,
    );
    await signedInAs(service.url, owner.mail, "another long one");
  });
});
