import { expect } from "chai";
import { close, createFrontier, next, planVisit, restore, takeBatch } from "../../../src/crawler/frontier.ts";

describe("the crawl's memory", () => {
  it("plans few more sitemaps than pages are wanted, however few URLs each of them lists", () => {
    const frontier = createFrontier({ host: "example.com", exclusions: [] }, 20);
    for (let index = 0; index < 200; index += 1) planVisit(frontier, `https://example.com/${index}.xml`, -1, null);
    expect(frontier.known.size).to.equal(70);
    expect(new Set(frontier.batch.excluded.map(({ reason }) => reason))).to.deep.equal(new Set(["sitemap_limit"]));
    planVisit(frontier, "https://example.com/page", 1, null);
    expect(frontier.known.size).to.equal(71);
  });

  it("ends the visits when many URLs are no pages, also after a restart", () => {
    const frontier = createFrontier({ host: "example.com", exclusions: [] }, 10);
    for (let index = 0; index < 2_000; index += 1) planVisit(frontier, `https://example.com/${index}.pdf`, 0, null);
    const visitAll = (of: typeof frontier, max: number) => {
      let visited = 0;
      for (let entry = next(of); entry && visited < max; entry = next(of)) {
        visited += 1;
        close(of, entry, "not_a_page");
      }
      return visited;
    };
    expect(visitAll(frontier, 300)).to.equal(300);
    const restarted = createFrontier(frontier.scope, 10);
    restore(restarted, {
      frontier: takeBatch(frontier).frontier,
      pages: [],
      excluded: [],
      notices: [],
    });
    expect(visitAll(restarted, 2_000)).to.equal(250);
  });
});
