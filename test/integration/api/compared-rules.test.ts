import { expect } from "chai";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { NOW, runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

const sites: Site[] = [
  { "/": ["alt a x", "alt b x", "label i x"], "/gone": ["lang *"], "/c": ["title *"] },
  { "/": ["alt a x", "alt b x"], "/gone": { failed: 404 }, "/c": ["title *"] },
  { "/": ["alt a x", "alt c x", "alt d x"], "/gone": { failed: 404 }, "/new": ["label i x"], "/c": { failed: 500 } },
];
const day = (number: number) => new Date(NOW.getTime() + number * 86_400_000);

describe("the rules of a comparison", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  let first: string;
  let last: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
    const ids: string[] = [];
    for (const [number, site] of sites.entries())
      ids.push(
        await runReport(database.db, accountId, site, {
          at: day(number),
          ...(number === 2 && { version: "2", spec: { maxPages: 50 } }),
        }),
      );
    [first = "", , last = ""] = ids;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const read = async (path: string) => {
    const { status, text, json } = await call("GET", `/reports/${last}${path}`);
    expect(status, text).to.equal(200);
    return json;
  };
  const rules = async (query: string) =>
    (await read(`/comparison/rules?base=${first}&${query}`)).data.map(({ attributes }) => {
      const { state, rule, how_many, num_pages, first_seen_at } = attributes;
      return [state, rule, how_many, num_pages, first_seen_at];
    });
  const [then, now] = ["2026-05-05T10:00:00", "2026-05-07T10:00:00"];

  it("are there once the two are compared, and not before", async () => {
    const before = await call("GET", `/reports/${last}/comparison/rules?base=${first}`);
    expect([before.status, before.json.errors[0]?.code]).to.deep.equal([409, "not_compared"]);
    expect((await read("/comparison/rules")).data).to.deep.equal([]);
    expect((await read(`/comparison?base=${first}`)).data.attributes.status).to.equal("complete");
    expect(await rules("")).to.have.length(6);
  });

  it("have the elements in each state, and since when the oldest is there", async () => {
    // An element that was moved is the same; the other engine may not look for the rule of the page that is gone.
    expect(await rules("sort=how_many-desc")).to.have.deep.members([
      ["persisting", "alt", 2, 1, then],
      ["new", "alt", 1, 1, now],
      ["new", "label", 1, 1, now],
      ["fixed", "label", 1, 1, then],
      ["unknown", "lang", 1, 1, then],
      ["unknown", "title", 1, 1, then],
    ]);
    expect((await rules("sort=how_many-desc"))[0]?.[2]).to.equal(2);
    expect(await rules("filter[state]=fixed")).to.deep.equal([["fixed", "label", 1, 1, then]]);
  });

  for (const key of ["how_many", "impact", "pages"])
    it(`are sorted by ${key} both ways`, async () => {
      expect(await rules(`sort=${key}-asc`)).to.deep.equal((await rules(`sort=${key}-desc`)).toReversed());
    });

  it("lead to exactly their findings, whichever report has them", async () => {
    for (const { attributes, relationships } of (await read(`/comparison/rules?base=${first}`)).data) {
      const path = String(relationships.findings?.links.related).replace(/^.*\/reports\/[^/]*/, "");
      const found = (await read(path)).data;
      const elements = found.map(
        (one) => (one.attributes.states as Record<string, number>)[String(attributes.state)] ?? 0,
      );
      expect(
        elements.reduce((sum, one) => sum + one, 0),
        path,
      ).to.equal(attributes.how_many);
    }
  });

  it("stand beside what else changed", async () => {
    const { changes } = (await read(`/comparison?base=${first}`)).data.attributes;
    expect(changes).to.deep.equal({
      settings: [{ name: "max_pages", from: "10", to: "50" }],
      engines: [{ kind: "html", from: "conformance 1", to: "conformance 2" }],
      pages: {
        ...{ from: 3, to: 4, failed_from: 0, failed_to: 2, added: 1, added_urls: ["https://example.com/new"] },
        ...{ removed: 0, removed_urls: [] },
      },
    });
  });

  it("tell readers of a shared report no values of settings", async () => {
    await database.db.updateTable("reports").set({ shared: true }).where("id", "in", [first, last]).execute();
    const { json } = await api.as(undefined)("GET", `/reports/${last}/comparison?base=${first}`);
    expect((json.data.attributes.changes as { settings: unknown }).settings).to.deep.equal([
      { name: "max_pages", from: null, to: null },
    ]);
    await database.db.updateTable("reports").set({ shared: false }).execute();
    expect((await api.as(undefined)("GET", `/reports/${last}/comparison/rules?base=${first}`)).status).to.equal(401);
  });

  it("have what is muted apart", async () => {
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule: "alt" }));
    await recountAll(database.db);
    await read(`/comparison?base=${first}`);
    expect((await rules("filter[muted]=true")).map(([state, rule]) => `${state} ${rule}`)).to.have.members([
      ...["persisting alt", "new alt"],
    ]);
    expect(await rules("")).to.have.length(4);
  });
});
