import { expect } from "chai";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";

const html: Site = {
  "/": ["img/alt cake main", "img/alt cake main", "img/alt logo header", "missing-lang *"],
  "/a": ["img/alt logo header"],
  "/b": [],
};
const a11y: Site = {
  "/": [
    "image-alt cake main",
    "image-alt cake main",
    "image-alt cake main",
    "color-contrast cake main",
    "html-has-lang html *",
  ],
  "/a": ["empty-heading h2 main"],
};

describe("the faults of a report", () => {
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
    report = await runReport(database.db, accountId, html, { spec: { performA11yChecks: true }, a11y });
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
  const faultsOfPages = async () =>
    (await read("/web_pages?sort=url-asc")).data.map(({ attributes }) => attributes.num_faults);
  const ofReport = async () => (await read("")).data.attributes;

  it("are elements: one with errors of several kinds about the same thing counts once", async () => {
    // On the first page: three pictures, of which one engine sees two, a pale one, a logo, and no language.
    expect(await faultsOfPages()).to.deep.equal([6, 2, 0]);
  });

  it("are counted for the report when it has ended, beside its errors", async () => {
    expect((await ofReport()).num_faults).to.equal(null);
    await storeComponents(database.db, report, null);
    const { num_faults, checks } = await ofReport();
    expect(num_faults).to.equal(8);
    type Checks = Record<string, { issues: { errors: number } }>;
    expect([(checks as Checks).html?.issues.errors, (checks as Checks).a11y?.issues.errors]).to.deep.equal([5, 6]);
  });

  it("are named by each finding, and in exports", async () => {
    const findings = (await read("/findings")).data.map(({ attributes }) => attributes);
    const rulesOf = [...Map.groupBy(findings, ({ fault }) => fault).values()].map((same) =>
      same.map(({ rule }) => rule).sort(),
    );
    expect(rulesOf).to.have.deep.members([
      ...[["image-alt", "img/alt"], ["html-has-lang", "missing-lang"], ["color-contrast"], ["empty-heading"]],
      ...[["img/alt"], ["img/alt"]],
    ]);
    const { text } = await call("GET", `/reports/${report}/export.ndjson`);
    const exported = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).fault);
    expect(exported).to.have.members(findings.map(({ fault }) => fault));
  });

  it("are not there once nothing of them counts", async () => {
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule: "img/alt" }));
    await recountAll(database.db);
    expect(await faultsOfPages()).to.deep.equal([5, 1, 0]);
    expect((await ofReport()).num_faults).to.equal(6);
  });
});
