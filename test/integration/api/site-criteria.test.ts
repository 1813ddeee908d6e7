import { expect } from "chai";
import { parse } from "yaml";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const SHOP = "https://shop.example/";

describe("the success criteria of a site", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let stranger: Call;
  let site: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    call = api.as(account.token);
    stranger = api.as((await accountWithToken(database)).token);
    const run = (at: string) =>
      runReport(
        database.db,
        account.accountId,
        { "/": ["image-alt img path-0"], "/a": [] },
        {
          ...{ at: new Date(at), kind: "a11y", spec: { startingUrl: SHOP } },
        },
      );
    await run("2026-11-20T12:00:00Z");
    const [found] = (await call("GET", "/sites")).json.data;
    site = `/sites/${found?.id}`;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const stateOf = async (number: string) => {
    const { json, text } = await call("GET", `${site}/criteria?page[size]=100`);
    const found = json.data.find(({ id }) => id === number);
    expect(found, text).not.to.equal(undefined);
    return found?.attributes.state;
  };
  const answer = (number: string, attributes: object) => call("PATCH", `${site}/criteria/${number}`, { attributes });

  it("have the answer of a person, until it is taken back", async () => {
    const before = await stateOf("2.4.3");
    expect(
      (await answer("2.4.3", { outcome: "failed", answered_by: "Web team", evidence: "Jumps to the footer" })).status,
    ).to.equal(200);
    expect(await stateOf("2.4.3")).to.equal("failed");
    const { json } = await call("GET", `${site}/criteria?filter[state]=failed`);
    expect(json.data.map(({ id }) => id)).to.deep.equal(["2.4.3"]);
    expect((await answer("2.4.3", { outcome: null })).status).to.equal(200);
    expect(await stateOf("2.4.3")).to.equal(before);
  });

  it("have as many in all states as there are, whatever the filter", async () => {
    const { json } = await call("GET", `${site}/criteria?filter[state]=passed`);
    const states = (json as unknown as { meta: { states: Record<string, number> } }).meta.states;
    const all = (await call("GET", `${site}/criteria?page[size]=1`)).json as unknown as { meta: { total: number } };
    expect(Object.values(states).reduce((sum, one) => sum + one)).to.equal(all.meta.total);
  });

  it("are said by the owner of the site alone, by somebody, and only if the standard asks for them", async () => {
    const given = { attributes: { outcome: "passed", answered_by: "Me" } };
    expect((await stranger("PATCH", `${site}/criteria/2.4.2`, given)).status).to.equal(404);
    expect((await stranger("GET", `${site}/statement`)).status).to.equal(404);
    expect((await answer("2.4.2", { outcome: "passed" })).status).to.equal(422);
    expect((await answer("9.9.9", { outcome: "passed", answered_by: "Me" })).status).to.equal(404);
  });

  it("keep what an answer leaves out, and refuse a day that is none", async () => {
    const pages = [{ url: `${SHOP}a`, outcome: "passed" }];
    await answer("2.4.5", { outcome: "passed", answered_by: "Agency", evidence: "Search and map", pages });
    const { json } = await answer("2.4.5", { outcome: "not_present" });
    expect((json as unknown as { data: { attributes: object } }).data.attributes).to.nested.include({
      "answer.outcome": "not_present",
      "answer.answered_by": "Agency",
      "answer.evidence": "Search and map",
      "answer.pages[0].url": `${SHOP}a`,
    });
    expect((await answer("2.4.5", { outcome: "failed", due_on: "2027-02-30" })).status).to.equal(422);
    await answer("2.4.5", { outcome: null });
  });

  it("are the statement, with what a person has seen as a known problem", async () => {
    await answer("1.4.11", { outcome: "failed", answered_by: "Agency", evidence: "Borders of fields 1.6 to 1" });
    await call("PATCH", `${site}/statement`, {
      attributes: { operator: "Market hall", contact: "access@shop.example" },
    });
    const { json } = await call("GET", `${site}/statement`);
    const { operator, problems, missing } = (json as unknown as { data: { attributes: Record<string, never[]> } }).data
      .attributes;
    expect(operator).to.equal("Market hall");
    expect(problems).to.deep.include({
      title: "Borders of fields 1.6 to 1",
      criteria: ["1.4.11 Non-text Contrast"],
      due_on: null,
      state: "nobody",
    });
    expect(missing?.join(" ")).not.to.include("nobody to write to");
  });

  it("count no address without a page as one that was not checked", async () => {
    const account = await accountWithToken(database);
    const other = api.as(account.token);
    const pages = { "/": [], "/a": [], "/gone": { failed: 404 } };
    await runReport(database.db, account.accountId, pages);
    const [found] = (await other("GET", "/sites")).json.data;
    const { text } = await other("GET", `/sites/${found?.id}/statement.html`);
    expect(text).to.include("2 of 2 pages were checked");
  });

  it("take the criteria of a problem from all rules of its cause", async () => {
    const account = await accountWithToken(database);
    const other = api.as(account.token);
    const element = { extract: "<img>", element: null };
    const issue = (rule: string, tags: string[]) => ({
      ...{ issue_type: "error" as const, rule, message: rule, help_url: null, tags, html: [element] },
    });
    const issues = { "/": [issue("one", ["wcag111"]), issue("two", ["wcag412"])] };
    await runReport(database.db, account.accountId, { "/": [] }, { issues });
    const [found] = (await other("GET", "/sites")).json.data;
    const { json } = await other("GET", `/sites/${found?.id}/statement`);
    const { problems, states } = (json as unknown as { data: { attributes: Record<string, unknown> } }).data.attributes;
    const named = (problems as { criteria: string[] }[]).flatMap(({ criteria }) => criteria);
    expect(named).to.have.members(["1.1.1 Non-text Content", "4.1.2 Name, Role, Value"]);
    expect(states).to.deep.include({ failed_by_machine: 2 });
  });

  it("have a sample of each folder where templates were not compared, the same for the same seed", async () => {
    const account = await accountWithToken(database);
    const other = api.as(account.token);
    const paths = ["/", ...[1, 2, 3, 4, 5].flatMap((n) => [`/shop/${n}`, `/news/${n}`])];
    await runReport(database.db, account.accountId, Object.fromEntries(paths.map((path) => [path, []])));
    await database.db.updateTable("web_pages").set({ fetched: true }).execute();
    const [found] = (await other("GET", "/sites")).json.data;
    const draw = async (seed: string) =>
      (await other("GET", `/sites/${found?.id}/sample?seed=${seed}`)).json as unknown as {
        data: { attributes: { pages: { url: string; drawn: string }[] } };
      };
    const { pages } = (await draw("a")).data.attributes;
    const of = (part: string) => pages.filter(({ url, drawn }) => drawn === "template" && url.includes(part)).length;
    expect([of("/shop/"), of("/news/"), pages.length]).to.deep.equal([2, 2, 7]);
    expect((await draw("a")).data.attributes.pages).to.deep.equal(pages);
    const others = await Promise.all(["b", "c", "d"].map(draw));
    expect(others.some(({ data }) => JSON.stringify(data.attributes.pages) !== JSON.stringify(pages))).to.equal(true);
  });

  it("are exported as text, EARL and OpenACR, which say the same", async () => {
    const read = async (format: string) => (await call("GET", `${site}/statement.${format}`)).text;
    expect(await read("html"))
      .to.include("Borders of fields 1.6 to 1")
      .and.to.include("Draft");
    const { "@graph": graph } = JSON.parse(await read("earl.jsonld"));
    const failed = graph.filter(
      (one: Record<string, Record<string, Record<string, string>>>) =>
        one["earl:result"]?.["earl:outcome"]?.["@id"] === "earl:failed",
    );
    const { chapters } = parse(await read("openacr.yaml"));
    const criteria = Object.values(
      chapters as Record<string, { criteria: { components: { adherence: { level: string } }[] }[] }>,
    ).flatMap((one) => one.criteria);
    const partly = criteria.filter(({ components }) => components[0]?.adherence.level === "partially-supports");
    expect(failed.length).to.equal(partly.length).and.to.be.above(0);
    expect((await read("vpat.html")).match(/Partially supports/g)).to.have.length(partly.length);
  });
});
