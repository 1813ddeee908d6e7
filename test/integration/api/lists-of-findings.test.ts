import { expect } from "chai";
import { sql } from "kysely";
import { countUncounted } from "../../../src/transactions/compare.ts";
import { accountWithToken, type Call, type Document, startTestApi, type TestApi } from "../../support/api.ts";
import { NOW, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

const later = new Date(NOW.getTime() + 86_400_000);
const FIRST_SEEN = "2026-05-05T10:00:00";
const LATER = "2026-05-06T10:00:00";

/** Between the two runs: one image more on the home page, one label mended, and a page that fails. */
const firstSite: Site = {
  "/": ["alt img main", "label input main", "lang *"],
  "/b": ["alt logo nav", "alt img main"],
  "/c": ["alt logo nav"],
};
const secondSite: Site = {
  "/": ["alt img main", "alt img main", "lang *"],
  "/b": ["alt logo nav", "alt img main"],
  "/c": { failed: 500 },
  "/d": ["alt logo nav", "title *"],
};

describe("the lists of a report's findings", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  let base: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
    base = await runReport(database.db, accountId, firstSite);
    report = await runReport(database.db, accountId, secondSite, { at: later });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function listed(path: string, as: Call = call): Promise<Document> {
    const reply = await as("GET", path);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json;
  }

  const attributesOf = async (path: string) => (await listed(path)).data.map(({ attributes }) => attributes);
  const findings = async (query = "", id = report) =>
    (await attributesOf(`/reports/${id}/findings${query}`)).map(
      ({ state, rule, url, how_many }) => `${state} ${rule} ${new URL(String(url)).pathname} ${how_many}`,
    );

  it("have a row for each finding, with its state", async () => {
    expect(await findings()).to.deep.equal([
      "new alt / 2",
      "persisting alt /b 1",
      "persisting alt /b 1",
      "new alt /d 1",
      "persisting lang / 1",
      "new title /d 1",
    ]);
    expect(await findings("", base)).to.deep.equal([
      ...["null alt / 1", "null alt /b 1", "null alt /b 1", "null alt /c 1", "null label / 1", "null lang / 1"],
    ]);
  });

  it("say of equal elements how many are in which state, and since when the oldest is there", async () => {
    const [two, one] = await attributesOf(`/reports/${report}/findings`);
    expect(two?.states).to.deep.include({ new: 1, persisting: 1, fixed: 0 });
    expect([two?.first_seen_at, one?.first_seen_at, one?.found_at]).to.deep.equal([FIRST_SEEN, FIRST_SEEN, LATER]);
    const [added] = await attributesOf(`/reports/${report}/findings?filter[rule]=title`);
    expect([added?.first_seen_at, added?.states]).to.deep.equal([
      LATER,
      { persisting: 0, new: 1, new_rule: 0, fixed: 0, gone: 0, unknown: 0 },
    ]);
  });

  const states: [state: string, expected: string[]][] = [
    ["new", ["new alt / 2", "new alt /d 1", "new title /d 1"]],
    ["persisting", ["new alt / 2", "persisting alt /b 1", "persisting alt /b 1", "persisting lang / 1"]],
    ["new_rule", []],
    ["fixed", ["fixed label / 1"]],
    ["gone", []],
    ["unknown", ["unknown alt /c 1"]],
  ];
  for (const [state, expected] of states)
    it(`have those that are ${state}, also where only the base has them`, async () => {
      expect(await findings(`?filter[state]=${state}`)).to.deep.equal(expected);
    });

  it("link those of the base to the base and its page", async () => {
    const { data } = await listed(`/reports/${report}/findings?filter[state]=fixed`);
    expect(data[0]?.relationships.report?.links.related).to.equal(`${api.url}/api/v1/reports/${base}`);
    for (const { links } of Object.values(data[0]?.relationships ?? {}))
      await listed(links.related.replace(`${api.url}/api/v1`, ""));
  });

  it("do not show the findings of the base to readers of a shared report, unless it is shared as well", async () => {
    const anybody = api.as(undefined);
    const fixed = async () => (await listed(`/reports/${report}/findings?filter[state]=fixed`, anybody)).data.length;
    const share = (id: string, shared: boolean) =>
      database.db.updateTable("reports").set({ shared }).where("id", "=", id).execute();
    await share(report, true);
    expect(await fixed()).to.equal(0);
    await share(base, true);
    expect(await fixed()).to.equal(1);
    await Promise.all([share(report, false), share(base, false)]);
  });

  it("have the counts of one comparison, in whatever case the id of the base is written", async () => {
    const asked = [base, base.toUpperCase(), base].map((id) => call("GET", `/reports/${report}/comparison?base=${id}`));
    for (const { json } of await Promise.all(asked)) {
      expect(json.data.attributes.base_id).to.equal(base);
      expect(json.data.attributes.states).to.deep.include({ new: { errors: 3, warnings: 0 } });
    }
  });

  it("lead through all findings, each once, also while findings before the place change", async () => {
    const id = await runReport(database.db, accountId, secondSite);
    const seen: string[] = [];
    let next: string | null = `/reports/${id}/findings?page[size]=2`;
    while (next !== null) {
      const { data, links }: Document = await listed(next.replace(`${api.url}/api/v1`, ""));
      seen.push(...data.map((finding) => finding.id));
      if (seen.length === 2) await sql`delete from findings where id = ${seen[1]}`.execute(database.db);
      next = links.next;
    }
    expect([seen.length, new Set(seen).size]).to.deep.equal([6, 6]);
  });

  it("show what common issues and a page's issues have in each state", async () => {
    const common = await attributesOf(`/reports/${report}/common_html_issues?sort=pages-desc`);
    expect(common.map(({ rule, num_pages, how_many }) => [rule, num_pages, how_many])).to.deep.equal([
      ["alt", 3, 5],
      ["lang", 1, 1],
      ["title", 1, 1],
    ]);
    expect(common.map((issue) => issue.states)).to.deep.equal([
      { persisting: 3, new: 2, new_rule: 0, unknown: 0 },
      { persisting: 1, new: 0, new_rule: 0, unknown: 0 },
      { persisting: 0, new: 1, new_rule: 0, unknown: 0 },
    ]);
    expect(common.map((issue) => issue.first_seen_at)).to.deep.equal([FIRST_SEEN, FIRST_SEEN, LATER]);
    const [page] = (await listed(`/reports/${report}/web_pages?filter[url]=/d`)).data;
    const issues = await attributesOf(`/reports/${report}/web_pages/${page?.id}/html_issues?filter[state]=new`);
    expect(issues.map(({ rule, states, first_seen_at }) => [rule, states, first_seen_at])).to.deep.equal([
      ["alt", { persisting: 0, new: 1, new_rule: 0, unknown: 0 }, LATER],
      ["title", { persisting: 0, new: 1, new_rule: 0, unknown: 0 }, LATER],
    ]);
  });

  it("have only the common issues in a state", async () => {
    const rules = async (state: string) =>
      (await attributesOf(`/reports/${report}/common_html_issues?filter[state]=${state}`)).map(({ rule }) => rule);
    expect(await rules("new")).to.deep.equal(["alt", "title"]);
    expect(await rules("persisting")).to.deep.equal(["alt", "lang"]);
    expect(await rules("new_rule")).to.deep.equal([]);
  });

  it("count the states of what is outdated, in the background", async () => {
    const { db } = database;
    const read = () => attributesOf(`/reports/${report}/common_html_issues`);
    const wanted = await read();
    await sql`delete from compared_issues`.execute(db);
    await sql`update comparisons set issues_counted = false`.execute(db);
    expect((await read()).map(({ states }) => states)).to.deep.equal([null, null, null]);
    await countUncounted(db, {});
    expect(await read()).to.deep.equal(wanted);
  });

  it("show what has to be fixed once, on the most pages first", async () => {
    const { data, meta } = await listed(`/reports/${report}/components`);
    const shown = data.map(({ attributes: { rule, num_pages, how_many } }) => [rule, num_pages, how_many]);
    expect(shown).to.deep.equal([
      ["alt", 2, 3],
      ["alt", 2, 2],
      ["lang", 1, 1],
      ["title", 1, 1],
    ]);
    expect(meta).to.deep.equal({
      ...{ total: 4, page_size: 25, how_many: 7 },
      largest: [
        { components: 1, how_many: 3 },
        { components: 2, how_many: 5 },
        { components: 3, how_many: 6 },
      ],
    });
    for (const { relationships, attributes } of data) {
      const { data: ofComponent } = await listed(
        relationships.findings?.links.related.replace(`${api.url}/api/v1`, "") ?? "",
      );
      const elements = ofComponent.map((finding) => Number(finding.attributes.how_many));
      expect(elements.reduce((sum, count) => sum + count, 0)).to.equal(attributes.how_many);
    }
  });

  it("count only the elements in a state that are asked for", async () => {
    const { data, meta } = await listed(`/reports/${report}/components?filter[state]=persisting`);
    expect(data.map(({ attributes: { rule, how_many } }) => [rule, how_many])).to.deep.equal([
      ["alt", 2],
      ["alt", 1],
      ["lang", 1],
    ]);
    expect(meta).to.include({ total: 3, how_many: 4 });
  });

  it("sort components both ways, through all pages", async () => {
    for (const key of ["impact", "how_many", "pages"]) {
      const ids = async (order: string) => {
        const pages = [1, 2, 3, 4].map((number) =>
          listed(`/reports/${report}/components?sort=${key}-${order}&page[size]=1&page[number]=${number}`),
        );
        return (await Promise.all(pages)).flatMap(({ data }) => data.map(({ id }) => id));
      };
      const descending = await ids("desc");
      expect([descending.length, new Set(descending).size]).to.deep.equal([4, 4]);
      expect(await ids("asc")).to.deep.equal(descending.toReversed());
    }
  });

  it("leave muted findings out, and have them on request", async () => {
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ url_match: "/d", message: "title" }));
    await recountAll(database.db);
    expect(await findings("?filter[rule]=title")).to.deep.equal([]);
    expect(await findings("?filter[muted]=true")).to.deep.equal(["new title /d 1"]);
    expect((await listed(`/reports/${report}/components`)).meta.total).to.equal(3);
    expect((await listed(`/reports/${report}/components?filter[muted]=true`)).meta.total).to.equal(1);
    const [common] = await attributesOf(`/reports/${report}/common_html_issues?filter[muted]=true`);
    expect([common?.how_many, common?.num_pages, common?.states]).to.deep.equal([
      ...[1, 1],
      { persisting: 0, new: 1, new_rule: 0, unknown: 0 },
    ]);
  });
});
