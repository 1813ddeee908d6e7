import { expect } from "chai";
import {
  type CoverageInput,
  coverageOf,
  exampleText,
  gapsSentence,
  noticeSentence,
  tallyPages,
} from "../../../src/domain/coverage/coverage.ts";
import { noticeTexts } from "../../../src/domain/coverage/notices.ts";
import { unusedExclusions } from "../../../src/domain/scope/url-scope.ts";

const at = (...urls: string[]) => ({ how_many: urls.length, examples: urls.map((url) => ({ url, detail: "" })) });

/** A report with three pages of which nothing was left out. */
const whole: CoverageInput = {
  pages: { found: 3, checked: 3, failed: 0 },
  leftOut: {},
  failed: at(),
  failure: null,
  nothingChecked: false,
  unusedExclusions: [],
  alike: { ...at(), acted: 0, templates: 0 },
  unusedSteps: [],
  stored: [],
};
const codesOf = (changes: Partial<CoverageInput>) => {
  const { complete, notices } = coverageOf({ ...whole, ...changes });
  return [complete ? "complete" : "incomplete", ...notices.map(({ code }) => code)];
};

describe("the coverage of a report", () => {
  const cases: [string, Partial<CoverageInput>, string[]][] = [
    ["is complete when everything that was found was checked", {}, ["complete"]],
    ["is incomplete at the page limit", { leftOut: { page_limit: at("/4") } }, ["incomplete", "page_limit"]],
    [
      "is complete without addresses that are no pages of the report, or that its settings leave out",
      { leftOut: { off_site: at("/x"), exclusion: at("/y"), not_html: at("/z"), robots: at("/r"), deleted: at("/d") } },
      ["complete"],
    ],
    [
      "says that acting was done on a few pages of each template",
      { alike: { ...at("/4"), acted: 3, templates: 1 } },
      ["complete", "acted_on_examples"],
    ],
    [
      "says that most pages are of many templates",
      { alike: { ...at("/a", "/b"), acted: 60, templates: 31 } },
      ["complete", "acted_on_examples", "many_templates"],
    ],
    [
      "does not say that of many templates of which each has many pages",
      { alike: { how_many: 1_000, examples: [], acted: 93, templates: 31 } },
      ["complete", "acted_on_examples"],
    ],
    ["is incomplete with pages that could not be checked", { failed: at("/a") }, ["incomplete", "pages_failed"]],
    [
      "is incomplete when its crawl was cut short",
      { failure: { code: "deadline_exceeded", detail: "The deadline passed." } },
      ["incomplete", "crawl_cut_short"],
    ],
    [
      "says that nothing was checked instead of that its crawl was cut short",
      { nothingChecked: true, failure: { code: "dns_error", detail: "No such host." } },
      ["incomplete", "nothing_checked"],
    ],
    ["notes steps that are meant for no page", { unusedSteps: ["/x of the state menu"] }, ["complete", "steps_unused"]],
    ["notes an exclusion without effect", { unusedExclusions: ["/old"] }, ["complete", "exclusion_unused"]],
    [
      "has gaps before notes, each in the order of the table",
      {
        leftOut: { trap: at("/t") },
        stored: [
          { code: "same_document", ...at("/s"), num_urls: 1, more: false },
          { code: "sitemap_failed", ...at("/m"), num_urls: 1, more: false },
          { code: "link_limit", ...at("/l"), num_urls: 1, more: false },
        ],
      },
      ["incomplete", "link_limit", "sitemap_failed", "same_document", "trap"],
    ],
  ];
  for (const [name, changes, expected] of cases)
    it(name, () => {
      expect(codesOf(changes)).to.deep.equal(expected);
    });

  it("counts every address that was left out, and shows five", () => {
    const { pages, notices } = coverageOf({
      ...whole,
      leftOut: { page_limit: { ...at("/1", "/2", "/3", "/4", "/5", "/6"), how_many: 555 }, off_site: at("/o") },
    });
    expect(pages.left_out).to.deep.equal({ page_limit: 555, off_site: 1 });
    expect(notices).to.have.length(1);
    expect(notices[0]).to.include({ how_many: 555, more: false });
    expect(notices[0]?.examples).to.have.length(5);
  });

  it("says that numbers are minimums when the list of addresses is full", () => {
    const { notices } = coverageOf({ ...whole, leftOut: { trap: at("/1"), list_limit: at("/2") } });
    expect(notices.map(({ code, more }) => [code, more])).to.deep.equal([
      ["trap", true],
      ["list_limit", false],
    ]);
    expect(noticeSentence({ code: "page_limit", how_many: 1, more: true })).to.match(/ \(at least 1\)\.$/);
  });

  it("knows how many pages a limit left out although the list of addresses is full", () => {
    const stored = [{ code: "page_limit" as const, how_many: 555, num_urls: 1, more: false, examples: [] }];
    const { complete, notices } = coverageOf({
      ...whole,
      leftOut: { off_site: at("/o"), list_limit: at("/2") },
      stored,
    });
    expect(complete).to.equal(false);
    expect(notices[0]).to.include({ code: "page_limit", how_many: 555, num_urls: 555, more: false });
  });

  it("tells pages that could not be checked from addresses without a page", () => {
    const covered = coverageOf({ ...whole, pages: { found: 9, checked: 5, failed: 4 }, failed: at("/a", "/b", "/c") });
    expect(tallyPages(covered)).to.deep.equal({ pages: 8, checked: 5, failed: 3, withoutPage: 1 });
  });

  it("names the address of an example, unless its detail does: not one that only begins with it", () => {
    const url = "https://example.com/";
    const said = (detail: string) => exampleText({ url, detail });
    expect(said("")).to.equal(url);
    expect(said(`Leads to ${url}a.`)).to.equal(`${url}: Leads to ${url}a.`);
    for (const detail of [`${url} responded with 500.`, `It leads to ${url}.`, `At ${url}: too long.`])
      expect(said(detail)).to.equal(detail);
  });

  it("is summed up in the sentences of its gaps", () => {
    const notes = coverageOf({ ...whole, unusedExclusions: ["/old"] });
    expect(gapsSentence(notes)).to.equal(undefined);
    const gaps = coverageOf({ ...whole, unusedExclusions: ["/old"], failed: at("/a", "/b") });
    expect(gapsSentence(gaps)).to.equal("Pages could not be checked (2).");
  });

  it("has a sentence and advice for each notice", () => {
    for (const [code, { sentence, advice }] of Object.entries(noticeTexts)) {
      expect(sentence, code).to.match(/^[A-Z].*\.$/);
      expect(advice, code).to.match(/^[A-Z].*\.$/);
    }
  });

  it("takes an exclusion for used when it matches as a link was written or escaped", () => {
    const excluded = ["https://example.com/a%20b", "https://example.com/print"];
    const exclusions = ["/print", "/a b", "/draft"];
    expect(unusedExclusions({ exclusions }, excluded)).to.deep.equal(["/draft"]);
    const excludeGlobs = ["**/print", "**/gone/**"];
    expect(unusedExclusions({ exclusions: [], excludeGlobs }, excluded)).to.deep.equal(["**/gone/**"]);
    // A large report is not kept waiting for it.
    const many = Array.from({ length: 10_000 }, (_, number) => `https://example.com/print/${number}`);
    expect(
      unusedExclusions({ exclusions: Array.from({ length: 100 }, (_, number) => `/x${number}`) }, many),
    ).to.deep.equal([]);
  });
});
