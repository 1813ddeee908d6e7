import { expect } from "chai";
import { createFrontier, next, planVisit } from "../../../src/crawler/frontier.ts";
import { type FetchResult, handleFetchOutcome } from "../../../src/crawler/handle-fetch-outcome.ts";

const SITE = "https://example.com";

describe("the canonical URL of a page that is stored instead", () => {
  /** The notices of a page that declares a canonical URL. */
  async function noticesOf(canonical: string): Promise<string[]> {
    const scope = {
      ...{ host: "example.com", exclusions: ["/old/"], excludeGlobs: ["*.pdf"], inSession: true },
      includeGlobs: ["/page", "/old/**", "/*.pdf", "/robots/**", "/logout", "/other"],
    };
    const frontier = createFrontier(scope, 0);
    frontier.allowed = (url) => !url.includes("/robots/");
    planVisit(frontier, `${SITE}/page`, 0, null);
    const entry = next(frontier) ?? expect.fail("nothing to visit");
    const page: FetchResult = {
      ...{ url: entry.url, status: 200, contentType: "text/html", kind: "html", isEmpty: false, source: undefined },
      ...{ redirects: [], links: [], canonical: SITE + canonical },
    };
    const options = { preferCanonicalUrls: true, deepCrawl: true, fetchCanonical: async () => undefined };
    await handleFetchOutcome(frontier, entry, { page }, options);
    return frontier.batch.notices.map(({ code, url }) => `${code} ${url.replace(SITE, "")}`);
  }

  it("is named if it was not checked", async () => {
    expect(await noticesOf("/other")).to.deep.equal(["canonical_not_checked /other"]);
  });

  for (const [setting, canonical] of [
    ["an exclusion", "/old/a"],
    ["a glob of what is excluded", "/a.pdf"],
    ["the globs of what is included", "/outside"],
    ["robots.txt", "/robots/a"],
    ["the end of the session", "/logout"],
  ] as const)
    it(`is no gap if the report's own settings leave it out: ${setting}`, async () => {
      expect(await noticesOf(canonical)).to.deep.equal([]);
    });
});
