import { expect } from "chai";
import { sql } from "kysely";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, type Document, guestWithToken, type TestApi } from "../../support/api.ts";
import { readReport } from "../../support/check-counts.ts";
import { NOW, runReport } from "../../support/compared-sites.ts";
import type { TestDatabase } from "../../support/database.ts";
import { muteOnly } from "../../support/mute.ts";
import { recountAll } from "../../support/mutings.ts";
import { errorOf, open, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

/** In a week: mutings end soon that end within two. */
const soon = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

describe("Mutings' pages", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;
  signedInToPages((scene) => {
    ({ database, service, accountId, token, client } = scene);
  });

  const mutings = async (): Promise<Document["data"]> => (await service.as(token)("GET", "/mutings")).json.data;
  const report = () =>
    runReport(database.db, accountId, {
      "/": ["img-alt img a", "img-alt img b", "label input c"],
      "/two": ["img-alt img d"],
    });
  const numbers = (page: Awaited<ReturnType<typeof open>>) =>
    page(".preview dd")
      .toArray()
      .map((element) => page(element).text());
  async function create(filled: Record<string, string>): Promise<string> {
    await press(client, await open(client, "/mutings/new"), "/mutings/new", filled);
    return `/mutings/${(await mutings()).at(-1)?.id}`;
  }

  it("say what a muting is for when there is none", async () => {
    expect(textOf(await open(client, "/mutings")))
      .to.include("Nothing is muted")
      .and.to.include("New muting");
  });

  it("list what is muted by the title of its rule, who muted it, and how many findings that is now", async () => {
    await report();
    await report();
    const first = await create({ rule: "img-alt", comment: "Decoration", category: "accepted" });
    await create({ message: "nothing has this", url_match: "//example.com/", category: "later", expires_at: soon });
    await recountAll(database.db);
    const page = await open(client, "/mutings");
    const rows = page("tbody tr")
      .toArray()
      .map((row) => page(row).text().replace(/\s+/g, " ").trim());
    // Of the newest report of the site alone.
    expect(rows[0]).to.match(/img-alt.*accepted.*Decoration.*test.*Never.*3/i);
    expect(rows[1]).to.match(/nothing has this.*later.*0/i);
    expect(textOf(page)).to.include("3 findings are muted now");
    const chips = page(".chip")
      .toArray()
      .map((chip) => page(chip).text().replace(/\s+/g, " ").trim());
    expect(chips).to.include.members(["all 2", "Accepted 1", "Later 1", "Ends soon 1", "Matches nothing 1"]);
    for (const [query, shown] of [
      ["category=accepted", 1],
      ["state=matches_nothing", 1],
      ["state=ends_soon", 1],
      ["q=decor", 1],
      ["q=nowhere", 0],
    ] as const)
      expect((await open(client, `/mutings?${query}`))("tbody tr").length, query).to.equal(shown);
    expect(textOf(await open(client, "/mutings?q=nowhere"))).to.include("No muting matches");
    const edit = await open(client, first);
    expect(textOf(edit)).to.include("img-alt").and.to.include("3 findings are muted by it now");
  });

  it("say since which run they silence nothing, if they ever did", async () => {
    const days = (n: number) => new Date(Date.now() - n * 86_400_000);
    const run = (found: string[], ago: number) =>
      runReport(database.db, accountId, { "/": [...found, "label input c"] }, { at: days(ago) });
    await run(["img-alt img a"], 30);
    await run([], 20);
    await run([], 10);
    await create({ rule: "img-alt" });
    await create({ rule: "never-found" });
    await recountAll(database.db);
    const page = await open(client, "/mutings");
    const [gone, never] = page("tbody tr")
      .toArray()
      .map((row) => page(row).find("td").last());
    expect(gone?.text()).to.match(/0 since \d+ \w{3}$/);
    expect(gone?.find("time").attr("datetime")?.slice(0, 10)).to.equal(days(20).toISOString().slice(0, 10));
    expect(never?.text().trim()).to.equal("0");
  });

  it("show what a muting would silence before it is created, and keep what was typed", async () => {
    const id = await report();
    const form = await open(client, `/mutings/new?report_id=${id}`);
    const page = await press(client, form, "/mutings/new", { rule: "img-alt", comment: "Decoration", do: "preview" });
    expect(page.status).to.equal(200);
    expect(numbers(page)).to.deep.equal(["3", "2", "2"]);
    expect(textOf(page, ".preview")).to.include("3 findings on 2 pages").and.to.include("In one report");
    expect(page('[name="rule"]').val()).to.equal("img-alt");
    expect(page('[name="comment"]').text()).to.equal("Decoration");
    expect(page(".problems").length).to.equal(0);
    expect(await mutings()).to.deep.equal([]);
    await press(client, page, "/mutings/new");
    expect((await mutings())[0]?.attributes).to.include({ rule: "img-alt", comment: "Decoration", expires_at: null });
  });

  it("fill in what a link from an issue names, show at once what that mutes, and lead back", async () => {
    const id = await report();
    const { json } = await service.as(token)("GET", `/reports/${id}/common_html_issues`);
    const issue = await open(client, `/reports/${id}/issues/html/${json.data[0]?.id}`);
    const link = issue('main a:contains("Mute")').attr("href") ?? "";
    const form = await open(client, link);
    expect(numbers(form)).to.have.length(3);
    const { location } = await press(client, form, "/mutings/new");
    expect(location).to.equal(`/reports/${id}/issues/html/${json.data[0]?.id}?done=muted`);
    expect(textOf(await open(client, location ?? ""), ".done")).to.include("The findings are muted");
    expect(await mutings()).to.have.length(1);
  });

  it("are followed by the report's result, as it is now", async () => {
    const id = await report();
    const result = async () => textOf(await open(client, `/reports/${id}/issues?done=muted`), ".done");
    expect(await result()).to.include("The report now: No limits set: 4 errors");
    await database.db
      .updateTable("reports")
      .set({ passed: false, gate_results: JSON.stringify([]) })
      .execute();
    expect(await result()).to.include("The report now: Not passed");
    expect(textOf(await open(client, `/reports/${id}/issues`))).to.not.include("The report now");
  });

  /** The same faults on another site, which is another host. */
  async function onOtherSite(): Promise<string> {
    const id = await report();
    await sql`update reports set starting_url = 'https://example.org/', domain = 'example.org' where id = ${id}`.execute(
      database.db,
    );
    await sql`update web_pages set url = replace(url, 'example.com', 'example.org') where report_id = ${id}`.execute(
      database.db,
    );
    return id;
  }

  it("silence what is muted from a report on its site alone, and show every site that a wider one would touch", async () => {
    const other = await onOtherSite();
    const id = await report();
    const { json } = await service.as(token)("GET", `/reports/${id}/common_html_issues`);
    const issue = await open(client, `/reports/${id}/issues/html/${json.data[0]?.id}`);
    const form = await open(client, issue('main a:contains("Mute")').attr("href") ?? "");
    expect(form('[name="url_match"]').val()).to.equal("//example.com/");
    expect(textOf(form, ".preview h3")).to.equal("It touches 1 site of 2, by their newest reports");
    expect(textOf(form, ".preview li")).to.equal("https://example.com/ 3 findings, 2 pages, 4 errors → 1");
    const wider = await press(client, form, "/mutings/new", { url_match: "", do: "preview" });
    expect(textOf(wider, ".preview h3")).to.include("2 sites of 2");
    expect(wider(`.preview a[href="/reports/${other}"]`).length).to.equal(1);
    await press(client, form, "/mutings/new");
    await recountAll(database.db);
    const errors = async (of: string) => (await readReport(database.db, of)).html_errors;
    expect([await errors(id), await errors(other)]).to.deep.equal([1, 4]);
  });

  it("say on which sites a report would pass, or not, that does now", async () => {
    let runs = 0;
    const limited = (maxErrors: number) => {
      runs += 1;
      const at = new Date(NOW.getTime() + runs * 60_000);
      const page = { "/": ["img-alt img a", "label input c"] };
      return runReport(database.db, accountId, page, { at, spec: { gate: { maxErrors } } });
    };
    const preview = async () => {
      const page = await open(client, "/mutings/new?rule=img-alt");
      return [textOf(page, ".preview h3 + p"), textOf(page, ".preview li")];
    };
    const site = "https://example.com/ 1 finding, 1 page, 2 errors → 1";
    await report();
    expect(await preview()).to.deep.equal([
      "No site's verdict changes.",
      site.replace("1 finding, 1 page, 2 errors", "3 findings, 2 pages, 4 errors"),
    ]);
    await limited(0);
    expect(await preview()).to.deep.equal(["No site's verdict changes.", `${site} Not passed`]);
    await limited(1);
    expect(await preview()).to.deep.equal(["The verdict of 1 site changes.", `${site} Not passed → Passed`]);
    await limited(2);
    expect(await preview()).to.deep.equal(["No site's verdict changes.", `${site} Passed`]);
  });

  it("offer, for a finding, its element or its rule, on its site or everywhere, each with what it would change", async () => {
    const id = await report();
    const { json } = await service.as(token)("GET", `/reports/${id}/components?filter[rule]=img-alt`);
    const component = json.data[0]?.id ?? "";
    const form = await open(client, `/mutings/new?component=${component}&url_match=//example.com/&report_id=${id}`);
    const choices = (page: typeof form) =>
      page("nav a.choice")
        .toArray()
        .map((link) => [page(link).contents().first().text(), page(link).attr("aria-current")]);
    expect(choices(form)).to.deep.equal([
      ["This element on this site", "true"],
      ["This element on all sites", undefined],
      ["This rule on this site", undefined],
      ["This rule everywhere", undefined],
    ]);
    expect(numbers(form)).to.deep.equal(["1", "1", "1"]);
    const rule = await open(client, form('a:contains("This rule everywhere")').attr("href") ?? "");
    expect(numbers(rule)).to.deep.equal(["3", "2", "2"]);
    expect(choices(rule)[3]).to.deep.equal(["This rule everywhere", "true"]);
    await press(client, rule, "/mutings/new");
    expect((await mutings())[0]?.attributes).to.include({ rule: "img-alt", component: null, url_match: null });
  });

  it("say why in a word, and want an end for what is fixed later", async () => {
    const form = await open(client, "/mutings/new");
    const refused = await press(client, form, "/mutings/new", { rule: "img-alt", category: "later" });
    expect(refused.status).to.equal(422);
    expect(errorOf(refused, "expires_at")).to.include("“Ends on” is required when category is later");
    await press(client, refused, "/mutings/new", { expires_at: "2999-12-31" });
    expect((await mutings())[0]?.attributes).to.include({ category: "later" });
    expect(textOf(await open(client, "/mutings"), "td .tag")).to.equal("Later");
  });

  it("say how many sites a preview has not looked at", async () => {
    const { db } = database;
    for (let n = 0; n < 52; n++) {
      const id = await runReport(db, accountId, { "/": ["img-alt img a"] });
      await sql`update reports set starting_url = ${`https://site-${n}.example/`} where id = ${id}`.execute(db);
    }
    const page = await open(client, "/mutings/new?rule=img-alt");
    expect(textOf(page, ".preview h3")).to.equal(
      "It touches 50 sites of the 50 that were looked at, by their newest reports",
    );
    expect(textOf(page, ".preview")).to.include("2 other sites were not looked at");
    const { json } = await service.as(token)("POST", "/mutings/preview", { attributes: { rule: "img-alt" } });
    expect(json.data.attributes).to.include({ reports: 50, num_sites: 52, complete: false });
  });

  it("name the site also from a part of an issue's list of pages that is beyond its end", async () => {
    const id = await report();
    const { json } = await service.as(token)("GET", `/reports/${id}/common_html_issues`);
    const issue = await open(client, `/reports/${id}/issues/html/${json.data[0]?.id}?page=9`);
    expect(issue('main a:contains("Mute")').attr("href")).to.include(encodeURIComponent("//example.com/"));
  });

  it("silence a component on all of its pages", async () => {
    const pages = Object.fromEntries(Array.from({ length: 42 }, (_, n) => [`/${n}`, ["img-alt img a"]]));
    const id = await runReport(database.db, accountId, { ...pages, "/other": ["img-alt img b"] });
    const { json } = await service.as(token)("GET", `/reports/${id}/components?filter[repeated]=true`);
    const component = await open(client, `/reports/${id}/components/${json.data[0]?.id}`);
    const form = await open(client, component('main a:contains("Mute")').attr("href") ?? "");
    expect(numbers(form)).to.deep.equal(["42", "42", "42"]);
    await press(client, form, "/mutings/new");
    await recountAll(database.db);
    expect((await readReport(database.db, id)).html_errors).to.equal(1);
    expect(textOf(await open(client, "/mutings"), "tbody")).to.include("The same element");
  });

  for (const [what, listed, path] of [
    ["an issue", "common_html_issues", "issues/html"],
    ["a component", "components", "components"],
  ] as const)
    it(`leave ${what} where it was, marked as muted, for whoever looks at it`, async () => {
      const id = await report();
      const { json } = await service.as(token)("GET", `/reports/${id}/${listed}`);
      const address = `/reports/${id}/${path}/${json.data[0]?.id}`;
      const shown = await open(client, address);
      expect(textOf(shown)).to.not.include("Muted");
      await muteOnly(database.db, accountId, String(json.data[0]?.attributes.message));
      const later = await open(client, address);
      expect(textOf(later, "main")).to.include("Muted");
      expect(later("main li").text()).to.include("https://example.com/");
      expect(later('main a:contains("Mute")').length).to.equal(0);
      const gone = await client.get(`/reports/${id}/${path}/${path === "components" ? "0".repeat(20) : "999999999"}`);
      expect(gone.status).to.equal(404);
    });

  it("are not the reason why an issue has no findings any more", async () => {
    const id = await report();
    const { json } = await service.as(token)("GET", `/reports/${id}/common_html_issues`);
    const issue = json.data[0]?.id;
    await sql`update common_issues set how_many = 0 where id = ${issue}`.execute(database.db);
    await sql`delete from issues where common_id = ${issue}`.execute(database.db);
    const page = await open(client, `/reports/${id}/issues/html/${issue}`);
    expect(textOf(page, "main")).to.include("0 findings").and.not.include("Muted");
  });

  it("lead nowhere but to pages of this service", async () => {
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "/\tx"]) {
      await client.get("/mutings/new");
      const { location } = await client.post("/mutings/new", { rule: "img-alt", next });
      expect(location, next).to.equal("/mutings?done=created");
    }
    await client.get("/mutings/new");
    const { location } = await client.post("/mutings/new", { rule: "img-alt", next: "/.//evil.example" });
    expect(new URL(location ?? "", service.url).host).to.equal(new URL(service.url).host);
  });

  it("mute until the end of a day, and leave the end as it is when nobody changes it", async () => {
    const path = await create({ rule: "img-alt", expires_at: "2999-12-30" });
    expect((await mutings())[0]?.attributes.expires_at).to.equal("2999-12-30T23:59:59");
    await service.as(token)("PATCH", path, { attributes: { expires_at: "2999-12-30T10:20:30" } });
    const form = await open(client, path);
    expect(form('[name="expires_at"]').val()).to.equal("2999-12-30");
    const { location } = await press(client, form, path, { reason: "Asked by Ada" });
    expect(location).to.equal("/mutings?done=saved");
    expect((await mutings())[0]?.attributes).to.include({
      ...{ expires_at: "2999-12-30T10:20:30", reason: "Asked by Ada", rule: "img-alt" },
    });
    await press(client, await open(client, path), path, { expires_at: "", reason: "" });
    expect((await mutings())[0]?.attributes).to.include({ expires_at: null, reason: null });
  });

  it("change what is muted, with the same preview", async () => {
    await report();
    const path = await create({ rule: "img-alt" });
    const page = await press(client, await open(client, path), path, { rule: "label", do: "preview" });
    expect(numbers(page)).to.deep.equal(["1", "1", "1"]);
    expect((await mutings())[0]?.attributes.rule).to.equal("img-alt");
    await press(client, page, path);
    expect((await mutings())[0]?.attributes.rule).to.equal("label");
    await recountAll(database.db);
    const again = await press(client, await open(client, path), path, { reason: "Known", do: "preview" });
    expect(numbers(again), "what it mutes now").to.deep.equal(["1", "1", "1"]);
  });

  it("put each refusal beside its field, also of a preview, and keep what was typed", async () => {
    const filled = { message: "too little", selector: "a:hover", expires_at: "2020-01-01", fingerprint: "xyz" };
    for (const button of [{}, { do: "preview" }]) {
      const page = await press(client, await open(client, "/mutings/new"), "/mutings/new", { ...filled, ...button });
      expect(page.status).to.equal(422);
      for (const name of ["selector", "expires_at", "fingerprint"]) {
        expect(errorOf(page, name), name).to.not.equal("");
        expect(page(`.problems a[href="#field-${name}"]`).length, name).to.equal(1);
        expect(page(`[name="${name}"]`).val(), name).to.equal(filled[name as keyof typeof filled]);
      }
    }
    expect(await mutings()).to.deep.equal([]);
  });

  it("ask for a message and an address when nothing else is filled in", async () => {
    const page = await press(client, await open(client, "/mutings/new"), "/mutings/new", { message: "Image" });
    expect(errorOf(page, "url_match")).to.include("“The page's address contains” is required");
  });

  it("list what is muted, why and until when, as text", async () => {
    await create({ rule: "img-alt", url_match: "/<b>shop</b>", comment: "<i>Known</i>", expires_at: "2999-12-30" });
    const page = await open(client, "/mutings");
    expect(textOf(page, "tbody")).to.include("Rule img-alt, Address /<b>shop</b>").and.to.include("<i>Known</i>");
    expect(page("tbody time").last().attr("datetime")).to.equal("2999-12-30T23:59:59Z");
  });

  it("create one muting of a form that is sent twice", async () => {
    const form = await open(client, "/mutings/new");
    await Promise.all([1, 2].map(() => press(client, form, "/mutings/new", { rule: "img-alt" })));
    expect(await mutings()).to.have.length(1);
  });

  it("delete a muting", async () => {
    const path = await create({ rule: "img-alt" });
    const { location } = await press(client, await open(client, path), `${path}/delete`);
    expect(location).to.equal("/mutings?done=deleted");
    expect(await mutings()).to.deep.equal([]);
  });

  it("are not there for another account, nor are its reports", async () => {
    const path = await create({ rule: "img-alt" });
    const id = await report();
    const other = await signedIn({ url: service.url, token: (await accountWithToken(database)).token });
    expect((await open(other, path)).status).to.equal(404);
    for (const form of [path, `${path}/delete`])
      expect((await other.post(form, { rule: "label" })).status, form).to.equal(404);
    expect((await other.post("/mutings/new", { rule: "a", do: "preview", report_id: id })).status).to.equal(404);
    expect((await open(other, `/mutings/new?rule=img-alt&report_id=${id}`))(".preview").length).to.equal(0);
    expect((await mutings())[0]?.attributes.rule).to.equal("img-alt");
  });

  it("show a guest its own mutings only, and the host whose they are", async () => {
    const path = await create({ rule: "img-alt" });
    const guest = await guestWithToken(database, accountId);
    const guestClient = await signedIn({ url: service.url, token: guest.token });
    expect((await open(guestClient, path)).status).to.equal(404);
    await guestClient.get("/mutings/new");
    await guestClient.post("/mutings/new", { rule: "label" });
    expect(textOf(await open(guestClient, "/mutings"), "tbody"))
      .to.include("label")
      .and.not.to.include("img-alt");
    const list = await open(client, "/mutings");
    expect(list(`tbody a[href="/guests/${guest.guestToken}"]`).length).to.equal(1);
  });

  it("change nothing for a token that only reads, and say so", async () => {
    const path = await create({ rule: "img-alt" });
    const { token: readToken } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    const reader = await signedIn({ url: service.url, token: readToken });
    for (const address of ["/mutings", "/mutings/new?rule=img-alt", path]) {
      const page = await open(reader, address);
      expect(textOf(page), address).to.include("can only read");
      expect(page('main form[method="post"]').length, address).to.equal(0);
    }
    for (const form of ["/mutings/new", path, `${path}/delete`])
      expect((await reader.post(form, { rule: "label" })).status, form).to.equal(403);
    expect(await mutings()).to.have.length(1);
  });

  it("refuse forms of other sites", async () => {
    const path = await create({ rule: "img-alt" });
    for (const form of ["/mutings/new", path, `${path}/delete`])
      expect((await client.post(form, { csrf: "x", rule: "label" })).status, form).to.equal(403);
    expect((await mutings())[0]?.attributes.rule).to.equal("img-alt");
  });
});
