import { expect } from "chai";
import { sql } from "kysely";
import type { Attributes, List } from "../../../src/api/documents.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

/** A logo on four pages, by both engines; pictures in the text of two; and a pale text on two. */
const site: Site = {
  "/": ["alt logo header", "alt cake main", "lang *"],
  "/a": ["alt logo header", "alt cake main", "label input main"],
  "/b": ["alt logo header", "alt bread main", "alt bread main"],
  "/news/c": ["alt logo header"],
};
const a11y: Site = { "/": ["color-contrast p footer"], "/news/c": ["color-contrast p footer"] };

describe("the causes of a report", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    accountId = account.accountId;
    call = api.as(account.token);
    report = await runReport(database.db, accountId, site, { spec: { performA11yChecks: true }, a11y });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const read = async (path: string) => {
    const { status, text, json } = await call("GET", `/reports/${report}${path}`);
    expect(status, text).to.equal(200);
    return json;
  };
  const causes = async (query = "") => {
    const { data, meta } = await read(`/causes?page[size]=100${query}`);
    const list = data.map(({ id, attributes }) => ({ id, ...(attributes as Attributes<"cause">) }));
    return { list, meta: meta as List<"cause">["meta"] };
  };
  const errors = async (query = ""): Promise<number> =>
    (await read(`/findings?filter[issue_type]=error&page[size]=100${query}`)).data.reduce(
      (sum, { attributes }) => sum + Number(attributes.how_many),
      0,
    );

  const expectAll = async () => {
    const { list, meta } = await causes();
    const all = await errors();
    expect(all).to.be.above(0);
    expect(list.reduce((sum, { how_many }) => sum + Number(how_many), 0)).to.equal(all);
    expect(meta.how_many).to.equal(all);
    for (const { id, how_many } of list) expect(await errors(`&filter[cause]=${id}`), id).to.equal(how_many);
    expect(list.map(({ number }) => number)).to.deep.equal(list.map((_, index) => index + 1));
    const first = list.slice(0, 5);
    expect(meta.first).to.deep.equal({
      causes: first.length,
      how_many: first.reduce((sum, { how_many }) => sum + Number(how_many), 0),
      verified: first.reduce((sum, { verified }) => sum + Number(verified), 0),
      estimated: first
        .filter(({ known_by }) => known_by === "estimated")
        .reduce((sum, { how_many, verified }) => sum + Number(how_many) - Number(verified), 0),
    });
    return list;
  };

  it("have each error once, before the report has ended", expectAll);

  describe("once they are stored", () => {
    let list: Awaited<ReturnType<typeof expectAll>>;
    before(async () => {
      const before = await expectAll();
      await storeComponents(database.db, report, null);
      list = await expectAll();
      expect(list).to.deep.equal(before);
    });

    it("are the same one by one", async () => {
      for (const { id, title, how_many } of list)
        expect((await read(`/causes/${id}`)).data.attributes).to.include({ title, how_many });
      expect((await call("GET", `/reports/${report}/causes/${"0".repeat(20)}`)).status).to.equal(404);
    });

    it("are known by what is stored with their findings", async () => {
      expect(list.map(({ known_by }) => known_by)).to.deep.equal(list.map(() => "not_verified"));
      const [most, next] = list;
      await sql`update findings set repaired = how_many where report_id = ${report} and encode(cause, 'hex') = ${most?.id}`.execute(
        database.db,
      );
      await sql`
        update findings set repaired = how_many where id = (
          select min(id) from findings where report_id = ${report} and encode(cause, 'hex') = ${next?.id}
        )`.execute(database.db);
      await storeComponents(database.db, report, null);
      const known = new Map((await causes()).list.map(({ id, known_by }) => [id, known_by]));
      expect([known.get(String(most?.id)), known.get(String(next?.id))]).to.deep.equal(["verified", "estimated"]);
      expect((await causes("&filter[known_by]=verified")).list.map(({ id }) => id)).to.deep.equal([most?.id]);
    });

    it("are counted in a folder, and selected by role and impact", async () => {
      const { meta } = await causes("&filter[path]=/news/");
      expect(meta.how_many).to.equal(await errors("&filter[path]=/news/"));
      const { list: all, meta: whole } = await causes();
      for (const role of ["content", "template", "design"] as const) {
        const { list: some } = await causes(`&filter[role]=${role}`);
        expect(some.map(({ id }) => id)).to.deep.equal(all.filter((cause) => cause.role === role).map(({ id }) => id));
        expect(whole.counts.role[role]).to.equal(some.length);
      }
      const { list: none } = await causes("&filter[impact]=none");
      expect(none.map(({ impact }) => impact)).to.deep.equal(none.map(() => null));
    });

    it("are counted beside each filter as its list would show, with all other filters", async () => {
      for (const given of [
        "",
        "&filter[role]=template",
        "&filter[impact]=none",
        "&filter[path]=/news/",
        "&filter[search]=alt",
      ]) {
        const { meta } = await causes(given);
        for (const name of ["role", "impact", "known_by", "state"] as const)
          for (const [value, count] of Object.entries(meta.counts[name])) {
            const others = given.includes(`[${name}]`) ? "" : given;
            const { list: listed } = await causes(`${others}&filter[${name}]=${value}`);
            expect(listed.length, `${name} ${value} beside ${given}`).to.equal(count);
          }
      }
    });

    it("come in the orders that are asked for, each the exact reverse of the other", async () => {
      for (const key of ["how_many", "places", "gain", "impact", "due_on"]) {
        const [down, up] = [await causes(`&sort=${key}-desc`), await causes(`&sort=${key}-asc`)];
        expect(up.list.map(({ id }) => id)).to.deep.equal(down.list.map(({ id }) => id).toReversed());
      }
    });

    it("lose what is muted", async () => {
      const [{ id, how_many } = { id: "", how_many: 0 }] = (await causes()).list;
      const { data } = await read(`/findings?filter[cause]=${id}&page[size]=1`);
      await addMuting(
        database.db,
        { accountId, guestToken: null },
        mutingOf({ component: String(data[0]?.attributes.component) }),
      );
      await recountAll(database.db);
      await expectAll();
      const left = (await causes()).list.find((cause) => cause.id === id);
      expect(Number(left?.how_many ?? 0)).to.be.below(Number(how_many));
    });
  });
});
