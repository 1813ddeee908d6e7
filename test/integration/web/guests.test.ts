import { expect } from "chai";
import { load } from "cheerio";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, type Document, guestWithToken, type TestApi } from "../../support/api.ts";
import type { TestDatabase } from "../../support/database.ts";
import { errorOf, open, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

describe("Guests' pages", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;
  signedInToPages((scene) => {
    ({ database, service, accountId, token, client } = scene);
  });

  const guests = async (): Promise<Document["data"]> => (await service.as(token)("GET", "/guest_accounts")).json.data;
  /** @returns the path of the guest's page */
  async function invite(max_usage = "50"): Promise<string> {
    const { location } = await press(client, await open(client, "/guests"), "/guests", { max_usage });
    return location?.split("?")[0] ?? "";
  }
  const forms = ["", "/reset", "/delete"];

  it("say what a guest is when there is none", async () => {
    expect(textOf(await open(client, "/guests")))
      .to.include("No guests yet")
      .and.to.include("Invite a guest");
  });

  it("make an invitation, show its link to copy, and forget it once it is accepted", async () => {
    const path = await invite();
    const page = await open(client, path);
    const link = String(page("#field-invitation").val());
    expect(link).to.equal((await guests())[0]?.attributes.invitation_url);
    expect(page('button[data-copy="field-invitation"]').text()).to.equal("Copy");
    await service.as(undefined)("POST", `/invitations/${link.split("/").at(-1)}`, {
      attributes: { name: "Ada <b>", email: "ada@example.com" },
    });
    const accepted = await open(client, path);
    expect(accepted("#field-invitation").length).to.equal(0);
    expect(accepted("h1").text()).to.equal("Ada <b>");
    expect(textOf(await open(client, "/guests"), "tbody"))
      .to.include("Ada <b>")
      .and.to.include("ada@example.com");
  });

  it("arrive on the pages when they accept, by a form that keeps their token out of addresses", async () => {
    const { json } = await service.as(token)("POST", "/guest_accounts", { attributes: { max_usage: 5 } });
    const body = new URLSearchParams({ name: "Ada", email: "ada@example.org" });
    const accepted = await fetch(String(json.data.attributes.invitation_url), { method: "POST", body });
    const page = load(await accepted.text());
    const form = page("form");
    const to = new URL(form.attr("action") ?? "", accepted.url);
    expect([form.attr("method"), to.href]).to.deep.equal(["post", `${service.url}/sign-in`]);
    const fields = new URLSearchParams({ token: String(form.find("input").val()) });
    const signed = await fetch(to, { method: "POST", body: fields, redirect: "manual" });
    expect([signed.status, signed.headers.get("location")]).to.deep.equal([303, "/"]);
    const cookie = String(signed.headers.get("set-cookie")).split(";")[0] ?? "";
    const home = load(await (await fetch(service.url, { headers: { cookie } })).text());
    expect(home("h1").text()).to.equal("Sites");
  });

  it("make one invitation of a form that is sent twice", async () => {
    const form = await open(client, "/guests");
    const twice = await Promise.all([1, 2].map(() => press(client, form, "/guests")));
    expect(twice[0]?.location).to.equal(twice[1]?.location);
    expect(await guests()).to.have.length(1);
  });

  it("show and change a guest's limit, and set its usage to 0", async () => {
    const path = await invite("200");
    const { id } = (await guests())[0] ?? { id: "" };
    await service.as(token)("PATCH", `/guest_accounts/${id}`, { attributes: { current_usage: 150 } });
    expect(textOf(await open(client, "/guests"), "tbody")).to.include("150 of 200");
    const page = await open(client, path);
    expect(textOf(page)).to.include("150 of 200");
    expect((await press(client, page, path, { max_usage: "300" })).location).to.equal(`${path}?done=saved`);
    expect((await press(client, page, `${path}/reset`)).location).to.equal(`${path}?done=reset`);
    expect((await guests())[0]?.attributes).to.include({ max_usage: 300, current_usage: 0 });
  });

  it("put a refused limit beside its field, and keep what was typed", async () => {
    const path = await invite();
    for (const [address, typed] of [
      [path, "0"],
      [path, ""],
      ["/guests", "-5"],
    ] as const) {
      const page = await press(client, await open(client, address), address, { max_usage: typed });
      expect(page.status).to.equal(422);
      expect(errorOf(page, "max_usage")).to.include("“Maximum credits per month”");
      expect(page('[name="max_usage"]').val()).to.equal(typed);
    }
    expect(await guests()).to.have.length(1);
  });

  it("delete a guest", async () => {
    const path = await invite();
    expect((await press(client, await open(client, path), `${path}/delete`)).location).to.equal("/guests?done=deleted");
    expect(await guests()).to.deep.equal([]);
    expect((await open(client, path)).status).to.equal(404);
  });

  it("are hidden from guests, and refused", async () => {
    const path = await invite();
    const guest = await guestWithToken(database, accountId);
    const guestClient = await signedIn({ url: service.url, token: guest.token });
    expect((await open(guestClient, "/"))('header a[href="/guests"]').length).to.equal(0);
    expect((await open(client, "/"))('header a[href="/guests"]').length).to.equal(1);
    expect((await open(guestClient, path)).status).to.equal(404);
    for (const address of ["/guests", `/guests/${guest.guestToken}`]) {
      const page = await open(guestClient, address);
      expect(page.status, address).to.equal(403);
      expect(textOf(page), address).to.include("Only the host account");
    }
    expect((await guestClient.post("/guests", { max_usage: "5" })).status).to.equal(403);
    for (const form of forms) {
      const own = await guestClient.post(`/guests/${guest.guestToken}${form}`, { max_usage: "5000" });
      expect(own.status, form).to.equal(403);
      expect((await guestClient.post(path + form, { max_usage: "5" })).status, form).to.equal(404);
    }
    expect(await guests()).to.have.length(2);
  });

  it("are not there for another account", async () => {
    const path = await invite();
    const other = await signedIn({ url: service.url, token: (await accountWithToken(database)).token });
    expect((await open(other, path)).status).to.equal(404);
    for (const form of forms) expect((await other.post(path + form, { max_usage: "5" })).status, form).to.equal(404);
    expect((await guests())[0]?.attributes.max_usage).to.equal(50);
  });

  it("change nothing for a token that only reads, say so, and keep invitations secret", async () => {
    const path = await invite();
    const { token: readToken } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    const reader = await signedIn({ url: service.url, token: readToken });
    const page = await open(reader, "/guests");
    expect(textOf(page)).to.include("can only read");
    expect(page('main form[method="post"]').length).to.equal(0);
    expect((await open(reader, path)).status).to.equal(404);
    for (const form of ["/guests", ...forms.map((form) => path + form)])
      expect((await reader.post(form, { max_usage: "5" })).status, form).to.equal(403);
    expect(await guests()).to.have.length(1);
  });

  it("refuse forms of other sites", async () => {
    const path = await invite();
    for (const form of ["/guests", ...forms.map((form) => path + form)])
      expect((await client.post(form, { csrf: "x", max_usage: "5" })).status, form).to.equal(403);
    expect(await guests()).to.have.length(1);
  });
});
