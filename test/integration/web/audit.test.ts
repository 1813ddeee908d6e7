import { expect } from "chai";
import { sql } from "kysely";
import { guestWithToken } from "../../support/api.ts";
import { open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn } from "../../support/web-service.ts";

describe("The page of the audit log", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  const log = (query = "") => open(scene.client, `/audit${query}`);
  const call = (method: string, path: string, attributes?: object) =>
    scene.service.as(scene.token)(method, path, attributes && { attributes });
  const newest = async () => (await call("GET", "/audit?page[size]=1")).json.data[0];

  it("says what was changed, by whom, on what and from where, and leads to it", async () => {
    await press(scene.client, await open(scene.client, "/kept"), "/kept", { report_days: "365" });
    const page = await log();
    expect(textOf(page, "tbody tr:first-child")).to.include("changed what is kept").and.to.include("browser");
    const entry = await newest();
    const shown = await open(scene.client, page("tbody th a").first().attr("href") ?? "");
    expect(textOf(shown, "[aria-labelledby=entry]"))
      .to.include("report_days")
      .and.to.include("365")
      .and.to.include(String(entry?.attributes.request_id));
    expect(shown("[aria-labelledby=entry] a[href='/kept']").text()).to.equal("The retention as it is now");
  });

  it("names what is secret without its value", async () => {
    const { json } = await store();
    await call("PATCH", `/basic_auths/${json.data.id}`, { password: "correct horse" });
    const page = await log(`?entry=${(await newest())?.id}`);
    expect(textOf(page, "[aria-labelledby=entry]")).to.include("password").and.to.include("not shown, but changed");
    expect(page.html()).not.to.include("correct horse");
  });

  const store = () => call("POST", "/basic_auths", { host: "example.com", username: "ada", password: "hunter2" });
  const keep = () => call("PATCH", "/retention", { report_days: 365 });

  it("finds by words, kind, site and day, and says when there is nothing", async () => {
    await store();
    await keep();
    expect(textOf(await log("?what=credentials&q=EXAMPLE.com"), "main")).to.include("stored credentials");
    expect(textOf(await log("?q=nothing-has-this"), "main")).to.include("Nothing found");
    expect(textOf(await log("?from=2020-01-01&to=2020-01-02"), "main")).to.include("Nothing found");
    const today = new Date().toISOString().slice(0, 10);
    expect(textOf(await log(`?from=${today}&to=${today}&what=kept`), "main")).to.include("changed what is kept");
    // What no form sends is no filter.
    expect(textOf(await log("?from=yesterday&who=nobody&what=all&token=1"), "main")).to.include("stored credentials");
  });

  it("says how many entries are kept, with counts by who that add up to it, whatever is filtered", async () => {
    await sql`
      insert into audit_entries (account_id, at, who, who_name, operation, verb, area, via)
      select ${scene.accountId}, now() - n * interval '1 hour',
        case when n % 10 = 0 then 'person' else 'service' end, 'Web team', 'x', 'did', 'runs', 'api'
      from generate_series(1, 12000) n`.execute(scene.database.db);
    await keep();
    const kept = (await call("GET", "/audit?filter[area]=kept")).json.meta;
    expect(kept).to.deep.include({ num_kept: 12_002, counts: { token: 1 } });
    const all = await log();
    expect(textOf(all, "[aria-labelledby=log]")).to.include("12,002 entries since");
    const chips = all(".chips a")
      .toArray()
      .map((chip) => Number(all(chip).text().replace(/\D/g, "")));
    expect(chips).to.deep.equal([12_002, 1_200, 2, 10_800]);
    expect(textOf(all, "main")).to.include("of 12,002 entries");
    const people = await log("?who=person&what=runs");
    expect(textOf(people, "[aria-labelledby=log]"))
      .to.include("12,002 entries since")
      .and.to.include("of 1,200 entries");
  });

  it("says that others did what nobody of this kind did, and shows it", async () => {
    await keep();
    const page = await log("?who=person&what=kept");
    expect(textOf(page, "main")).to.include("Nothing found").and.to.include("1 entry of others");
    const shown = await open(scene.client, page("main a:contains('Show them, too')").attr("href") ?? "");
    expect(textOf(shown, "tbody")).to.include("changed what is kept");
  });

  it("says when the oldest entry goes, how many are about the same, and what it is now", async () => {
    const { json } = await store();
    await call("PATCH", `/basic_auths/${json.data.id}`, { password: "correct horse" });
    const page = await log(`?entry=${(await newest())?.id}`);
    expect(textOf(page, "[aria-labelledby=entry]"))
      .to.include("The basic auth as it is now")
      .and.to.include("All 2 entries about it");
    const goes = new Date(Date.now() + 730 * 86_400_000).toISOString().slice(0, 10);
    expect(page("[aria-labelledby=kept] time").attr("datetime")).to.include(goes);
  });

  it("has who signed in", async () => {
    await signedIn({ url: scene.service.url, token: scene.token });
    expect(textOf(await log("?what=sign-ins"), "tbody"))
      .to.include("signed in")
      .and.to.include("127.0.0.1");
  });

  it("is exported as it is filtered", async () => {
    await store();
    await keep();
    const page = await log("?what=credentials");
    const { html } = await scene.client.get(page(".choices a[href*='export.csv']").attr("href") ?? "");
    expect(html).to.include("stored credentials").and.not.to.include("changed what is kept");
  });

  it("shows names as text, whatever is in them", async () => {
    const name = '<img src=x onerror="alert(1)">\n=1+1';
    await call("POST", "/api_tokens", { name: name.replace("\n", " "), scope: "read" });
    const page = await log("?what=tokens");
    expect(page("tbody img").length).to.equal(0);
    expect(textOf(page, "tbody")).to.include("<img src=x");
  });

  it("has nothing for guests, and no entry of another account", async () => {
    const { token } = await guestWithToken(scene.database, scene.accountId);
    const guest = await signedIn({ url: scene.service.url, token });
    expect((await guest.get("/audit")).status).to.equal(403);
    await keep();
    expect((await scene.client.get("/audit?entry=999999999")).status).to.equal(404);
    expect((await scene.client.get("/audit?entry=x")).status).to.equal(404);
  });
});
