import { expect } from "chai";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, type Document, guestWithToken, type TestApi } from "../../support/api.ts";
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
  const create = async (name: string, scope = "read") =>
    press(client, await open(client, "/tokens"), "/tokens", { name, scope });
  const revoking = async (name: string) =>
    `/tokens/${(await tokens()).find(({ attributes }) => attributes.name === name)?.id}/revoke`;

  it("shows a new token once, on a page that nothing stores", async () => {
    const page = await create("Pipeline <b>", "write");
    expect(page.status).to.equal(201);
    expect(page.location).to.equal(null);
    expect(page.headers.get("cache-control")).to.equal("no-store");
    const secret = String(page("#field-token").val());
    expect((await service.as(secret)("GET", "/usage")).status).to.equal(200);
    const list = await open(client, "/tokens");
    expect(list.html()).to.not.include(secret);
    expect(textOf(list, "tbody")).to.include("Pipeline <b>").and.to.include("Read and write");
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
    expect(errorOf(empty, "name")).to.include("“What it is for”");
    const reserved = await create("first", "write");
    expect(errorOf(reserved, "name")).to.include("reserved");
    expect(reserved('[name="name"]').val()).to.equal("first");
    expect(reserved('[name="scope"]').val()).to.equal("write");
    expect(errorOf(await create("x", "everything"), "scope")).to.include("“What it may do”");
    expect(await tokens()).to.have.length(1);
  });

  it("revokes a token at once", async () => {
    const secret = String((await create("Old"))("#field-token").val());
    const action = await revoking("Old");
    const { location } = await press(client, await open(client, "/tokens"), action);
    expect(location).to.equal("/tokens?done=revoked");
    expect((await service.as(secret)("GET", "/usage")).status).to.equal(401);
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
