import { expect } from "chai";
import { compressTextNow } from "../../../src/database/stored-text.ts";
import { MAX_STORED_BYTES } from "../../../src/domain/findings/bound-findings.ts";
import { digest } from "../../../src/domain/identity/digest.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Findings, greyContrast, insertFindings } from "../../support/findings.ts";

describe("a report's pages and findings over the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let report: string;
  let found: Findings;
  let self: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    call = api.as(account.token);
    const spec = { performA11yChecks: true, tags: ["a", "b"] };
    report = await insertReport(database.db, { accountId: account.accountId, spec });
    found = await insertFindings(database.db, report);
    self = `${api.url}/api/v1/reports/${report}`;
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** The ids of a list, whose status must be 200. */
  async function ids(path: string): Promise<string[]> {
    const reply = await call("GET", path);
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.json.meta.total).to.equal(reply.json.data.length);
    return reply.json.data.map(({ id }) => id);
  }

  it("shows a running report's counters, engines and severity", async () => {
    const { attributes } = (await call("GET", `/reports/${report}`)).json.data;
    expect(attributes).to.deep.include({
      phase: "Checking",
      num_pages: 3,
      tags: ["a", "b"],
      last_checked_at: "2026-01-02T03:04:05",
      engines: { html: { name: "html-validate", version: "11.0.0" } },
      checks: {
        html: {
          status: { pending: 1, checked: 1, failed: 1 },
          reused: 0,
          issues: { errors: 3, warnings: 1, muted: { errors: 0, warnings: 0 } },
        },
        a11y: {
          status: { pending: 1, checked: 1, failed: 1 },
          reused: 0,
          issues: {
            errors: 2,
            warnings: 0,
            muted: { errors: 0, warnings: 0 },
            outside_standard: 0,
            severity: { critical: 0, serious: 2, moderate: 0, minor: 0, total: { errors: 2, warnings: 0, total: 2 } },
          },
        },
        links: null,
      },
    });
  });

  it("lists the pages in the order found, each with its checks", async () => {
    expect(await ids(`/reports/${report}/web_pages`)).to.deep.equal(found.pageIds);
    const [checked, failed, pending] = found.pageIds;
    const page = (await call("GET", `/reports/${report}/web_pages/${checked}`)).json.data;
    expect(page.type).to.equal("web_page");
    const { inserted_at, updated_at, ...attributes } = page.attributes;
    expect(inserted_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(updated_at).to.be.a("string");
    expect(attributes).to.deep.equal({
      faults: { all: 3, content: 0, template: 0, design: 0 },
      without_page: false,
      title: null,
      url: "https://example.com/",
      linked_from: null,
      met: null,
      views: null,
      num_linked_from: null,
      linked_from_pages: null,
      status: "checked",
      http_status: 200,
      html_check: { status: "checked", errors: 3, warnings: 1, failure: null, duration_ms: 340, reused: false },
      a11y_check: {
        status: "checked",
        errors: 2,
        warnings: 0,
        failure: null,
        duration_ms: 340,
        reused: false,
        outside_standard: 0,
        severity: { critical: 0, serious: 2, moderate: 0, minor: 0, total: { errors: 2, warnings: 0, total: 2 } },
      },
      link_check: null,
      fetch_ms: 25,
      duration_ms: 705,
      // Here elements of both kinds have the same fingerprints.
      num_faults: 3,
      new_errors: null,
      roles: null,
      screenshot_size: { width: 390, height: 1_200, scale: 2.625 },
      like_others: false,
      last_checked_at: "2026-01-02T03:04:05",
    });
    expect(page.relationships).to.deep.equal({
      report: { links: { related: self } },
      html_issues: { links: { related: `${self}/web_pages/${checked}/html_issues` } },
      a11y_issues: { links: { related: `${self}/web_pages/${checked}/a11y_issues` } },
      link_issues: { links: { related: `${self}/web_pages/${checked}/link_issues` } },
      raw_html_check: { links: { related: `${self}/web_pages/${checked}/raw_html_check` } },
      raw_a11y_check: { links: { related: `${self}/web_pages/${checked}/raw_a11y_check` } },
      screenshot: { links: { related: `${self}/web_pages/${checked}/screenshot` } },
      source: { links: { related: `${self}/web_pages/${checked}/source` } },
    });
    const broken = (await call("GET", `/reports/${report}/web_pages/${failed}`)).json.data.attributes;
    expect(broken).to.deep.include({
      status: "failed",
      http_status: 500,
      html_check: {
        status: "failed",
        errors: 0,
        warnings: 0,
        failure: { code: "http_error", detail: "The server responded with 500 Internal Server Error." },
        duration_ms: null,
        reused: false,
      },
    });
    expect((await call("GET", `/reports/${report}/web_pages/${pending}`)).json.data.attributes.status).to.equal(
      "pending",
    );
  });

  it("says that a page is being checked as soon as one of its checks has begun", async () => {
    const [, , pending] = found.pageIds;
    const one = database.db.updateTable("checks").where("web_page_id", "=", pending).where("kind", "=", "html");
    await one.set({ status: "leased" }).execute();
    const { attributes } = (await call("GET", `/reports/${report}/web_pages/${pending}`)).json.data;
    await one.set({ status: "queued" }).execute();
    expect(attributes.status).to.equal("checking");
    expect(attributes.html_check).to.include({ status: "checking" });
    expect(attributes.a11y_check).to.include({ status: "pending" });
  });

  it("filters pages by part of the URL and by common issue", async () => {
    const [checked, failed] = found.pageIds;
    const pages = `/reports/${report}/web_pages`;
    expect(await ids(`${pages}?filter[url]=BROK`)).to.deep.equal([failed]);
    expect(await ids(`${pages}?filter[url]=%25`)).to.deep.equal([]);
    expect(await ids(`${pages}?filter[common_html_issue_id]=${found.commonHtmlIssueIds[0]}`)).to.deep.equal([checked]);
    expect(await ids(`${pages}?filter[common_a11y_issue_id]=${found.commonA11yIssueId}`)).to.deep.equal([checked]);
    expect(await ids(`${pages}?filter[common_html_issue_id]=999999`)).to.deep.equal([]);
    expect(await ids(`${pages}?filter[common_html_issue_id]=${found.commonA11yIssueId}`)).to.deep.equal([]);
    expect(await ids(`${pages}?filter[common_a11y_issue_id]=${found.commonHtmlIssueIds[0]}`)).to.deep.equal([]);
    // Muted there: the page is not affected.
    expect(await ids(`${pages}?filter[common_html_issue_id]=${found.commonHtmlIssueIds[2]}`)).to.deep.equal([]);
  });

  it("has no issue under the id of one of another kind", async () => {
    const page = `/reports/${report}/web_pages/${found.pageIds[0]}`;
    for (const path of [
      `/reports/${report}/common_html_issues/${found.commonA11yIssueId}`,
      `/reports/${report}/common_a11y_issues/${found.commonHtmlIssueIds[0]}`,
      `${page}/html_issues/${found.a11yIssueId}`,
      `${page}/a11y_issues/${found.htmlIssueIds[0]}`,
    ])
      expect((await call("GET", path)).status, path).to.equal(404);
  });

  it("follows a common issue's link to the pages that it is on", async () => {
    for (const path of [
      `/common_html_issues/${found.commonHtmlIssueIds[0]}`,
      `/common_a11y_issues/${found.commonA11yIssueId}`,
    ]) {
      const issue = (await call("GET", `/reports/${report}${path}`)).json.data;
      const link = issue.relationships.web_pages?.links.related ?? "";
      expect(await ids(link.replace(`${api.url}/api/v1`, ""))).to.deep.equal([found.pageIds[0]]);
    }
  });

  it("lists a page's HTML issues, errors first, without muted ones", async () => {
    const [error, warning, muted] = found.htmlIssueIds;
    const issues = `/reports/${report}/web_pages/${found.pageIds[0]}/html_issues`;
    expect(await ids(issues)).to.deep.equal([error, warning]);
    expect(await ids(`${issues}?filter[muted]=true`)).to.deep.equal([muted]);
    expect(await ids(`${issues}?filter[message]=100%25`)).to.deep.equal([error]);
    expect(await ids(`${issues}?filter[tags][mode]=all&filter[tags][list]=wcag,images`)).to.deep.equal([error]);
    expect(await ids(`${issues}?filter[tags][mode]=none&filter[tags][list]=wcag`)).to.deep.equal([warning]);
    expect(await ids(`${issues}?filter[tags][mode]=any&filter[tags][list]=wcag, style`)).to.deep.equal([
      error,
      warning,
    ]);
    const issue = (await call("GET", `${issues}/${warning}`)).json.data;
    const { inserted_at, updated_at, ...attributes } = issue.attributes;
    expect([inserted_at, updated_at]).to.satisfy((times: unknown[]) => times.every((time) => typeof time === "string"));
    expect(issue.type).to.equal("html_issue");
    expect(attributes).to.deep.equal({
      title: "Trailing slash on void elements",
      issue_type: "warning",
      issue_sub_type: null,
      rule: null,
      message: "Trailing slash on void elements",
      help_url: null,
      html: [
        {
          extract: "<p>0</p>",
          coordinates: {
            first_line: 1,
            last_line: 1,
            first_column: 1,
            last_column: 3,
            hilite_start: 0,
            hilite_length: 3,
          },
          fingerprint: digest(["0"]),
          selector: "html > body > p",
        },
      ],
      how_many: 1,
      html_truncated: false,
      states: null,
      first_seen_at: "2026-01-02T03:04:05",
      tags: ["style"],
      description: null,
      description_markdown: null,
      description_html: null,
      guide_url: null,
    });
    expect(issue.relationships).to.deep.equal({
      report: { links: { related: self } },
      web_page: { links: { related: `${self}/web_pages/${found.pageIds[0]}` } },
    });
  });

  it("lists a page's accessibility issues", async () => {
    const issues = `/reports/${report}/web_pages/${found.pageIds[0]}/a11y_issues`;
    expect(await ids(`${issues}?filter[help]=CONTRAST`)).to.deep.equal([found.a11yIssueId]);
    expect(await ids(`${issues}?filter[help]=nothing`)).to.deep.equal([]);
    const issue = (await call("GET", `${issues}/${found.a11yIssueId}`)).json.data;
    expect(issue.type).to.equal("a11y_issue");
    expect(issue.attributes).to.deep.include({
      rule: "color-contrast",
      help: "Elements must meet minimum color contrast",
      help_url: "https://example.org/color-contrast",
      impact: "serious",
      impact_order: 3,
      review: false,
      how_many: 2,
      tags: ["wcag2aa", "wcag143", "ACT-afw4f7"],
      success_criteria: [{ number: "1.4.3", title: "Contrast (Minimum)", level: "AA", since: "2.0" }],
      act_rules: [{ id: "afw4f7", url: "https://www.w3.org/WAI/standards-guidelines/act/rules/afw4f7/" }],
      standards: ["wcag2aa", "wcag21aa", "wcag22aa", "wcag22aaa", "section508", "en301549"],
      guide_url: `${api.url}/guides/a11y/color-contrast`,
    });
    const element = { failure_summary: "Fix it", selector: "html > body > p" };
    expect(issue.attributes.html).to.deep.equal([
      {
        ...{ ...element, extract: "<p>1</p>", target: "p:nth-child(1)", fingerprint: digest(["1"]) },
        box: { x: 8, y: 1_130, width: 374, height: 18 },
        contrast: greyContrast,
      },
      {
        ...{ ...element, extract: "<p>2</p>", target: "p:nth-child(2)", fingerprint: digest(["2"]) },
        ...{ box: null, contrast: null },
      },
    ]);
  });

  it("lists a report's common issues, completely muted ones only on request", async () => {
    const [error, warning, muted] = found.commonHtmlIssueIds;
    const issues = `/reports/${report}/common_html_issues`;
    expect(await ids(issues)).to.deep.equal([error, warning]);
    expect(await ids(`${issues}?filter[message]=slash`)).to.deep.equal([warning]);
    const mutedOnes = (await call("GET", `${issues}?filter[muted]=true`)).json.data;
    expect(mutedOnes.map(({ id, attributes }) => [id, attributes.how_many])).to.deep.equal([[muted, 2]]);
    const { attributes: all, type } = (await call("GET", `${issues}/${error}`)).json.data;
    const { first_seen_at, ...attributes } = all;
    expect(first_seen_at).to.be.a("string");
    expect(type).to.equal("common_html_issue");
    expect(attributes).to.deep.equal({
      report_id: report,
      issue_type: "error",
      issue_sub_type: null,
      rule: null,
      title: "Element <img> needs an alternative 100%",
      message: "Element <img> needs an alternative 100%",
      help_url: null,
      tags: ["images", "wcag"],
      how_many: 3,
      num_pages: 1,
      roles: null,
      states: null,
      description: null,
      description_markdown: null,
      description_html: null,
      guide_url: null,
    });
    const a11y = `/reports/${report}/common_a11y_issues`;
    expect(await ids(`${a11y}?filter[help]=contrast&filter[tags][list]=wcag2aa`)).to.deep.equal([
      found.commonA11yIssueId,
    ]);
    expect(await ids(`${a11y}?filter[muted]=true`)).to.deep.equal([]);
    const common = (await call("GET", `${a11y}/${found.commonA11yIssueId}`)).json.data;
    expect(common.type).to.equal("common_a11y_issue");
    expect(common.attributes).to.include({ report_id: report, impact: "serious", impact_order: 3, how_many: 2 });
  });

  it("lists the URLs that the crawler excluded, and why", async () => {
    const { data } = (await call("GET", `/reports/${report}/excluded_urls`)).json;
    expect(data.map(({ type, attributes }) => [type, attributes.url, attributes.reason])).to.deep.equal([
      ["excluded_url", "https://other.example/", "off_site"],
    ]);
  });

  it("returns raw checks and screenshots that were stored, and says if one was not", async () => {
    const [checked, failed] = found.pageIds;
    const pages = `/reports/${report}/web_pages`;
    for (const kind of ["html", "a11y"]) {
      const { data } = (await call("GET", `${pages}/${checked}/raw_${kind}_check`)).json;
      expect([data.type, data.attributes]).to.deep.equal(["raw_check", { kind, raw: { engine: kind } }]);
      const none = await call("GET", `${pages}/${failed}/raw_${kind}_check`);
      expect([none.status, none.json.errors[0]?.code]).to.deep.equal([404, "raw_check_not_stored"]);
    }
    const image = await call("GET", `${pages}/${checked}/screenshot`);
    expect([image.status, image.headers.get("content-type")]).to.deep.equal([200, "image/png"]);
    const none = await call("GET", `${pages}/${failed}/screenshot`);
    expect([none.status, none.json.errors[0]?.code]).to.deep.equal([404, "screenshot_not_stored"]);
    const source = await call("GET", `${pages}/${checked}/source`);
    expect([source.status, source.text]).to.deep.equal([200, "<!DOCTYPE html>\n<title>Here</title>\n"]);
    const noSource = await call("GET", `${pages}/${failed}/source`);
    expect([noSource.status, noSource.json.errors[0]?.code]).to.deep.equal([404, "source_not_stored"]);
  });

  for (const [what, body] of [
    ["that is not compressed", Buffer.from("{}")],
    ["that is not JSON", compressTextNow(Buffer.from("{"))],
    ["of more than 5 MB when decompressed", compressTextNow(Buffer.from(`"${"x".repeat(MAX_STORED_BYTES.raw)}"`))],
  ] as const) {
    it(`responds with 404 to a stored raw check ${what}`, async () => {
      const [, , pending] = found.pageIds;
      const stored = { web_page_id: pending, kind: "html" as const, raw_zstd: body };
      await database.db.insertInto("raw_checks").values(stored).execute();
      try {
        const reply = await call("GET", `/reports/${report}/web_pages/${pending}/raw_html_check`);
        expect([reply.status, reply.json.errors[0]?.code]).to.deep.equal([404, "raw_check_not_stored"]);
      } finally {
        await database.db.deleteFrom("raw_checks").where("web_page_id", "=", pending).execute();
      }
    });
  }

  it("lists devices, and reads the default one by id and by name", async () => {
    const { json } = await call("GET", "/devices?page[size]=100");
    expect(json.data[0]).to.deep.include({ id: "", type: "device" });
    const second = json.data[1];
    expect((await call("GET", `/devices/${second?.id}`)).json.data).to.deep.equal(second);
    expect((await call("GET", "/devices/default")).json.data.attributes).to.include({
      name: "Default",
      width: 800,
      height: 600,
      device_scale_factor: 1,
    });
    expect((await call("GET", "/devices/none")).status).to.equal(404);
  });
});
