import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { siteIdOf } from "../../../src/database/reports/site-key.ts";
import { accountWithToken, type Document, guestWithToken, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import type { TestDatabase } from "../../support/database.ts";
import { errorOf, open, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

describe("Tokens' page", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;
  signedInToPages((scene) => {
    ({ database, service, accountId, token, client } = scene);
  });

  const tokens = async (): Promise<Document["data"]> => (await service.as(token)("GET", "/api_tokens")).json.data;
  const create = async (name: string, may = "read", more: Record<string, string> = {}) =>
    press(client, await open(client, "/tokens"), "/tokens", { name, may, ...more });
  const revoking = async (name: string) =>
    `/tokens/${(await tokens()).find(({ attributes }) => attributes.name === name)?.id}/revoke`;

  it("shows a new token once, on a page that nothing stores", async () => {
    const page = await create("Pipeline <b>", "all");
    expect(page.status).to.equal(201);
    expect(page.location).to.equal(null);
    expect(page.headers.get("cache-control")).to.equal("no-store");
    const secret = String(page("#field-token").val());
    expect((await service.as(secret)("GET", "/usage")).status).to.equal(200);
    const list = await open(client, "/tokens");
    expect(list.html()).to.not.include(secret);
    expect(textOf(list, "tbody")).to.include("Pipeline <b>").and.to.include("everything but people");
    expect(textOf(list, "tbody")).to.include(`${secret.slice(0, 8)}…${secret.slice(-3)}`);
  });

  it("creates one token of a form that is sent twice, and shows it both times", async () => {
    const form = await open(client, "/tokens");
    const first = await press(client, form, "/tokens", { name: "Twice" });
    const second = await press(client, form, "/tokens", { name: "Twice" });
    expect(second("#field-token").val()).to.equal(first("#field-token").val());
    expect(await tokens()).to.have.length(2);
  });

  it("gives no token of a form to anybody else who sends its key", async () => {
    const form = await open(client, "/tokens");
    const first = await press(client, form, "/tokens", { name: "Mine" });
    const other = await signedIn({ url: service.url, token: (await accountWithToken(database)).token });
    const theirs = await press(other, await open(other, "/tokens"), "/tokens", {
      ...{ name: "Mine", key: String(form('main [name="key"]').last().val()) },
    });
    expect(theirs.status).to.equal(201);
    expect(theirs("#field-token").val()).to.not.equal(first("#field-token").val());
  });

  it("puts each refusal beside its field", async () => {
    const empty = await create(" ");
    expect(empty.status).to.equal(422);
    expect(errorOf(empty, "name")).to.include("“Name”");
    const reserved = await create("first", "write", { sites: "tags", site_tags: "shop, town" });
    expect(errorOf(reserved, "name")).to.include("reserved");
    expect(reserved('[name="name"]').val()).to.equal("first");
    expect(reserved('[name="may"][checked]').val()).to.equal("write");
    expect(reserved('[name="site_tags"]').val()).to.equal("shop, town");
    expect(textOf(await create("x", "everything"), "#error-may")).to.include("“It may”");
    expect(errorOf(await create("x", "read", { sites: "tags", site_tags: " , " }), "site_tags")).to.include("“Tags”");
    expect(errorOf(await create("x", "read", { sites: "these" }), "site_urls")).to.include("“Sites”");
    expect(await tokens()).to.have.length(1);
  });

  it("makes a token for single sites, and says which", async () => {
    const shop = "https://shop.example.com/";
    await insertReport(database.db, { accountId, spec: { startingUrl: shop } });
    const id = siteIdOf(shop);
    await service.as(token)("PATCH", `/sites/${id}`, { attributes: { name: "Market hall shop" } });
    const made = await create("CI of the shop", "run", { sites: "these", site_urls: shop, site_tags: "not sent" });
    expect(textOf(made, ".strip")).to.match(/“CI of the shop” was made. It may start runs on Market hall shop, until /);
    const tagged = await create("CI of the town", "read", { sites: "tags", site_tags: "town, port" });
    expect(textOf(tagged, ".strip")).to.include("It may read on sites with the tag town or port, until");
    const list = textOf(await open(client, "/tokens"), "tbody");
    expect(list).to.include("start runs, up to 50 pages").and.to.include("Market hall shop");
    expect(list).to.include("sites with the tag town or port").and.to.include("the 1 site");
    const [named] = (await tokens()).filter(({ attributes }) => attributes.name === "CI of the shop");
    expect(named?.attributes).to.deep.include({ may: ["run"], site_urls: [shop], site_tags: null });
  });

  it("revokes a token at once", async () => {
    const secret = String((await create("Old"))("#field-token").val());
    const action = await revoking("Old");
    await service.as(secret)("GET", "/usage");
    const said = await press(client, await open(client, "/tokens"), action);
    expect(textOf(said, ".strip")).to.match(
      /“Old” was revoked. Programs that use it get 401 from now on. It was used once in the last 30 days, last on .*In the audit log/s,
    );
    expect(said('.strip a[href^="/audit?token="]').length).to.equal(1);
    expect((await service.as(secret)("GET", "/usage")).status).to.equal(401);
  });

  it("says when and from where a token was used, how often, and when it ends", async () => {
    const made = await createToken(database.db, {
      ...{ accountId, name: "CI", scope: "read" },
      expiresAt: new Date(Date.now() + 4.5 * 86_400_000),
    });
    await service.as(made.token)("GET", "/usage");
    const row = (page: Awaited<ReturnType<typeof open>>, name: string) =>
      page(`tbody tr:has(th:contains("${name}"))`).text().replace(/\s+/g, " ");
    const list = await open(client, "/tokens");
    expect(row(list, "CI"))
      .to.match(/from 127\.0\.0\.1, 1 time in 30 days/)
      .and.to.include("in 4 days");
    expect(list(`tbody a[href="/audit?token=${made.id}"]`).length).to.equal(2);
    expect(textOf(list, ".seg")).to.match(/all 2.*end soon 1.*not used for 90 days 0/s);
    const soon = await open(client, "/tokens?show=soon");
    expect(textOf(soon, "tbody")).to.include("CI").and.to.not.include("test");
    const { location } = await press(client, list, `/tokens/${made.id}/longer`);
    expect(location).to.equal("/tokens?done=saved");
    expect(row(await open(client, "/tokens"), "CI")).to.not.include("in 4 days");
    await database.db.updateTable("api_tokens").set({ expires_at: new Date() }).where("id", "=", made.id).execute();
    expect(row(await open(client, "/tokens"), "CI")).to.include("over");
    expect((await service.as(made.token)("GET", "/usage")).status).to.equal(401);
  });

  it("gives a token a new secret with the same rights, and the one before is not accepted any more", async () => {
    const made = await createToken(database.db, { accountId, name: "CI", scope: "read" });
    const page = await press(client, await open(client, "/tokens"), `/tokens/${made.id}/secret`);
    expect(textOf(page, ".strip")).to.include("“CI” has a new secret").and.to.include("It may read");
    const secret = String(page("#field-token").val());
    expect((await service.as(made.token)("GET", "/usage")).status).to.equal(401);
    expect((await service.as(secret)("GET", "/usage")).status).to.equal(200);
  });

  it("signs out who revokes the token of the session, and says so", async () => {
    await createToken(database.db, { accountId, name: "other", scope: "write" });
    const page = await open(client, "/tokens");
    expect(textOf(page, "tbody")).to.include("You are signed in with this token");
    const { location } = await press(client, page, await revoking("test"));
    expect(location).to.equal("/sign-in?ended=1");
    expect(textOf(await open(client, location ?? ""))).to.include("You are signed out");
    expect((await open(client, "/")).location).to.match(/^\/sign-in/);
    expect(client.cookie()).to.equal("");
  });

  it("shows a guest its own tokens only, and the host whose they are", async () => {
    const guest = await guestWithToken(database, accountId);
    const guestClient = await signedIn({ url: service.url, token: guest.token });
    expect(textOf(await open(guestClient, "/tokens"), "tbody")).to.not.include("test");
    expect((await guestClient.post(await revoking("test"), {})).status).to.equal(404);
    const list = await open(client, "/tokens");
    expect(list(`tbody a[href="/guests/${guest.guestToken}"]`).length).to.equal(1);
  });

  it("revokes no token of another account", async () => {
    const other = await signedIn({ url: service.url, token: (await accountWithToken(database)).token });
    expect((await other.post(await revoking("test"), {})).status).to.equal(404);
    expect(await tokens()).to.have.length(1);
  });

  it("changes nothing for a token that only reads, and says so", async () => {
    const { token: readToken } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    const reader = await signedIn({ url: service.url, token: readToken });
    const page = await open(reader, "/tokens");
    expect(textOf(page)).to.include("can only read");
    expect(page('main form[method="post"]').length).to.equal(0);
    expect((await reader.post("/tokens", { name: "x", scope: "write" })).status).to.equal(403);
    expect((await reader.post(await revoking("test"), {})).status).to.equal(403);
    expect(await tokens()).to.have.length(2);
  });

  it("refuses forms of other sites", async () => {
    expect((await client.post("/tokens", { csrf: "", name: "x" })).status).to.equal(403);
    expect((await client.post(await revoking("test"), { csrf: "" })).status).to.equal(403);
    expect(await tokens()).to.have.length(1);
  });
});
