import { expect } from "chai";
import type { Log } from "sarif";
import type { Attributes, List } from "../../../src/api/documents.ts";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import type { Issue } from "../../../src/domain/findings/findings.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { reportSpec } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startEngine } from "../../support/identified.ts";
import { limitOf } from "../../support/wait.ts";

/** The first link lacks a quote; the last picture, its text. Columns behind the emoji are UTF-16 units, and lines end in CRLF. */
const source = [
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Bakery</title></head><body><h1>Bakery</h1>',
  '<p class="a">\u{1F950}\u{1F950} <a href="/bread>Bread</a> of today</p>',
  '<p class="b">and <a class="c" href="/cake">cake</a></p>',
  '<p class="d"><img src="/cake.png"></p>',
  "</body></html>",
].join("\r\n");

type Finding = Attributes<"finding">;

describe("findings that only follow from another one", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let runner: EngineRunner;
  let issues: Issue[];
  let report: string;

  const check = async (text: string): Promise<Issue[]> => {
    const document = { source: text, contentType: "text/html; charset=utf-8" };
    const outcome = await runner.check(
      { url: "https://example.com/", document, spec: reportSpec() },
      { signal: new AbortController().signal, beforeRequest: async () => {} },
    );
    if ("failure" in outcome) throw new Error(outcome.failure.detail);
    return outcome.issues;
  };

  before(async function () {
    this.timeout(limitOf(60));
    runner = await startEngine("conformance");
    issues = await check(source);
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    call = api.as(account.token);
    report = await runReport(database.db, account.accountId, { "/": [], "/b": [] }, { issues: { "/": issues } });
    await storeComponents(database.db, report, null);
  });
  after(async () => {
    await runner.close();
    await api.close();
    await database.drop();
  });

  const read = async (path: string) => {
    const { status, text, json } = await call("GET", `/reports/${report}${path}`);
    expect(status, text).to.equal(200);
    return json;
  };
  const findings = async (query: string) =>
    (await read(`/findings?page[size]=100&${query}`)).data.map(({ attributes }) => attributes as Finding);
  const number = (list: readonly Pick<Finding, "how_many">[]) => list.reduce((sum, { how_many }) => sum + how_many, 0);

  it("are messages as before, and no faults", async () => {
    const errors = issues.filter(({ issue_type }) => issue_type === "error");
    const messages = errors.reduce((sum, { html }) => sum + html.length, 0);
    expect(messages).to.be.above(3);
    const { attributes } = (await read("")).data as unknown as { attributes: Attributes<"report"> };
    expect(attributes.checks.html?.issues.errors).to.equal(messages);
    expect(attributes.num_faults).to.equal(2);
    const pages = (await read("/web_pages?sort=url-asc")).data.map((page) => page.attributes as Attributes<"web_page">);
    expect(pages.map(({ num_faults, faults }) => [num_faults, faults.all])).to.deep.equal([
      [2, 2],
      [0, 0],
    ]);
  });

  it("say from which one, and that has the change with which they go", async () => {
    const follow = await findings("filter[consequence]=true");
    const own = await findings("filter[consequence]=false");
    expect(own).to.have.length(2);
    const cause = own.find(({ element }) => element?.fix);
    expect(cause?.element?.fix?.title).to.equal('insert " at 2:34');
    expect(cause?.num_consequences).to.equal(0);
    const { first_line, first_column } = cause?.element?.coordinates ?? {};
    expect(follow).not.to.deep.equal([]);
    for (const { element, num_consequences, how_many } of follow) {
      expect(num_consequences).to.equal(how_many);
      expect(element?.caused_by).to.deep.equal({ rule: cause?.rule, first_line, first_column });
    }
    expect(cause?.element?.fix?.removes).to.be.within(number(follow), number(follow) + 1);
  });

  it("have the cause of that, which is verified as a whole", async () => {
    const { data } = (await read("/causes")) as unknown as List<"cause">;
    const all = data.map(({ attributes }) => attributes);
    const cause = all.find(({ element }) => element?.fix);
    const follow = await findings("filter[consequence]=true");
    expect(cause?.how_many).to.equal(1 + number(follow));
    expect(cause?.verified).to.equal(cause?.how_many);
    expect([cause?.num_places, cause?.rules.length]).to.deep.equal([1, 1]);
    expect(new Set(follow.map((one) => one.cause))).to.have.property("size", 1);
    expect(all).to.have.length(2);
  });

  it("say so in exports; a change in SARIF, applied to the page, mends it", async () => {
    const lines = (await call("GET", `/reports/${report}/export.ndjson`)).text.trim().split("\n");
    const exported = lines.map((line) => JSON.parse(line));
    expect(exported.filter(({ caused_by }) => caused_by !== null)).to.have.length(
      (await findings("filter[consequence]=true")).length,
    );
    expect(exported.flatMap(({ fix }) => fix?.title ?? [])).to.deep.equal(['insert " at 2:34']);
    const { runs } = JSON.parse((await call("GET", `/reports/${report}/export.sarif`)).text) as Log;
    const results = runs.flatMap((run) => run.results ?? []);
    expect(runs[0]?.columnKind).to.equal("utf16CodeUnits");
    expect(results.filter(({ relatedLocations }) => relatedLocations)).to.have.length(exported.length - 2);
    const [change] = results.flatMap(({ fixes = [] }) => fixes.flatMap((fix) => fix.artifactChanges));
    let mended = source;
    for (const { deletedRegion, insertedContent } of change?.replacements ?? []) {
      const at = (line = 1, column = 1) =>
        source
          .split("\r\n")
          .slice(0, line - 1)
          .join("\r\n").length +
        (line > 1 ? 2 : 0) +
        column -
        1;
      const { startLine, startColumn, endLine, endColumn } = deletedRegion;
      mended =
        mended.slice(0, at(startLine, startColumn)) + insertedContent?.text + mended.slice(at(endLine, endColumn));
    }
    expect((await check(mended)).map(({ rule }) => rule)).to.deep.equal(["img/alt"]);
  });
});
