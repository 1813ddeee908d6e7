import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect } from "chai";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { exportPages } from "../../../src/database/findings/export.ts";
import type { Database } from "../../../src/database/tables.ts";
import { ReportChangedError } from "../../../src/domain/export/exported.ts";
import { compareReports } from "../../../src/transactions/compare.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { greyContrast, insertFindings } from "../../support/findings.ts";
import { eventually } from "../../support/wait.ts";

type Line = Record<string, unknown> & { kind: string; state: string | null; muting: { id: string } | null };

describe("the export of a report's findings", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let token: string;
  let base: string;
  let report: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const owner = await accountWithToken(database);
    token = owner.token;
    call = api.as(token);
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const id = await insertReport(database.db, {
        accountId: owner.accountId,
        spec: { performA11yChecks: true, storeScreenshot: true },
      });
      await insertFindings(database.db, id);
      await makeAlike(id);
      await endChecks(id);
      ids.push(id);
    }
    [base = "", report = ""] = ids;
    const compared = await compareReports(database.db, report, base);
    expect(await endReport(database.db, report, "Complete", new Date(), compared?.id)).to.equal(true);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  /** The elements of an issue, as those that nothing tells apart are stored: one finding. */
  async function makeAlike(id: string): Promise<void> {
    await sql`
      with alike as (
        select min(id) as first, count(*) as elements from findings where report_id = ${id}
        group by issue_id
      ), gone as (
        delete from findings where report_id = ${id} and id not in (select first from alike)
      )
      update findings set how_many = elements, selector = 'html > body > p' from alike where id = first`.execute(
      database.db,
    );
  }

  async function endChecks(id: string): Promise<void> {
    await sql`update checks set status = 'checked', finished_at = now() where report_id = ${id} and status = 'queued'`.execute(
      database.db,
    );
    await setReport(database.db, id, { crawl_state: "ended", html_pending: 0, a11y_pending: 0 });
    await sql`
      update reports set engines = engines || '{"a11y": {"name": "axe-core", "version": "4.14.1"}}'
      where id = ${id}`.execute(database.db);
  }

  const lines = async (query = "", id = report, as = call): Promise<Line[]> => {
    const { status, text } = await as("GET", `/reports/${id}/export.ndjson${query}`);
    expect(status, text).to.equal(200);
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };

  it("has every finding that is not muted, with its page, its element and its state", async () => {
    const all = await lines();
    expect(all.map(({ kind, how_many }) => [kind, how_many])).to.deep.equal([
      ["html", 3],
      ["html", 1],
      ["a11y", 2],
    ]);
    expect(all[0]).to.deep.include({
      ...{ kind: "html", issue_type: "error", message: "Element <img> needs an alternative 100%" },
      ...{ page_url: "https://example.com/", line: 1, column: 1, target: null, html: "<p>", muted: false },
      ...{ impact: null, state: "persisting", tags: ["images", "wcag"] },
    });
    expect(all[0]?.fingerprint).to.match(/^[0-9a-f]{20}$/);
    expect(all.at(-1)).to.deep.include({
      ...{ rule: "color-contrast", impact: "serious", target: "p:nth-child(1)", line: null, state: "persisting" },
      box: { x: 8, y: 1_130, width: 374, height: 18 },
      contrast: greyContrast,
    });
  });

  it("says the same of each finding's rule as the list does: null where the engine names none", async () => {
    const { json } = await call("GET", `/reports/${report}/findings?page[size]=100`);
    const listed = json.data.map(({ attributes }) => attributes as Line);
    const rulesOf = (all: readonly Line[]) => all.map(({ kind, rule }) => `${kind} ${rule}`).sort();
    expect(rulesOf(await lines())).to.deep.equal(rulesOf(listed));
    expect(rulesOf(listed)).to.deep.equal(["a11y color-contrast", "html null", "html null"]);
  });

  it("says nothing of states without a comparison", async () => {
    expect((await lines("", base)).map(({ state }) => state)).to.deep.equal([null, null, null]);
  });

  for (const [query, count] of [
    ["?filter[kind]=html", 2],
    ["?filter[kind]=a11y", 1],
    ["?filter[issue_type]=warning", 1],
    ["?filter[impact]=serious", 1],
    ["?filter[impact]=minor", 0],
    ["?filter[rule]=color-contrast", 1],
    ["?filter[state]=persisting", 3],
    ["?filter[state]=new", 0],
    ["?filter[muted]=true", 1],
    ["?filter[muted]=any", 4],
    ["?filter[kind]=html&filter[issue_type]=error", 1],
  ] as const)
    it(`has only what is asked for: ${query}`, async () => {
      const found = await lines(query);
      expect(found).to.have.length(count);
      const muted = found.filter((one) => one.muted);
      expect(muted).to.have.length(query.includes("muted") ? 1 : 0);
      expect(muted.every(({ muting }) => /^[0-9]+$/.test(muting?.id ?? ""))).to.equal(true);
    });

  for (const name of ["ndjson", "csv", "sarif", "junit"])
    it(`has one kind of finding only, where that is asked for: export.${name}`, async () => {
      const [html, a11y] = await Promise.all(
        ["html", "a11y"].map((kind) => call("GET", `/reports/${report}/export.${name}?filter[kind]=${kind}`)),
      );
      const hasText = (text?: string) =>
        [/needs an alternative/, /color-contrast/].map((found) => found.test(text ?? ""));
      expect([hasText(html?.text), hasText(a11y?.text)]).to.deep.equal([
        [true, false],
        [false, true],
      ]);
    });

  for (const [accept, type] of [
    ["application/x-ndjson", "application/x-ndjson"],
    ["text/csv", "text/csv; charset=utf-8"],
    ["application/sarif+json", "application/sarif+json"],
    ["application/xml", "application/xml"],
    ["*/*", "application/x-ndjson"],
    ["text/csv;q=0.5, application/sarif+json", "application/sarif+json"],
  ] as const)
    it(`is what the client accepts: ${accept}`, async () => {
      const { status, headers } = await call("GET", `/reports/${report}/export`, { headers: { accept } });
      expect([status, headers.get("content-type")]).to.deep.equal([200, type]);
    });

  for (const [name, beginning] of [
    ["ndjson", '{"fingerprint":"'],
    ["csv", "\uFEFFpage_url,kind,rule,"],
    ["sheet", "\uFEFFPage,Address,What is wrong,"],
    ["sarif", '{"$schema":"https://docs.oasis-open.org/sarif/'],
    ["junit", '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>'],
  ] as const)
    it(`is a file to keep: export.${name}`, async () => {
      const { status, headers } = await call("GET", `/reports/${report}/export.${name}`);
      expect(status).to.equal(200);
      expect(headers.get("content-disposition")).to.equal(
        `attachment; filename=report-${report}${name === "sheet" ? "-sheet.csv" : `.${name}`}`,
      );
      const reply = await fetch(`${api.url}/api/v1/reports/${report}/export.${name}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(
        Buffer.from(await reply.arrayBuffer())
          .toString()
          .slice(0, beginning.length),
      ).to.equal(beginning);
    });

  it("names what is wrong with a request", async () => {
    const state = await call("GET", `/reports/${report}/export?filter[state]=old`);
    expect([state.status, state.json.errors[0]?.code]).to.deep.equal([400, "invalid_parameter"]);
    expect(state.json.errors[0]?.detail).to.contain("persisting");
    const type = await call("GET", `/reports/${report}/export`, { headers: { accept: "text/html" } });
    expect([type.status, type.json.errors[0]?.code]).to.deep.equal([406, "not_acceptable"]);
    expect(type.json.errors[0]?.detail).to.contain("application/sarif+json");
    expect((await call("GET", `/reports/${report}/export.pdf`)).status).to.equal(404);
  });

  it("is readable by whom the report is shared with, and by nobody else", async () => {
    const stranger = api.as((await accountWithToken(database)).token);
    const anonymous = api.as(undefined);
    expect((await stranger("GET", `/reports/${report}/export.csv`)).status).to.equal(404);
    expect((await anonymous("GET", `/reports/${report}/export.csv`)).status).to.equal(401);
    await call("PATCH", `/reports/${report}`, { attributes: { shared: true } });
    expect(await lines("", report, anonymous)).to.have.length(3);
    expect(await lines("", report, stranger)).to.have.length(3);
    await call("PATCH", `/reports/${report}`, { attributes: { shared: false } });
  });

  it("has headers without a body for HEAD", async () => {
    const { status, headers, text } = await call("HEAD", `/reports/${report}/export.csv`);
    expect([status, headers.get("content-type"), text]).to.deep.equal([200, "text/csv; charset=utf-8", ""]);
  });

  for (const [name, change] of [
    ["its report is deleted", (id: string) => sql`update reports set deleted_at = now() where id = ${id}`],
    [
      "what it is compared with is deleted",
      (id: string) => sql`update reports set comparison_id = null where id = ${id}`,
    ],
  ] as const)
    it(`is cut when ${name} while it is read: nobody takes a part for the whole`, async () => {
      const { account_id } = await database.db
        .selectFrom("reports")
        .select("account_id")
        .where("id", "=", report)
        .executeTakeFirstOrThrow();
      const ids: string[] = [];
      for (const _ of [1, 2]) {
        const id = await insertReport(database.db, { accountId: account_id });
        await insertFindings(database.db, id);
        await makeAlike(id);
        await endChecks(id);
        ids.push(id);
      }
      const [before = "", id = ""] = ids;
      const compared = await compareReports(database.db, id, before);
      expect(await endReport(database.db, id, "Complete", new Date(), compared?.id)).to.equal(true);
      const pages = exportPages(database.db, id, { muted: false });
      expect((await pages.next()).done).to.equal(false);
      await change(id).execute(database.db);
      let error: unknown;
      try {
        for await (const _ of pages);
      } catch (caught) {
        error = caught;
      }
      expect(error).to.be.instanceOf(ReportChangedError);
    });

  it("reads the issues of as many pages together as have little stored", async () => {
    const read: number[] = [];
    const db = new Kysely<Database>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 1 }) }),
      log: ({ query }) => void read.push(...query.parameters.filter(Array.isArray).map(({ length }) => length)),
    });
    const found = async () => {
      read.length = 0;
      let findings = 0;
      for await (const page of exportPages(db, report, { kind: "html", muted: false }))
        findings += page.findings.length;
      return [findings, ...read];
    };
    try {
      await sql`update checks set stored_bytes = 2000000 where report_id = ${report}`.execute(db);
      expect(await found()).to.deep.equal([2, 1, 1, 1]);
      await sql`update checks set stored_bytes = 1000 where report_id = ${report}`.execute(db);
      expect(await found()).to.deep.equal([2, 3]);
    } finally {
      await db.destroy();
    }
  });

  it("has nothing of a report that has not begun", async () => {
    const pages = exportPages(database.db, "0b9a3a0e-5f0e-4c59-8d3f-9b7e6c6f0b51", { muted: false });
    expect((await pages.next()).done).to.equal(true);
  });

  it("is limited in number, and a client that goes away frees its place", async () => {
    const large = await manyFindings();
    const open = async (): Promise<IncomingMessage> => {
      const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
      const sent = request(`${api.url}/api/v1/reports/${large}/export.ndjson`, { headers, agent: false });
      sent.end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return response;
    };
    // Nothing reads them: they stay open.
    const opened = await Promise.all(Array.from({ length: 4 }, open));
    expect(opened.map(({ statusCode }) => statusCode)).to.deep.equal([200, 200, 200, 200]);
    const refused = await call("GET", `/reports/${report}/export`);
    expect([refused.status, refused.json.errors[0]?.code]).to.deep.equal([429, "too_many_streams"]);
    for (const response of opened) response.destroy();
    await eventually(async () => (await call("GET", `/reports/${report}/export`)).status === 200);
  });

  /** More than fits the buffers of a connection. */
  async function manyFindings(): Promise<string> {
    const { account_id } = await database.db
      .selectFrom("reports")
      .select("account_id")
      .where("id", "=", report)
      .executeTakeFirstOrThrow();
    const id = await insertReport(database.db, { accountId: account_id });
    const { htmlIssueIds, pageIds } = await insertFindings(database.db, id);
    await lines("", id);
    await sql`
      insert into findings (report_id, web_page_id, kind, issue_id, rule, issue_type, fingerprint, component, how_many, found_at)
      select ${id}, ${pageIds[0]}, 'html', ${htmlIssueIds[0]}, repeat('x', 200), 'error', decode(lpad(to_hex(n), 20, '0'), 'hex'), '\\x00', 1, now()
      from generate_series(1, 15000) n`.execute(database.db);
    return id;
  }
});
