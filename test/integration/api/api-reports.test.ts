import { expect } from "chai";
import { sql } from "kysely";
import { upsertReport } from "../../../src/database/reports/reports.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("reports over the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let accountId: string;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const account = await accountWithToken(database);
    accountId = account.accountId;
    token = account.token;
    call = api.as(token);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  it("refuses one that is deleted while it is created", async () => {
    const { cluster } = api.deps;
    const removing = await startTestApi(database, {
      cluster: {
        ...cluster,
        async create(object) {
          const created = await cluster.create(object);
          await upsertReport(database.db, created as ReportResource, accountId);
          await database.db
            .updateTable("reports")
            .set({ deleted_at: sql`now()` })
            .where("uid", "=", created.metadata.uid)
            .execute();
          return created as never;
        },
      },
    });
    try {
      const attributes = { starting_url: "https://example.com/gone" };
      const reply = await removing.as(token)("POST", "/reports", { attributes });
      expect([reply.status, reply.json.errors?.[0]?.code], reply.text).to.deep.equal([409, "report_deleted"]);
    } finally {
      await removing.close();
    }
  });

  it("creates a report with the defaults, and shows it as the specification says", async () => {
    const reply = await call("POST", "/reports", { attributes: { starting_url: "https://example.com/a" } });
    expect(reply.status, reply.text).to.equal(201);
    expect(reply.headers.get("content-type")).to.equal("application/vnd.api+json");
    const { id, type, attributes, relationships } = reply.json.data;
    const base = `${api.url}/api/v1`;
    expect(reply.headers.get("location")).to.equal(`${base}/reports/${id}`);
    expect(reply.json.jsonapi).to.deep.equal({ version: "1.0" });
    expect(type).to.equal("report");
    expect(attributes).to.deep.include({
      starting_url: "https://example.com/a",
      initial_urls: [],
      exclusions: [],
      domain: "example.com",
      max_pages: 10,
      num_pages: 0,
      rate_limit: 1,
      deep_crawl: true,
      prefer_canonical_urls: true,
      dynamic_crawler: false,
      perform_html_checks: true,
      perform_a11y_checks: false,
      device_rotated: false,
      checks: {
        html: {
          status: { pending: 0, checked: 0, failed: 0 },
          reused: 0,
          issues: { errors: 0, warnings: 0, muted: { errors: 0, warnings: 0 } },
        },
        a11y: null,
        links: null,
      },
      shared: false,
      tags: [],
      phase: "Pending",
      failure: null,
      engines: {},
      last_checked_at: null,
    });
    expect(attributes.inserted_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(attributes).not.to.have.property("guest_token");
    expect(relationships).to.deep.equal({
      web_pages: { links: { related: `${base}/reports/${id}/web_pages` } },
      criteria: { links: { related: `${base}/reports/${id}/criteria` } },
      sections: { links: { related: `${base}/reports/${id}/sections` } },
      common_html_issues: { links: { related: `${base}/reports/${id}/common_html_issues` } },
      common_link_issues: { links: { related: `${base}/reports/${id}/common_link_issues` } },
      causes: { links: { related: `${base}/reports/${id}/causes` } },
      common_a11y_issues: { links: { related: `${base}/reports/${id}/common_a11y_issues` } },
      findings: { links: { related: `${base}/reports/${id}/findings` } },
      components: { links: { related: `${base}/reports/${id}/components` } },
      device: { links: { related: `${base}/devices/default` } },
      mutings: { links: { related: `${base}/reports/${id}/mutings` } },
      excluded_urls: { links: { related: `${base}/reports/${id}/excluded_urls` } },
    });
    const { items } = await api.deps.cluster.list("Report");
    const resource = items.find(({ metadata }) => metadata.uid === id);
    expect(resource?.metadata.annotations).to.deep.equal({
      "sitevalidation.io/account": accountId,
      "sitevalidation.io/request-id": reply.headers.get("x-request-id"),
    });
    expect(resource?.spec).to.include({ startingUrl: "https://example.com/a", maxPages: 10 });
    expect((await call("GET", `/reports/${id}`)).json.data).to.deep.equal(reply.json.data);
  });

  it("shares a report in resource and row, and stops sharing it", async () => {
    const { id } = (await call("POST", "/reports", { attributes: { starting_url: "https://example.com/b" } })).json
      .data;
    for (const shared of [true, false]) {
      const reply = await call("PATCH", `/reports/${id}`, { attributes: { shared } });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.json.data.attributes.shared).to.equal(shared);
      const { items } = await api.deps.cluster.list("Report");
      expect(items.find(({ metadata }) => metadata.uid === id)?.spec.shared).to.equal(shared);
      expect((await api.as(undefined)("GET", `/reports/${id}`)).status).to.equal(shared ? 200 : 401);
    }
  });

  it("deletes a report: its resource is removed, its row no longer visible", async () => {
    const { id } = (await call("POST", "/reports", { attributes: { starting_url: "https://example.com/c" } })).json
      .data;
    const reply = await call("DELETE", `/reports/${id}`);
    expect([reply.status, reply.text]).to.deep.equal([204, ""]);
    expect((await call("GET", `/reports/${id}`)).status).to.equal(404);
    expect((await call("DELETE", `/reports/${id}`)).status).to.equal(404);
    const { items } = await api.deps.cluster.list("Report");
    expect(items.some(({ metadata }) => metadata.uid === id)).to.equal(false);
  });
});
