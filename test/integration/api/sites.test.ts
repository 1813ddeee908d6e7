import { expect } from "chai";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { type Run, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const NOON = new Date(new Date().toISOString().slice(0, 11).concat("12:00:00Z"));
const daysAgo = (days: number) => new Date(NOON.getTime() - days * 86_400_000);
const page = (...faults: string[]) => faults.map((rule, index) => `${rule} p path-${index}`);

describe("the sites of an account", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  const reports: string[] = [];

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
    const run = async (startingUrl: string, days: number, site: Site, { spec = {}, ...more }: Run = {}) => {
      reports.push(
        await runReport(database.db, accountId, site, { ...more, at: daysAgo(days), spec: { startingUrl, ...spec } }),
      );
    };
    // The shop: twelve weeks ago with other settings; then two errors on two pages, three, and five with a failed page.
    await run("https://shop.example/", 100, { "/": page("alt", "alt", "alt") }, { spec: { maxPages: 1 } });
    await run("https://shop.example/", 40, { "/": page("alt", "label"), "/a": [] });
    await run("https://shop.example/", 9.1, { "/": page("alt", "label", "lang"), "/a": [] }, { version: "2" });
    await run("https://shop.example/", 9, { "/": page("alt", "label"), "/a": page("lang") }, { version: "2" });
    await run("https://shop.example/", 2, {
      "/": page("alt", "lang", "lang", "lang"),
      "/a": page("lang"),
      "/b": { failed: 500 },
    });
    await run("https://museum.example/", 35, { "/": page("alt", "alt") });
    await run("https://museum.example/", 1, { "/": page("alt"), "/b": [] });
    await run("https://zoo.example/", 3, { "/": { failed: 500 } });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const read = async (path: string) => {
    const { status, text, json } = await call("GET", path);
    expect(status, text).to.equal(200);
    return json;
  };
  const hosts = async (query: string) =>
    (await read(`/sites?${query}`)).data.map(
      ({ attributes }) => new URL(String(attributes.starting_url)).hostname.split(".")[0],
    );
  const site = async (name: string, query = "") => {
    const [found] = (await read(`/sites?filter[starting_url]=https://${name}.example/${query}`)).data;
    if (!found) throw new Error(`no site ${name}`);
    return found;
  };

  it("have the numbers of their newest report of the whole site", async () => {
    const { numbers } = (await site("shop")).attributes;
    expect(numbers).to.deep.include({
      report_id: reports[4],
      errors: 5,
      errors_per_page: 2.5,
      share_without_errors: 0,
    });
    expect(numbers).to.have.deep.property("pages", {
      checked: 2,
      without_errors: 0,
      without_issues: 0,
      failed: 1,
      without_page: 0,
      known: 3,
    });
    expect((await site("zoo")).attributes).to.include({ numbers: null, change: null });
  });

  const changes: [period: number, base: number, errors: number, worst: [string, number]][] = [
    [7, 3, 2, ["lang", 3]],
    [30, 1, 3, ["lang", 4]],
  ];
  for (const [period, base, errors, [rule, added]] of changes)
    it(`say what changed in ${period} days, and which rule adds most`, async () => {
      const { change } = (await site("shop", `&period=${period}`)).attributes;
      expect(change).to.deep.include({
        base_id: reports[base],
        errors,
        worst_rule: { kind: "html", rule, title: rule, errors: added, role: null },
      });
    });

  it("are not compared with reports of other settings", async () => {
    expect((await site("shop", "&period=90")).attributes.change).to.equal(null);
  });

  it("have no worst rule when nothing is added", async () => {
    expect((await site("museum")).attributes.change).to.deep.include({
      errors: -1,
      errors_per_page: -1.5,
      share_without_errors: 0.5,
      worst_rule: null,
    });
  });

  it("are counted by what changed, by how the newest report is and by tag, whatever the filters are", async () => {
    const id = (await site("shop")).id;
    await call("PATCH", `/sites/${id}`, { attributes: { tags: ["culture"] } });
    const { meta } = await read("/sites?filter[search]=nothing-has-this");
    await call("PATCH", `/sites/${id}`, { attributes: { tags: [] } });
    expect(meta).to.deep.include({
      total: 0,
      counts: { all: 3, mine: 0, worse: 1, better: 1, failed: 0, running: 0, tags: [{ tag: "culture", sites: 1 }] },
    });
  });

  it("have their runs with what each changed since the one before it with the same settings", async () => {
    const runs = (await read(`/sites/${(await site("shop")).id}/runs`)).data;
    const of = (index: number) => runs.find(({ id }) => id === reports[index])?.attributes;
    expect(of(4)).to.deep.include({ whole: true, errors: 5, change: { base_id: reports[3], errors: 2 } });
    expect(of(4)).to.have.nested.property("numbers.errors_per_page", 2.5);
    expect((await read(`/sites/${(await site("shop")).id}/runs?period=7`)).meta.total).to.be.lessThan(runs.length);
    const [zoo] = (await read(`/sites/${(await site("zoo")).id}/runs`)).data;
    expect(zoo?.attributes).to.deep.include({ whole: false, numbers: null, change: null });
  });

  it("together have the errors and pages of the last report of each, by day", async () => {
    type Numbers = { errors: number; pages: { checked: number } };
    const found = (await read("/sites")).data.map(({ attributes }) => attributes.numbers as Numbers | null);
    const sites = found.filter((one) => one !== null);
    const errors = sites.reduce((sum, one) => sum + one.errors, 0);
    const pages = sites.reduce((sum, one) => sum + one.pages.checked, 0);
    type Day = { num_sites: number; errors_per_page: number };
    const daysOf = async (query: string) =>
      (await read(`/sites_history${query}`)).data.attributes.days as unknown as Day[];
    const last = (await daysOf("")).at(-1);
    expect(last).to.include({ num_sites: sites.length, errors, pages });
    expect(last?.errors_per_page).to.be.closeTo(errors / pages, 0.000_001);
    const week = await daysOf("?period=7");
    expect(week.at(-1)).to.deep.equal(last);
    expect(week[0]?.num_sites, "what was known before the period").to.be.greaterThan(0);
  });

  it("have every report of a day in their history, if that is asked for", async () => {
    const id = (await site("shop")).id;
    const by = async (each: string) =>
      ((await read(`/sites/${id}/history?each=${each}`)).data.attributes.days as unknown[]).length;
    expect(await by("report")).to.be.at.least(await by("day"));
  });

  const sorts: [sort: string, order: string[]][] = [
    ["last_report-desc", ["museum", "shop", "zoo"]],
    ["errors_per_page-desc", ["shop", "museum", "zoo"]],
    ["change-desc", ["shop", "museum", "zoo"]],
    ["share_without_errors-desc", ["museum", "shop", "zoo"]],
    ["name-asc", ["museum", "shop", "zoo"]],
    ["critical-desc", ["museum", "shop", "zoo"]],
  ];
  for (const [sort, order] of sorts)
    it(`are sorted by ${sort}, and the other way round`, async () => {
      expect(await hosts(`sort=${sort}`)).to.deep.equal(order);
      const other = sort.endsWith("desc") ? sort.replace("desc", "asc") : sort.replace("asc", "desc");
      expect(await hosts(`sort=${other}`)).to.deep.equal(order.toReversed());
    });

  it("can be those that got worse, or better", async () => {
    expect(await hosts("filter[change]=worse")).to.deep.equal(["shop"]);
    expect(await hosts("filter[change]=better")).to.deep.equal(["museum"]);
  });

  it("say how often a rule was found in their newest reports, the most errors first, and where", async () => {
    const { data, meta } = await read("/site_rules?filter[kind]=html&filter[rule]=alt");
    const shown = data.map(({ attributes: { starting_url, report_id, errors, num_pages } }) => [
      new URL(String(starting_url)).hostname.split(".")[0],
      reports.indexOf(String(report_id)),
      errors,
      num_pages,
    ]);
    expect([shown, meta.total]).to.deep.equal([
      [
        ["museum", 6, 1, 1],
        ["shop", 4, 1, 1],
      ],
      2,
    ]);
    const all = (await read("/site_rules")).data.map(({ attributes: { rule, errors } }) => [rule, errors]);
    expect(all).to.deep.equal([
      ["lang", 4],
      ["alt", 1],
      ["alt", 1],
    ]);
    const [first] = (await read("/site_rules?page[size]=1")).data;
    const issue = new URL(String(first?.relationships?.common_issue?.links.related)).pathname.replace("/api/v1", "");
    expect((await read(issue)).data.attributes).to.include({ rule: "lang", how_many: 4 });
    expect((await read("/site_rules?filter[kind]=a11y")).data).to.deep.equal([]);
  });

  it("have rules for their account alone", async () => {
    const { token } = await accountWithToken(database);
    expect((await api.as(token)("GET", "/site_rules")).json.data).to.deep.equal([]);
  });

  it("say of each run whether it passed when it ended, and whether it does with what counts now", async () => {
    const id = reports[6] ?? "";
    await database.db.updateTable("report_ends").set({ passed: false }).where("report_id", "=", id).execute();
    await database.db.updateTable("reports").set({ passed: true }).where("id", "=", id).execute();
    const runs = (await site("museum")).attributes.runs as { passed: boolean | null; passed_now: boolean | null }[];
    expect(runs.map(({ passed, passed_now }) => [passed, passed_now])).to.deep.equal([
      [null, null],
      [false, true],
    ]);
  });

  it("come in pages with their total", async () => {
    const second = await read("/sites?page[size]=2&page[number]=2");
    expect([second.data.length, second.meta.total]).to.deep.equal([1, 3]);
    expect((await read("/sites?page[size]=2&page[number]=3")).meta.total).to.equal(3);
  });

  it("have names, owners and tags of their own, by which they are found", async () => {
    const { id } = await site("zoo");
    const named = await call("PATCH", `/sites/${id}`, {
      attributes: { name: "Animals", owner: "Parks", tags: ["leisure", "city"] },
    });
    expect(named.json.data.attributes).to.deep.include({ name: "Animals", owner: "Parks", tags: ["leisure", "city"] });
    expect(await hosts("filter[search]=anim")).to.deep.equal(["zoo"]);
    expect(await hosts("filter[search]=parks")).to.deep.equal(["zoo"]);
    expect(await hosts("filter[search]=museum")).to.deep.equal(["museum"]);
    expect(await hosts("filter[owner]=Parks")).to.deep.equal(["zoo"]);
    expect(await hosts("filter[tags][mode]=all&filter[tags][list]=city,leisure")).to.deep.equal(["zoo"]);
    expect(await hosts("filter[tags][mode]=none&filter[tags][list]=city&sort=name-asc")).to.deep.equal([
      "museum",
      "shop",
    ]);
    expect(await hosts("sort=name-asc")).to.deep.equal(["zoo", "museum", "shop"]);
  });

  it("have a series with the last report of each day, and what changed before it", async () => {
    const { days } = (await read(`/sites/${(await site("shop")).id}/history`)).data.attributes;
    type Day = { report_id: string; errors: number; series: string; markers: { what: string; name: string }[] };
    const listed = days as Day[];
    expect(listed.map(({ report_id }) => reports.indexOf(report_id))).to.deep.equal([0, 1, 3, 4]);
    expect(listed.map(({ errors }) => errors)).to.deep.equal([3, 2, 3, 5]);
    expect(listed.map(({ markers }) => markers.map(({ what, name }) => `${what} ${name}`))).to.deep.equal([
      ...[[], ["setting max_pages"], ["engine html"], ["engine html"]],
    ]);
    expect(new Set(listed.map(({ series }) => series))).to.have.property("size", 2);
    expect(listed[2]).to.deep.include({
      checks: {
        html: { errors: 3, warnings: 0, critical: 0, serious: 0, moderate: 0, minor: 0, share_without_errors: 0 },
      },
    });
  });

  it("are nobody else's", async () => {
    const stranger = api.as((await accountWithToken(database)).token);
    const { id } = await site("shop");
    for (const path of [`/sites/${id}`, `/sites/${id}/history`])
      expect((await stranger("GET", path)).status).to.equal(404);
    expect((await stranger("PATCH", `/sites/${id}`, { attributes: { name: "Mine" } })).status).to.equal(404);
    expect((await stranger("GET", "/sites")).json.data).to.deep.equal([]);
  });
});
