import { expect } from "chai";
import { sql } from "kysely";
import { createToken } from "../../../src/database/accounts/tokens.ts";
import { accountWithToken, guestWithToken, type TestApi } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import type { TestDatabase } from "../../support/database.ts";
import { errorOf, open, press, signedInToPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient, webClient } from "../../support/web-service.ts";

describe("Schedules' pages", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;
  signedInToPages((scene) => {
    ({ database, service, accountId, token, client } = scene);
  });

  const schedules = async () => (await service.as(token)("GET", "/schedules")).json.data;
  /** @returns the path of its page */
  async function create(filled: Record<string, string | undefined> = {}, as = client): Promise<string> {
    const form = await open(as, "/schedules/new");
    const { location } = await press(as, form, "/schedules/new", { starting_url: "https://example.com/", ...filled });
    return location?.split("?")[0] ?? "";
  }

  it("say what a schedule is for when there is none", async () => {
    const page = await open(client, "/schedules");
    expect(textOf(page)).to.include("No schedules yet").and.to.include("New schedule");
  });

  it("create a schedule with the defaults of the form, and show it in the list", async () => {
    const path = await create();
    const [schedule] = await schedules();
    expect(path).to.equal(`/schedules/${schedule?.id}`);
    expect(schedule?.attributes).to.include({
      ...{ starting_url: "https://example.com/", max_pages: 100, rate_limit: 5, standard: "wcag22aa", active: true },
      ...{ perform_html_checks: true, perform_a11y_checks: true, deep_crawl: true, store_screenshot: true },
      ...{ gate: null, basic_auth_id: null, history_limit: 3 },
    });
    expect(schedule?.attributes.periodicity).to.deep.equal({ every: "week", weekday: "monday" });
    const list = await open(client, "/schedules");
    expect(list(`a[href="${path}"]`).text()).to.equal("https://example.com/");
    expect(textOf(list)).to.include("Every Monday").and.to.include("Active");
  });

  it("begin with the address that a link names", async () => {
    const form = await open(client, "/schedules/new?url=https%3A%2F%2Fexample.org%2Fshop");
    expect(form('[name="starting_url"]').val()).to.equal("https://example.org/shop");
  });

  it("send every setting that the form has", async () => {
    const credentials = await service.as(token)("POST", "/basic_auths", {
      attributes: { host: "example.com", username: "ada", password: "secret" },
    });
    const form = await open(client, "/schedules/new");
    const device = form('[name="device_id"] option:contains("iPhone 8,")').attr("value") ?? "";
    await press(client, form, "/schedules/new", {
      ...{ starting_url: "https://example.com/", initial_urls: "https://example.com/a\nhttps://example.com/b" },
      ...{ include_globs: "/shop/**\n/help/*", exclude_globs: "*.pdf", ignored_parameters: "sid, t_*" },
      ...{ follow_frames: undefined, use_sitemaps: "true", page_timeout_seconds: "60" },
      ...{ visit_forms: undefined, visit_actions: "true", allow_posts: "/graphql" },
      ...{ exclusions: "/archive", max_pages: "50", rate_limit: "2", active_deadline_seconds: "3600" },
      ...{ perform_html_checks: undefined, deep_crawl: undefined, respect_robots: "true", dynamic_crawler: "true" },
      ...{ standard: "wcag2aa", html_engine: "html-validate", basic_auth_id: credentials.json.data.id },
      ...{ device_id: device, device_rotated: "true", tags: "shop, live", shared: "true", store_screenshot: undefined },
      ...{ store_raw_a11y_checks: "true", a11y_depth: "acting", history_limit: "7", active: undefined },
      ...{ prepare: "- type: click\n  selectors: ['#accept']", hide: ".chat\n#ads", "wait_for.selector": ".ready" },
      ...{ states: "{name: menu-open, url: /, steps: [{type: click, selectors: ['#menu']}]}", "wait_for.seconds": "3" },
      ...{ "gate.max_errors": "0", "gate.max_new_warnings": "3", "gate.min_impact": "serious" },
      ...{ "gate.fail_on_failed_pages": "true", "periodicity.every": "month", "periodicity.monthday": "15" },
      ...{ "periodicity.at": "06:30", "periodicity.weekday": "friday" },
    });
    const [schedule] = await schedules();
    expect(schedule?.attributes).to.deep.include({
      ...{ initial_urls: ["https://example.com/a", "https://example.com/b"], exclusions: ["/archive"] },
      ...{ include_globs: ["/shop/**", "/help/*"], exclude_globs: ["*.pdf"], ignored_parameters: ["sid", "t_*"] },
      ...{ follow_frames: false, use_sitemaps: true, page_timeout_seconds: 60 },
      ...{ visit_forms: false, visit_actions: true, allow_posts: ["/graphql"] },
      ...{ max_pages: 50, rate_limit: 2, active_deadline_seconds: 3600, perform_html_checks: false },
      ...{ deep_crawl: false, respect_robots: true, dynamic_crawler: true, prefer_canonical_urls: true },
      ...{ standard: "wcag2aa", html_engine: "html-validate", basic_auth_id: credentials.json.data.id },
      ...{ device_rotated: true, tags: ["shop", "live"], shared: true, store_screenshot: false },
      ...{
        store_raw_html_checks: false,
        store_raw_a11y_checks: true,
        store_incomplete_checks: true,
        a11y_depth: "acting",
      },
      ...{ history_limit: 7, active: false },
      prepare: [{ steps: [{ type: "click", selectors: ["#accept"] }] }],
      states: [{ name: "menu-open", url: "/", steps: [{ type: "click", selectors: ["#menu"] }] }],
      ...{ wait_for: { selector: ".ready", seconds: 3 }, hide: [".chat", "#ads"] },
      gate: { max_errors: 0, max_new_warnings: 3, min_impact: "serious", fail_on_failed_pages: true },
      periodicity: { every: "month", monthday: 15, at: "06:30" },
    });
    expect(device).to.match(/^[0-9a-f-]{36}$/);
    expect(schedule?.relationships.device?.links.related).to.include(device);
  });

  it("edit a schedule from what it is, and change nothing that nobody touched", async () => {
    const path = await create({
      ...{ tags: "shop", exclusions: "/a\n/b", "gate.max_errors": "4", "periodicity.every": "deploy" },
      ...{ device_id: "3d7240bb-7900-508c-82a6-9a0962f07852", deep_crawl: undefined },
    });
    const before = (await schedules())[0];
    const form = await open(client, `${path}/edit`);
    expect(form('[name="device_id"]').val()).to.equal("3d7240bb-7900-508c-82a6-9a0962f07852");
    const { location } = await press(client, form, `${path}/edit`);
    expect(location).to.equal(`${path}?done=saved`);
    const after = (await schedules())[0];
    expect({ ...after?.attributes, updated_at: "" }).to.deep.equal({ ...before?.attributes, updated_at: "" });
    expect(after?.relationships).to.deep.equal(before?.relationships);
  });

  it("change a schedule, and take away what is emptied", async () => {
    const path = await create({ tags: "shop", exclusions: "/a", "gate.max_errors": "4" });
    const form = await open(client, `${path}/edit`);
    await press(client, form, `${path}/edit`, { tags: "", exclusions: "", "gate.max_errors": "", max_pages: "7" });
    expect((await schedules())[0]?.attributes).to.deep.include({ tags: [], exclusions: [], gate: null, max_pages: 7 });
  });

  it("put each refusal beside its field, name all at the top, and keep what was typed", async () => {
    const form = await open(client, "/schedules/new");
    const page = await press(client, form, "/schedules/new", {
      ...{
        starting_url: "shop",
        max_pages: "",
        tags: "kept",
        "gate.max_errors": "few",
        perform_html_checks: undefined,
      },
      ...{ "periodicity.every": "month", "periodicity.monthday": "31" },
    });
    expect(page.status).to.equal(422);
    for (const name of ["starting_url", "max_pages", "gate.max_errors", "periodicity.monthday"]) {
      expect(errorOf(page, name), name).to.not.equal("");
      expect(page(`[name="${name}"]`).attr("aria-invalid"), name).to.equal("true");
      expect(page(`.problems a[href="#field-${name}"]`).length, name).to.equal(1);
    }
    expect(page('[name="starting_url"]').val()).to.equal("shop");
    expect(page('[name="tags"]').val()).to.equal("kept");
    expect(page('[name="gate.max_errors"]').val()).to.equal("few");
    expect(page('[name="perform_html_checks"]').is(":checked")).to.equal(false);
    // A refused field is not hidden.
    expect(page('[name="gate.max_errors"]').closest("details").attr("open")).to.not.equal(undefined);
    expect(await schedules()).to.deep.equal([]);
  });

  it("create one schedule of a form that is sent twice", async () => {
    const form = await open(client, "/schedules/new");
    const filled = { starting_url: "https://example.com/" };
    const twice = await Promise.all([1, 2].map(() => press(client, form, "/schedules/new", filled)));
    expect(twice[0]?.location).to.equal(twice[1]?.location);
    expect(await schedules()).to.have.length(1);
  });

  it("create another schedule of a form that was changed after a step back", async () => {
    const form = await open(client, "/schedules/new");
    await press(client, form, "/schedules/new", { starting_url: "https://example.com/" });
    await press(client, form, "/schedules/new", { starting_url: "https://example.org/" });
    expect(await schedules()).to.have.length(2);
  });

  it("pause a schedule and resume it", async () => {
    const path = await create();
    let page = await open(client, path);
    expect((await press(client, page, `${path}/active`)).location).to.equal(`${path}?done=paused`);
    page = await open(client, path);
    expect(textOf(page)).to.include("This schedule is paused");
    expect(page(`form[action="${path}/run"]`).length).to.equal(0);
    await press(client, page, `${path}/active`);
    expect((await schedules())[0]?.attributes.active).to.equal(true);
  });

  it("start one run at a press of a button, even of two, and then queue the next one", async () => {
    const path = await create();
    let page = await open(client, path);
    expect(textOf(page)).to.include("No runs yet");
    const twice = await Promise.all([1, 2].map(() => press(client, page, `${path}/run`)));
    expect(twice[0]?.location).to.match(/^\/reports\/[0-9a-f-]{36}$/);
    expect(twice[1]?.location).to.equal(twice[0]?.location);
    page = await open(client, path);
    expect(page(`a[href="${twice[0]?.location}"]`).length).to.equal(1);
    expect((await press(client, page, `${path}/run`)).location).to.equal(`${path}?done=runQueued`);
  });

  it("say why a run cannot start, on the schedule's page", async () => {
    const path = await create();
    const page = await open(client, path);
    await service.as(token)("PATCH", path, { attributes: { active: false } });
    const refused = await press(client, page, `${path}/run`);
    expect(refused.status).to.equal(409);
    expect(textOf(refused, ".problems")).to.include("The schedule is not active");
  });

  it("show the deploy hook's address, and renew it", async () => {
    const path = await create();
    const page = await open(client, path);
    const before = page("#field-hook").val();
    expect(before).to.equal((await schedules())[0]?.attributes.deploy_hook_url);
    expect((await press(client, page, `${path}/hook`)).location).to.equal(`${path}?done=hookRenewed`);
    const after = (await open(client, path))("#field-hook").val();
    expect(after)
      .to.match(/\/api\/v1\/deploy_hooks\//)
      .and.to.not.equal(before);
  });

  it("show the runs as bars and as a table with links to their reports", async () => {
    const path = await create();
    const site = { "/": ["img-alt img a", "img-alt img b"] };
    const base = await runReport(database.db, accountId, site, { at: new Date("2026-05-04T10:00:00Z") });
    const next = await runReport(database.db, accountId, { "/": ["img-alt img a", "label input c"] });
    await sql`update reports set schedule_id = ${path.split("/").at(-1)}`.execute(database.db);
    const page = await open(client, path);
    const rows = page("tbody tr").toArray();
    expect(rows).to.have.length(2);
    expect(page(rows[0]).find("a").attr("href")).to.equal(`/reports/${next}`);
    expect(page(rows[0]).text()).to.include("1 new").and.to.include("1 fixed");
    expect(page(rows[1]).find("a").attr("href")).to.equal(`/reports/${base}`);
    expect(page(".plot rect").length).to.equal(2);
    expect(page(".plot [role=img]").attr("aria-label")).to.include("2 runs");
  });

  it("delete a schedule, and keep its reports", async () => {
    const path = await create();
    const run = await press(client, await open(client, path), `${path}/run`);
    const gone = await press(client, await open(client, path), `${path}/delete`);
    expect(gone.location).to.equal("/schedules?done=deleted");
    expect((await open(client, path)).status).to.equal(404);
    expect((await open(client, run.location ?? "")).status).to.equal(200);
  });

  it("are not there for another account, whatever it does", async () => {
    const path = await create();
    const other = await signedIn({ url: service.url, token: (await accountWithToken(database)).token });
    for (const page of [path, `${path}/edit`]) expect((await open(other, page)).status, page).to.equal(404);
    for (const form of ["edit", "active", "run", "hook", "delete"])
      expect((await other.post(`${path}/${form}`, { max_pages: "1" })).status, form).to.equal(404);
    expect(textOf(await open(other, "/schedules"))).to.include("No schedules yet");
    expect((await schedules())[0]?.attributes).to.include({ active: true, max_pages: 100 });
  });

  it("show a guest its own schedules only", async () => {
    const path = await create();
    const guest = await guestWithToken(database, accountId);
    const guestClient = await signedIn({ url: service.url, token: guest.token });
    expect((await open(guestClient, path)).status).to.equal(404);
    const own = await create({ starting_url: "https://guest.example/" }, guestClient);
    expect(textOf(await open(guestClient, "/schedules")))
      .to.include("guest.example")
      .and.not.to.include("example.com");
    expect((await open(client, own)).status).to.equal(200);
  });

  it("change nothing for a token that only reads, and say so", async () => {
    const path = await create();
    const { token: readToken } = await createToken(database.db, { accountId, name: "r", scope: "read" });
    const reader = await signedIn({ url: service.url, token: readToken });
    for (const address of ["/schedules", "/schedules/new", path, `${path}/edit`]) {
      const page = await open(reader, address);
      expect(page.status, address).to.equal(200);
      expect(textOf(page), address).to.include("can only read");
      expect(page('main form[method="post"]').length, address).to.equal(0);
    }
    expect(textOf(await open(reader, path))).to.not.include("deploy_hooks");
    for (const form of ["edit", "active", "run", "hook", "delete"])
      expect((await reader.post(`${path}/${form}`, { max_pages: "1" })).status, form).to.equal(403);
    expect((await reader.post("/schedules/new", { starting_url: "https://example.com/" })).status).to.equal(403);
    expect(await schedules()).to.have.length(1);
  });

  it("refuse forms of other sites, and of nobody", async () => {
    const path = await create();
    for (const form of ["/schedules/new", `${path}/edit`, `${path}/active`, `${path}/run`, `${path}/delete`])
      expect((await client.post(form, { csrf: "x" })).status, form).to.equal(403);
    expect((await webClient(service.url).post(`${path}/delete`, {})).location).to.match(/^\/sign-in/);
    expect(await schedules()).to.have.length(1);
  });

  it("refuse text that cannot be stored, beside its field or at the top", async () => {
    const form = await open(client, "/schedules/new");
    const page = await press(client, form, "/schedules/new", { starting_url: "https://example.com/", tags: "a\0b" });
    expect(page.status).to.be.oneOf([400, 422]);
    expect(textOf(page, ".problems")).to.include("NUL");
  });

  it("take no path of another resource for an id", async () => {
    const path = await create();
    expect((await open(client, `${path}%2Fdeploy_hook`)).status).to.equal(404);
    expect((await open(client, "/schedules/%2e%2e%2fsites")).status).to.equal(404);
  });
});
