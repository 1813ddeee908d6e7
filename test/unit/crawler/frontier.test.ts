import { expect } from "chai";
import { createFrontier, plan } from "../../../src/crawler/frontier.ts";

describe("the crawl's memory", () => {
  it("plans few more sitemaps than pages are wanted, however few URLs each of them lists", () => {
    const frontier = createFrontier({ host: "example.com", exclusions: [] }, 20);
    for (let index = 0; index < 200; index += 1) plan(frontier, `https://example.com/${index}.xml`, -1, null);
    expect(frontier.known.size).to.equal(70);
    expect(new Set(frontier.batch.excluded.map(({ reason }) => reason))).to.deep.equal(new Set(["sitemap_limit"]));
    plan(frontier, "https://example.com/page", 1, null);
    expect(frontier.known.size).to.equal(71);
  });
});
