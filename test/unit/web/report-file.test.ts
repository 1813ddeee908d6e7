import { expect } from "chai";
import { type CheerioAPI, load } from "cheerio";
import { createGuides } from "../../../src/domain/guides/guides.ts";
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
    coverage: null,
    roles: null,
    engines: {},
    standard: "wcag21aa",
    comparison: null,
    at_end: null,
    passed: null,
    gate_results: null,
  },
  ...{ inserted_at: "2026-05-05T10:00:00", last_checked_at: null },
  checks: { html: { status: counts, reused: 0, issues: { errors: 0, warnings: 0, muted } }, a11y: null as unknown },
};
const severity = { critical: 0, serious: 9, moderate: 0, minor: 0, total: { errors: 9, warnings: 0, total: 9 } };
const a11yChecks = { status: counts, issues: { errors: 9, warnings: 0, outside_standard: 0, severity, muted } };
const rule = (kind: "html" | "a11y", name: string, values: object = {}) => ({
  ...{ id: `${kind} ${name}`, type: "report_rule" },
  attributes: {
    ...{ kind, rule: name, title: `Title ${name}`, message: `Message ${name}`, num_messages: 1, issue_type: "error" },
    rules: [{ kind, rule: name, title: `Title ${name}`, message: null, how_many: 1, common_issue_id: "1" }],
    ...{ outside_standard: false, impact: kind === "a11y" ? "serious" : null, success_criteria: [], act_rules: [] },
    ...{ help_url: null, description_html: null, states: null, roles: null, how_many: 1, num_pages: 1, ...values },
  },
  relationships: { common_issue: { links: { related: "https://validator.example.com/common_html_issues/1" } } },
});
const page = (id: string, roles: { content: number } | null = null) => ({
  id,
  attributes: {
    url: `https://example.com/${id}`,
    roles,
    faults: { all: 6, template: 2, design: 3, content: roles?.content ?? 0 },
  },
});

type Lists = Record<string, readonly { id: string; attributes: object }[]>;

/** The file of a report. @param lists the API's, by path below the report's, with the message whose pages they are */
async function fileOf(
  values: Partial<typeof report>,
  lists: Lists,
  { mostPictures = 1_000, linksToPages = true } = {},
): Promise<CheerioAPI> {
  const source = {
    async get<Document>(path: string): Promise<Document> {
      const url = new URL(path, "https://validator.example.com");
      if (url.pathname === root) return { data: { id: "1", attributes: { ...report, ...values } } } as Document;
      const { searchParams: query } = url;
      const isOutside = query.get("filter[outside_standard]") === "true";
      const of =
        url.pathname.endsWith("/rules") && !isOutside
          ? query.get("filter[kind]")
          : url.pathname.endsWith("/web_pages") && query.get("filter[rule]");
      const status = query.get("filter[status]");
      const all =
        lists[`${url.pathname.slice(root.length + 1)}${of ? ` of ${of}` : ""}${status ? ` ${status}` : ""}`] ?? [];
      const [size, end] = [
        Number(query.get("page[size]")),
        Number(query.get("page[size]")) * Number(query.get("page[number]") ?? 1),
      ];
      const links = { next: end < all.length ? "more" : null };
      const first = { causes: all.length, how_many: 4, verified: 0, estimated: 4 };
      const ofCauses = { how_many: 4, verified: 0, estimated: 4, first, left_out: { causes: 0, how_many: 0 } };
      const meta = { total: all.length, page_size: size, ...ofCauses };
      return { data: all.slice(end - size, end), links, meta } as Document;
    },
    // Three bytes are four letters, so the address of a picture has 27 characters.
    base64: async () => "UklG",
  };
  const guides = createGuides(new Map());
  const options = { now: new Date(), linksToPages, guides: async () => guides, mostPictures };
  let html = "";
  for await (const part of reportFile(source, "1", options)) html += part;
  return load(html);
}

const textOf = ($: CheerioAPI, selector: string) => $(selector).text().replaceAll(/\s+/g, " ").trim();

describe("A report as a file", () => {
  const found = { checks: { ...report.checks, a11y: a11yChecks } };

  it("has the title of each rule, what the engine says if that is another text, and how many pages it is on", async () => {
    const $ = await fileOf(
      {},
      {
        "rules of html": [rule("html", "no-x", { message: null, how_many: 2, num_pages: 60 })],
        "web_pages of no-x": Array.from({ length: 60 }, (_, index) => page(String(index))),
      },
    );
    expect(textOf($, "section.rule h2")).to.equal("Title no-x");
    expect(textOf($, "section.rule > .line")).to.include("2 findings, 60 pages");
    expect($("section.rule .rows li").length).to.equal(50);
    expect(textOf($, "section.rule > .quiet:last-child")).to.equal("and 10 more");
    const one = await fileOf({}, { "rules of html": [rule("html", "no-y")] });
    expect(textOf(one, "section.rule")).to.match(/^Title no-y ?Message no-y/);
  });

  it("leads to the pages, unless they will not be where they were checked", async () => {
    const lists = { "rules of html": [rule("html", "no-x")], "web_pages of no-x": [page("a")] };
    const links = async (linksToPages: boolean) =>
      (await fileOf({}, lists, { linksToPages }))('a[href^="https://example.com/"]').length;
    expect(await links(true)).to.be.above(0);
    expect(await links(false)).to.equal(0);
  });

  it("counts what it leaves out of each engine in that engine's own list", async () => {
    const $ = await fileOf(
      { checks: { ...report.checks, a11y: a11yChecks } },
      {
        "rules of a11y": Array.from({ length: 298 }, (_, index) => rule("a11y", String(index))),
        "rules of html": ["1", "2", "3"].map((id) => rule("html", `rule-${id}`)),
      },
    );
    expect($("section[aria-labelledby=a11y] .tools").length).to.equal(0);
    expect(textOf($, "section[aria-labelledby=html] .tools")).to.equal("and 1 more");
    expect($("section.rule").length).to.equal(300);
  });

  it("links to an engine's list where there is one", async () => {
    const $ = await fileOf(found, { "rules of a11y": [rule("a11y", "rule-1")] });
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

  const box = { x: 10, y: 10, width: 20, height: 20 };
  const picture = (of: string) => ({
    ...{ url: `https://validator.example.com/api/v1${root}/web_pages/${of}/pictures/1` },
    area: { x: 0, y: 0, width: 40, height: 40 },
  });
  const component = (id: string, name: string) => ({
    ...{ id, type: "component" },
    attributes: {
      ...{
        kind: "a11y",
        rule: name,
        title: `Title ${name}`,
        message: `Help ${id}`,
        impact: "serious",
        success_criteria: [],
        issue_type: "error",
      },
      ...{ outside_standard: false, how_many: 2, num_pages: 2, url: `https://example.com/${id}` },
      element: { extract: `<i id="${id}">`, coordinates: null, target: "i", box, picture: picture(id) },
    },
  });
  const cause = (id: string, name: string) => ({
    ...component(id, name),
    type: "cause",
    attributes: {
      ...component(id, name).attributes,
      ...{ number: 1, rules: [`a11y ${name}`], verified: 0, known_by: "estimated", num_places: 1, role: "content" },
      ...{ place: "", change: null, help_url: null, tags: [], act_rules: [], standards: [], impact_order: 3 },
    },
  });
  const withComponents = {
    causes: [cause("c1", "rule-1"), cause("c2", "rule-1")],
    "rules of a11y": [rule("a11y", "rule-1")],
    components: [component("c1", "rule-1"), component("c2", "rule-1")],
  };

  it("has the pictures of elements inside, and leads from what to fix first to the rule", async () => {
    const $ = await fileOf(found, withComponents);
    const pictures = $("section.rule image").toArray();
    expect(pictures.map((one) => $(one).attr("href"))).to.deep.equal(Array(2).fill("data:image/webp;base64,UklG"));
    expect($(".fixes h3 a").attr("href")).to.equal("#a11y-1");
    expect($("#a11y-1").text()).to.equal("Title rule-1");
    expect($("main").text()).to.not.include("left out");
  });

  it("shows the source in place of pictures that do not fit, and says how many", async () => {
    const $ = await fileOf(found, withComponents, { mostPictures: 60 });
    expect($("image").length).to.equal(2);
    expect($("section.rule image").length).to.equal(0);
    expect(textOf($, "section.rule pre")).to.equal('<i id="c1"><i id="c2">');
    expect(textOf($, "main")).to.include("2 pictures are left out: a file has at most 60 bytes of them.");
  });

  it("lists by page what its editors can repair, and counts the rest", async () => {
    const roles = { content: 1, template: 2, design: 3 };
    const finding = {
      ...{ id: "f1", type: "finding" },
      attributes: { ...component("f1", "rule-1").attributes, fault: "1", state: null },
      relationships: {},
    };
    const $ = await fileOf(found, {
      ...{ ...withComponents, findings: [finding] },
      web_pages: [page("written", roles), page("templates", { ...roles, content: 0 })],
    });
    expect(textOf($, "#by-page")).to.equal("By page, for editors");
    expect(
      $("section[aria-labelledby^=page-] h3[id]")
        .toArray()
        .map((heading) => $(heading).text()),
    ).to.deep.equal(["https://example.com/written"]);
    expect(textOf($, "section[aria-labelledby=page-written] li h3")).to.equal("1 Title rule-1");
    expect(textOf($, "section[aria-labelledby=page-written] > .quiet")).to.equal(
      "5 other errors of this page are in templates and the design.",
    );
  });
});
