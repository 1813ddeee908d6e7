import { expect } from "chai";
import { sql } from "kysely";
import { type Role, roleOf } from "../../../src/domain/findings/role.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

/** A logo on four pages, a picture on two, and others on one; and a pale text on two. */
const site: Site = {
  "/": ["alt logo header", "alt cake main", "lang *"],
  "/a": ["alt logo header", "alt cake main", "label input main"],
  "/b": ["alt logo header", "alt bread main", "alt bread main"],
  "/c": ["alt logo header"],
};
const a11y: Site = { "/": ["color-contrast p footer"], "/c": ["color-contrast p footer"] };

describe("the roles of what is found", () => {
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
    const { status, text, json } = await call("GET", path);
    expect(status, text).to.equal(200);
    return json;
  };
  const listed = async (list: string) =>
    (await read(`/reports/${report}/${list}`)).data.map(({ attributes }) => attributes);

  it("are not known before the report's findings are grouped", async () => {
    expect((await listed("findings")).map(({ role }) => role)).to.deep.equal(Array(11).fill(null));
    expect(await listed("findings?filter[role]=content")).to.deep.equal([]);
    expect((await read(`/reports/${report}`)).data.attributes.roles).to.equal(null);
    expect((await listed("common_html_issues")).map(({ roles }) => roles)).to.deep.equal([null, null, null]);
  });

  describe("once they are grouped", () => {
    before(() => storeComponents(database.db, report, null));

    it("are those of the rule for components", async () => {
      for (const { rule, role, num_pages } of await listed("components"))
        expect(role, `${rule} on ${num_pages}`).to.equal(roleOf({ rule: String(rule), numPages: Number(num_pages) }));
    });

    for (const role of ["content", "template", "design"] as Role[])
      it(`select findings, components, issues and exports with ${role}`, async () => {
        const wanted = (await listed("findings")).filter((finding) => finding.role === role);
        expect(wanted).not.to.deep.equal([]);
        const query = `filter[role]=${role}`;
        expect(await listed(`findings?${query}`)).to.deep.equal(wanted);
        const components = await listed(`components?${query}`);
        expect(components.map((one) => one.role)).to.deep.equal(components.map(() => role));
        expect(components.reduce((sum, one) => sum + Number(one.how_many), 0)).to.equal(
          wanted.reduce((sum, one) => sum + Number(one.how_many), 0),
        );
        const issues = [
          ...(await listed(`common_html_issues?${query}`)),
          ...(await listed(`common_a11y_issues?${query}`)),
        ];
        expect(new Set(issues.map(({ rule }) => rule))).to.deep.equal(new Set(wanted.map(({ rule }) => rule)));
        const { text } = await call("GET", `/reports/${report}/export.ndjson?${query}`);
        expect(
          text
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line).role),
        ).to.deep.equal(wanted.map(() => role));
      });

    it("are counted by report, issue and page", async () => {
      expect((await read(`/reports/${report}`)).data.attributes.roles).to.deep.equal({
        content: 6,
        template: 4,
        design: 2,
      });
      const [alt] = await listed("common_html_issues?filter[rule]=alt");
      expect(alt?.roles).to.deep.equal({ content: 4, template: 4, design: 0 });
      expect((await listed("web_pages?sort=url-asc")).map(({ roles }) => roles)).to.deep.equal([
        ...[
          { content: 2, template: 1, design: 1 },
          { content: 2, template: 1, design: 0 },
        ],
        ...[
          { content: 2, template: 1, design: 0 },
          { content: 0, template: 1, design: 1 },
        ],
      ]);
    });

    it("are of the findings of one page, which can be listed alone", async () => {
      const [page] = (await read(`/reports/${report}/web_pages?filter[url]=/b`)).data;
      const found = await listed(`findings?filter[web_page_id]=${page?.id}`);
      expect(found.map(({ role, how_many }) => [role, how_many])).to.have.deep.members([
        ["template", 1],
        ["content", 2],
      ]);
    });

    it("are counted without what is muted, and stay what they are", async () => {
      await addMuting(
        database.db,
        { accountId, guestToken: null },
        mutingOf({ url_match: "example.com/a", rule: "alt" }),
      );
      await addMuting(
        database.db,
        { accountId, guestToken: null },
        mutingOf({ url_match: "example.com/b", rule: "alt" }),
      );
      await recountAll(database.db);
      expect((await read(`/reports/${report}`)).data.attributes.roles).to.deep.equal({
        content: 3,
        template: 2,
        design: 2,
      });
      const logos = (await listed("findings?filter[rule]=alt")).filter(({ role }) => role === "template");
      expect(logos).to.have.length(2);
      const [muted] = await listed("common_html_issues?filter[muted]=true");
      expect(muted?.roles).to.deep.equal({ content: 3, template: 2, design: 0 });
    });

    it("end with the report", async () => {
      await sql`delete from reports where id = ${report}`.execute(database.db);
      for (const table of ["templates", "role_counts"] as const)
        expect(await database.db.selectFrom(table).selectAll().execute()).to.deep.equal([]);
    });
  });
});
