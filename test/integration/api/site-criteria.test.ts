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
    });
    expect(missing?.join(" ")).not.to.include("nobody to write to");
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
