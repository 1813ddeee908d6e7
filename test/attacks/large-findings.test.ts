import { once } from "node:events";
import { get } from "node:http";
import { expect } from "chai";
import express, { type Request, type Response } from "express";
import type { ReportSubscriptions } from "../../src/api/events/subscriptions.ts";
import { pendingResponses } from "../../src/api/http/response/pending-responses.ts";
import { type Recipient, sendResponse } from "../../src/api/http/response/send-response.ts";
import { streamSlots } from "../../src/api/http/response/send-stream.ts";
import { listen } from "../../src/api/http/server.ts";
import { fittingSize } from "../../src/database/lists.ts";
import type { A11yIssue } from "../../src/domain/findings/findings.ts";
import { digest } from "../../src/domain/identity/digest.ts";
import { type LeaseOutcome, recordOutcomes } from "../../src/transactions/end-checks.ts";
import { leaseChecks } from "../../src/transactions/lease-checks.ts";
import { type Document, startTestApi, type TestApi } from "../support/api.ts";
import { insertReport, reportSpec } from "../support/builders.ts";
import { setReport } from "../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";

/** No answer may be larger, whoever asks and whatever a page has. */
const MAX_ANSWER = 3_000_000;
const ISSUES = 60;

const element = (size: number) => ({
  extract: "é".repeat(size / 2),
  target: "a",
  failure_summary: "Fix it",
  fingerprint: digest(["a"]),
});

describe("a page with very many and very long findings", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  async function sharedPage(): Promise<{ reportId: string; pageId: string }> {
    const reportId = await insertReport(database.db, { spec: { shared: true, performA11yChecks: true } });
    const { id } = await database.db
      .insertInto("web_pages")
      .values({ report_id: reportId, url: "https://example.com/", http_status: 200, linked_from: null })
      .returning("id")
      .executeTakeFirstOrThrow();
    return { reportId, pageId: id };
  }

  /** Issues as a checker that was taken over may store them, of any size. */
  async function insertIssue(of: { reportId: string; pageId: string }, name: string, html: object[]): Promise<string> {
    const shared = {
      ...{ report_id: of.reportId, kind: "a11y" as const, rule: name, message: name, help_url: "https://example.com/" },
      ...{ issue_type: "error" as const, impact_order: 3 },
    };
    const common = await database.db
      .insertInto("common_issues")
      .values({ ...shared, key: Buffer.from(name) })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { id } = await database.db
      .insertInto("issues")
      .values({
        ...shared,
        web_page_id: of.pageId,
        common_id: common.id,
        html: JSON.stringify(html),
        how_many: html.length,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  const read = async (path: string): Promise<Document> => {
    const { status, text, json } = await api.as(undefined)("GET", path);
    expect(status, text.slice(0, 500)).to.equal(200);
    expect(Buffer.byteLength(text)).to.be.below(MAX_ANSWER);
    return json;
  };

  /** Follows the links from one end of a list to the other. */
  async function follow(path: string, link: "next" | "prev"): Promise<string[]> {
    const names: string[] = [];
    for (let next: string | null = path; next !== null; ) {
      const { data, links }: Document = await read(next);
      const here = data.map(({ attributes }) => String(attributes.help));
      names.push(...(link === "next" ? here : here.reverse()));
      next = links[link]?.replace(/^.*\/api\/v1/, "") ?? null;
    }
    return names;
  }

  for (const size of [100, 60, 7]) {
    it(`is listed in smaller pages than the ${size} asked for, and nobody who follows the links misses anything`, async () => {
      const of = await sharedPage();
      for (let n = 0; n < ISSUES; n += 1)
        await insertIssue(of, `rule ${String(n).padStart(2, "0")}`, Array(n % 9 === 0 ? 200 : 1).fill(element(2_000)));
      const all = Array.from({ length: ISSUES }, (_, n) => `rule ${String(n).padStart(2, "0")}`);
      const path = `/reports/${of.reportId}/web_pages/${of.pageId}/a11y_issues`;
      const first = await read(`${path}?page[size]=${size}`);
      expect(first.meta.page_size).to.be.within(1, size - 1);
      expect(first.data).to.have.length(first.meta.page_size);
      expect((await follow(`${path}?page[size]=${size}`, "next")).sort()).to.deep.equal(all);
      const { last } = first.links;
      const backwards = await follow(last.replace(/^.*\/api\/v1/, ""), "prev");
      expect(backwards.sort()).to.deep.equal(all);
    });
  }

  it("shows as many elements of one huge issue as fit, and says that there are more", async () => {
    const of = await sharedPage();
    const id = await insertIssue(of, "huge", Array(4_000).fill(element(4_000)));
    const path = `/reports/${of.reportId}/web_pages/${of.pageId}/a11y_issues`;
    const [listed] = (await read(path)).data;
    for (const shown of [(await read(`${path}/${id}`)).data, listed]) {
      expect(shown?.attributes).to.include({ how_many: 4_000, html_truncated: true });
      expect(shown?.attributes.html).to.have.length.within(100, 3_999);
    }
  });

  it("is stored within bounds, counted in full, and says that there are more", async () => {
    const { reportId, pageId } = await sharedPage();
    const spec = reportSpec({ performA11yChecks: true, storeRawA11yChecks: true, storeScreenshot: true });
    const lease = {
      report_id: reportId,
      web_page_id: pageId,
      kind: "a11y",
      status: "leased",
      lease_token: "7",
    } as const;
    const check = await database.db
      .insertInto("checks")
      .values({ ...lease, lease_until: new Date(Date.now() + 3_600_000) })
      .returning("id")
      .executeTakeFirstOrThrow();
    await setReport(database.db, reportId, { a11y_pending: 1 });
    const issues = Array.from(
      { length: 30 },
      (_, n): A11yIssue => ({
        issue_type: "error",
        rule: `r${n}`,
        message: `h${n}`,
        help_url: "https://example.com/",
        impact: "serious",
        tags: [],
        html: Array(900).fill(element(6_000)),
      }),
    );
    const outcome = {
      ...({ kind: "a11y", engine: { name: "axe-core", version: "4" }, issues } as const),
      ...{
        raw: { text: "x".repeat(6_000_000) },
        screenshot: { png: new Uint8Array(6_000_000), width: 800, height: 600, scale: 1 },
      },
    };
    const lost = { checkId: check.id, token: "7" } as Parameters<typeof recordOutcomes>[2][number]["lease"];
    await recordOutcomes(database.db, { reportId, kind: "a11y", spec }, [{ lease: lost, outcome }], new Date());
    const path = `/reports/${reportId}/web_pages/${pageId}`;
    const { data, meta } = await read(`${path}/a11y_issues?page[size]=100`);
    expect([meta.total, meta.page_size]).to.deep.equal([30, 100]);
    for (const { attributes } of data) expect(attributes).to.include({ how_many: 900, html_truncated: true });
    expect((await read(`/reports/${reportId}`)).data.attributes.checks).to.deep.nested.include({
      "a11y.issues.errors": 27_000,
    });
    for (const [part, code] of [
      ["raw_a11y_check", "raw_check_not_stored"],
      ["screenshot", "screenshot_not_stored"],
    ]) {
      const { status, json } = await api.as(undefined)("GET", `${path}/${part}`, { headers: { accept: "*/*" } });
      expect([status, json.errors[0]?.code]).to.deep.equal([404, code]);
    }
  });
});

describe("findings whose every text is as long as it may be", () => {
  let database: TestDatabase;
  let api: TestApi;
  let report: string;
  const PAGES = 90;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const id = await insertReport(database.db, { spec: { shared: true, performA11yChecks: true } });
    report = `/reports/${id}`;
    for (let n = 0; n < PAGES; n += 1) {
      const page = { report_id: id, url: `https://example.com/${n}`, http_status: 200, linked_from: null };
      const { id: web_page_id } = await database.db
        .insertInto("web_pages")
        .values(page)
        .returning("id")
        .executeTakeFirstOrThrow();
      await database.db.insertInto("checks").values({ report_id: id, web_page_id, kind: "a11y" }).execute();
    }
    await setReport(database.db, id, { a11y_pending: PAGES });
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "a11y" }, PAGES, "2026-05-01");
    // Each of these characters is six bytes in JSON.
    const text = "\u0001".repeat(5_000);
    const ended = checks.map((lease, n): LeaseOutcome => {
      const element = { tag: digest([`${n}`]), path: digest([]) };
      const html = [{ extract: text, target: text, failure_summary: text, element }];
      const rule = { rule: "r", message: text, help_url: "https://example.com/", tags: [] };
      const issues: A11yIssue[] = [{ ...rule, issue_type: "error", impact: "serious", html }];
      return { lease, outcome: { kind: "a11y", engine: { name: "axe-core", version: "4" }, issues } };
    });
    const spec = reportSpec({ performA11yChecks: true });
    await recordOutcomes(database.db, { reportId: id, kind: "a11y", spec }, ended, new Date());
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  for (const list of ["findings", "components"])
    it(`are listed in smaller pages of ${list}, and nobody who follows the links misses any`, async () => {
      const seen = new Set<string>();
      for (let next: string | null = `${report}/${list}?page[size]=100`; next !== null; ) {
        const { status, text, json } = await api.as(undefined)("GET", next);
        expect(status, text.slice(0, 500)).to.equal(200);
        expect(Buffer.byteLength(text)).to.be.below(MAX_ANSWER);
        for (const { id } of json.data) seen.add(id);
        next = json.links.next?.replace(/^.*\/api\/v1/, "") ?? null;
      }
      expect(seen.size).to.equal(PAGES);
    });
});

describe("responses that nobody reads", () => {
  it("are limited in bytes per caller and in total, and no longer count once their connection is gone", () => {
    const pending = pendingResponses({ caller: 200_000, total: 400_000 });
    const send = (caller: string) => {
      let close = () => {};
      const once = (_: string, listener: () => void) => (close = listener);
      const response = { once, closed: false, destroyed: false, destroy: () => {} };
      pending.count(response as unknown as Response, caller, 100_000);
      return () => close();
    };
    const first = send("a");
    const others = [send("a"), send("b")];
    expect(() => send("a"), "beyond the caller's limit").to.throw(/Too many large responses/);
    others.push(send("c"));
    expect(() => send("d"), "beyond the limit of all").to.throw(/Too many large responses/);
    first();
    others.push(send("a"));
    for (const close of others) close();
    send("d")();
  });

  it("are not counted when their client left before they were made", async () => {
    const pending = pendingResponses({ caller: 200_000, total: 400_000 });
    const routeDeps = { pending, streams: streamSlots(), subscriptions: {} as ReportSubscriptions };
    const waiting: Response[] = [];
    const answered: unknown[] = [];
    const app = express();
    app.get("/:pace", async (request: Request<{ pace: string }>, response) => {
      if (request.params.pace === "slow") {
        waiting.push(response);
        await once(response, "close");
      }
      const to = { request, response, key: "a", isAnonymous: false, mediaType: "image/png" } as Recipient;
      const file = { type: "image/png", bytes: Buffer.alloc(100_000) };
      answered.push(await sendResponse(routeDeps, to, { status: 200, file }).catch((error: unknown) => error));
      if (!response.headersSent) response.status(503).end();
    });
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    try {
      for (let n = 1; n <= 5; n += 1) {
        const sent = get(`${server.url}/slow`, { agent: false }).on("error", () => {});
        await eventually(async () => waiting.length === n);
        sent.destroy();
        await eventually(async () => answered.length === n);
      }
      expect(answered, "nobody is left to be refused").to.deep.equal(Array(5).fill(undefined));
      const { status } = await fetch(`${server.url}/fast`);
      expect(status).to.equal(200);
    } finally {
      await server.close();
    }
  });
});

describe("the size of a page of large rows", () => {
  for (const [bytes, limit, offset, size] of [
    [[1, 1, 1], 3, 0, 3],
    [[1, 1], 100, 300, 100],
    [[], 100, 300, 100],
    [[4, 4, 4, 4], 4, 0, 2],
    [[4, 4, 4, 4, 4], 5, 10, 2],
    [[2, 2, 2, 2, 9], 5, 15, 3],
    [[99, 1], 2, 4, 1],
    [[1, 99], 2, 4, 1],
  ] as const)
    it(`is ${size} for rows of ${bytes.join(", ") || "nothing"} at ${offset} when ${limit} are asked for`, () => {
      expect(fittingSize(bytes, { limit, offset }, 10)).to.equal(size);
    });
});
