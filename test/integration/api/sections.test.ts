import { expect } from "chai";
import { countUncounted } from "../../../src/transactions/compare.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { NOW, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

const firstSite: Site = { "/": ["alt img main"], "/news/": ["alt img main"], "/shop/bread/rye": ["label input main"] };
/** Between the two runs: two faults more in the shop, of which one is a template's, and one page that fails. */
const secondSite: Site = {
  "/": ["alt img main"],
  "/about?to=/shop/": ["lang *"],
  "/news/": ["alt img main"],
  "/news/late": { failed: 500 },
  "/shop/bread/rye": ["label input main", "alt img main"],
  "/shop/bread/": ["alt img main"],
  "/shop/": ["title *"],
  "/shopping/list": [],
};

describe("the sections of a report's site", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  let first: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
    first = await runReport(database.db, accountId, firstSite);
    report = await runReport(database.db, accountId, secondSite, { at: new Date(NOW.getTime() + 86_400_000) });
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
  const sections = async (query = "", id = report) =>
    (await read(`/reports/${id}/sections${query}`)).data.map(({ attributes }) => {
      const { path, num_pages, num_checked_pages, errors, new_errors } = attributes;
      return [path, num_pages, num_checked_pages, errors, new_errors];
    });

  it("have the pages of their folder, what is wrong with them, and what of that is new", async () => {
    expect(await sections()).to.deep.equal([
      ["/shop/", 3, 3, 4, 3],
      ["/", 2, 2, 2, 1],
      ["/news/", 2, 1, 1, 0],
      ["/shopping/", 1, 1, 0, 0],
    ]);
    expect(await sections("", first), "nothing to compare with").to.deep.include(["/news/", 1, 1, 1, null]);
  });

  for (const key of ["errors", "new_errors", "pages", "path"])
    it(`are sorted by ${key} both ways`, async () => {
      const [up, down] = [await sections(`?sort=${key}-asc`), await sections(`?sort=${key}-desc`)];
      expect(up).to.deep.equal(down.toReversed());
      const column = { errors: 3, new_errors: 4, pages: 1, path: 0 }[key] ?? 0;
      const values = up.map((row) => row[column] as number | string);
      expect(values).to.deep.equal(values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    });

  it("lead to exactly what they count", async () => {
    for (const { attributes, relationships } of (await read(`/reports/${report}/sections`)).data) {
      const at = (name: string) => String(relationships[name]?.links.related).replace(/^.*\/api\/v1/, "");
      const pages = (await read(at("web_pages"))).data;
      expect(pages, String(attributes.path)).to.have.length(Number(attributes.num_pages));
      expect(pages.reduce((sum, page) => sum + Number(page.attributes.new_errors), 0)).to.equal(attributes.new_errors);
      const found = (await read(at("findings"))).data.reduce((sum, one) => sum + Number(one.attributes.how_many), 0);
      expect(found, String(attributes.path)).to.equal(attributes.errors);
    }
  });

  const paths = async (query: string) =>
    (await read(`/reports/${report}/${query}`)).data.map(({ attributes }) =>
      String(attributes.url).replace("https://example.com", ""),
    );

  it("may have folders, by which pages and findings are found, too", async () => {
    expect(await paths("web_pages?filter[path]=/shop/bread/")).to.deep.equal(["/shop/bread/rye", "/shop/bread/"]);
    expect(await paths("findings?filter[path]=/shop/bread/&filter[rule]=alt")).to.have.members([
      "/shop/bread/rye",
      "/shop/bread/",
    ]);
    expect(await paths("web_pages?filter[path]=/shop/rye/")).to.deep.equal([]);
    expect(await paths("findings?filter[path]=/shop/&filter[state]=new")).to.have.length(3);
  });

  it("have the pages with something new", async () => {
    expect(await paths("web_pages?filter[state]=new&sort=new_errors-desc")).to.deep.equal([
      ...["/about?to=/shop/", "/shop/bread/rye", "/shop/bread/", "/shop/"],
    ]);
  });

  it("narrow what is counted of issues and components down", async () => {
    const counts = async (list: string) =>
      (await read(`/reports/${report}/${list}`)).data.map(({ attributes }) => {
        const { rule, how_many, num_pages } = attributes;
        return [rule, how_many, num_pages];
      });
    const issues = await counts("common_html_issues?filter[path]=/shop/&sort=pages-desc");
    expect(issues).to.deep.include.members([
      ["alt", 2, 2],
      ["label", 1, 1],
      ["title", 1, 1],
    ]);
    expect(issues).to.have.length(3);
    expect(await counts("common_html_issues?filter[path]=/none/")).to.deep.equal([]);
    expect(await counts("components?filter[path]=/shop/&filter[repeated]=true")).to.deep.equal([["alt", 2, 2]]);
    const [alt] = (await read(`/reports/${report}/common_html_issues?filter[path]=/shop/&filter[rule]=alt`)).data;
    expect(
      await paths(String(alt?.relationships.web_pages?.links.related).replace(/^.*\/reports\/[^/]*\//, "")),
    ).to.have.length(2);
  });

  it("narrow exports down", async () => {
    const reply = await call("GET", `/reports/${report}/export.ndjson?filter[path]=/news/`);
    const lines = reply.text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).page_url)).to.deep.equal(["https://example.com/news/"]);
  });

  it("do not count what is muted", async () => {
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule: "alt" }));
    await recountAll(database.db);
    await countUncounted(database.db, {});
    expect((await sections())[0]).to.deep.equal(["/shop/", 3, 3, 2, 1]);
  });
});
