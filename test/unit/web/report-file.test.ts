import { expect } from "chai";
import { type CheerioAPI, load } from "cheerio";
import { reportFile } from "../../../src/web/report-file.ts";

const root = "/reports/1";
const muted = { errors: 0, warnings: 0 };
const counts = { pending: 0, checked: 3, failed: 0 };
const report = {
  ...{
    starting_url: "https://example.com/",
    domain: "example.com",
    phase: "Complete",
    failure: null,
    cancelled: false,
  },
  ...{
    num_pages: 3,
    engines: {},
    standard: "wcag21aa",
    comparison: null,
    at_end: null,
    passed: null,
    gate_results: null,
  },
  ...{ inserted_at: "2026-05-05T10:00:00", last_checked_at: null },
  checks: { html: { status: counts, issues: { errors: 0, warnings: 0, muted } }, a11y: null as unknown },
};
const severity = { critical: 0, serious: 9, moderate: 0, minor: 0, total: { errors: 9, warnings: 0, total: 9 } };
const a11yChecks = { status: counts, issues: { errors: 9, warnings: 0, outside_standard: 0, severity, muted } };
const texts = { help_url: null, description_html: null, guide_url: null, states: null, first_seen_at: null };
const htmlMessage = (id: string, rule: string | null, num_pages = 1) => ({
  id,
  attributes: { ...texts, issue_type: "error", rule, message: `Message ${id}`, how_many: 1, num_pages },
});
const a11yRule = (id: string) => ({
  id,
  attributes: {
    ...{ ...texts, rule: `rule-${id}`, help: `Help ${id}`, impact: "serious", review: false, outside_standard: false },
    ...{ success_criteria: [], how_many: 1, num_pages: 1 },
  },
});
const page = (id: string) => ({ id, attributes: { url: `https://example.com/${id}` } });

type Lists = Record<string, readonly { id: string; attributes: object }[]>;

/** The file of a report. @param lists the API's, by path below the report's, with the message whose pages they are */
async function fileOf(values: Partial<typeof report>, lists: Lists): Promise<CheerioAPI> {
  const source = {
    async get<Document>(path: string): Promise<Document> {
      const url = new URL(path, "https://validator.example.com");
      if (url.pathname === root) return { data: { id: "1", attributes: { ...report, ...values } } } as Document;
      const { searchParams: query } = url;
      const of = query.get("filter[common_html_issue_id]") ?? query.get("filter[common_a11y_issue_id]");
      const all = lists[`${url.pathname.slice(root.length + 1)}${of ? ` of ${of}` : ""}`] ?? [];
      const [size, end] = [
        Number(query.get("page[size]")),
        Number(query.get("page[size]")) * Number(query.get("page[number]")),
      ];
      const links = { next: end < all.length ? "more" : null };
      return { data: all.slice(end - size, end), links, meta: { total: all.length, page_size: size } } as Document;
    },
  };
  let html = "";
  for await (const part of reportFile(source, "1", { now: new Date(), linksToPages: true })) html += part;
  return load(html);
}

const textOf = ($: CheerioAPI, selector: string) => $(selector).text().replaceAll(/\s+/g, " ").trim();

describe("A report as a file", () => {
  it("lists the pages of all messages of a rule, each once, and counts them", async () => {
    const $ = await fileOf(
      {},
      {
        common_html_issues: [htmlMessage("1", "no-x", 2), htmlMessage("2", "no-x", 2)],
        ...{ "web_pages of 1": [page("a"), page("b")], "web_pages of 2": [page("b"), page("c")] },
      },
    );
    expect(
      $("section.rule .rows li")
        .toArray()
        .map((item) => $(item).text()),
    ).to.deep.equal(["a", "b", "c"].map((name) => `https://example.com/${name}`));
    expect(textOf($, "section.rule .line")).to.include("2 findings, 3 pages");
  });

  it("says 'at least' where the pages of a rule's messages are not all read", async () => {
    const pages = (from: number) => Array.from({ length: 40 }, (_, index) => page(String(from + index)));
    const $ = await fileOf(
      { num_pages: 100 },
      {
        common_html_issues: [htmlMessage("1", "no-x", 40), htmlMessage("2", "no-x", 40)],
        ...{ "web_pages of 1": pages(0), "web_pages of 2": pages(20) },
      },
    );
    expect(textOf($, "section[aria-labelledby=html] td:last-of-type")).to.equal("at least 40");
    expect(textOf($, "section.rule .line")).to.include("at least 60 pages");
    expect($("section.rule .rows li").length).to.equal(50);
    expect(textOf($, "section.rule > .quiet:last-child")).to.equal("and at least 10 more");
  });

  it("counts what it leaves out of each engine in that engine's own list", async () => {
    const $ = await fileOf(
      { checks: { ...report.checks, a11y: a11yChecks } },
      {
        common_a11y_issues: Array.from({ length: 298 }, (_, index) => a11yRule(String(index))),
        common_html_issues: ["1", "2", "3"].map((id) => htmlMessage(id, `rule-${id}`)),
      },
    );
    expect($("section[aria-labelledby=a11y] .quiet").length).to.equal(0);
    expect(textOf($, "section[aria-labelledby=html] .quiet")).to.equal("and 1 more");
    expect($("section.rule").length).to.equal(300);
  });

  it("links to an engine's list where there is one", async () => {
    const found = { checks: { ...report.checks, a11y: a11yChecks } };
    const $ = await fileOf(found, { common_a11y_issues: [a11yRule("1")] });
    expect(
      $("section[aria-labelledby=summary] a")
        .toArray()
        .map((link) => $(link).attr("href")),
    ).to.deep.equal(["#a11y"]);
  });

  it("says that the report was cancelled", async () => {
    expect((await fileOf({ cancelled: true }, {}))("main > p").text()).to.include("This report was cancelled");
    expect((await fileOf({}, {}))("main > p").text()).to.not.include("cancelled");
  });
});
