import { expect } from "chai";
import { createGuidePages } from "../../../src/web/app.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";

describe("Guides in issues", () => {
  let database: TestDatabase;
  let api: TestApi;
  let anybody: Call;
  let call: Call;
  let found: Awaited<ReturnType<typeof insertFindings>>;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { pages: createGuidePages });
    anybody = api.as(undefined);
    const { accountId, token } = await accountWithToken(database);
    call = api.as(token);
    report = await insertReport(database.db, { accountId });
    found = await insertFindings(database.db, report);
    const { db } = database;
    await db.updateTable("issues").set({ rule: "img/alt" }).where("kind", "=", "html").execute();
    await db
      .updateTable("common_issues")
      .set({ rule: "obsolete-attribute/align" })
      .where("kind", "=", "html")
      .execute();
    await db.updateTable("issues").set({ rule: "image-alt" }).where("kind", "=", "a11y").execute();
    await db.updateTable("common_issues").set({ rule: "image-alt" }).where("kind", "=", "a11y").execute();
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("explain the rule in three forms, with the address of a page that needs no token", async () => {
    const page = `/reports/${report}/web_pages/${found.pageIds[0]}`;
    const issues = [
      [`${page}/html_issues/${found.htmlIssueIds[0]}`, "html/img/alt"],
      [`${page}/a11y_issues/${found.a11yIssueId}`, "a11y/image-alt"],
      [`/reports/${report}/common_html_issues/${found.commonHtmlIssueIds[0]}`, "html/obsolete-attribute"],
      [`/reports/${report}/common_a11y_issues/${found.commonA11yIssueId}`, "a11y/image-alt"],
    ];
    for (const [path = "", guide] of issues) {
      const { attributes } = (await call("GET", path)).json.data;
      expect(attributes.guide_url).to.equal(`${api.url}/guides/${guide}`);
      expect(attributes.description_markdown).to.match(/`\w+`/);
      expect(attributes.description_html).to.match(/^<p>.*<code>\w+<\/code>/s);
      expect(attributes.description)
        .to.be.a("string")
        .and.not.match(/[`]|<p>|##/);
      const read = await anybody("GET", `//guides/${guide}`);
      expect([
        read.status,
        read.text.includes(String(attributes.description_html).trim().split("\n")[0] ?? "?"),
      ]).to.deep.equal([200, true]);
    }
  });

  it("are null for a rule without one", async () => {
    await database.db.updateTable("issues").set({ rule: "no-such-rule/alt" }).where("kind", "=", "html").execute();
    const path = `/reports/${report}/web_pages/${found.pageIds[0]}/html_issues/${found.htmlIssueIds[0]}`;
    const { attributes } = (await call("GET", path)).json.data;
    expect(attributes).to.deep.include({
      ...{ description: null, description_markdown: null, description_html: null, guide_url: null },
    });
  });
});
