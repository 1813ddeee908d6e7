import { expect } from "chai";
import type { Entry } from "../../../src/crawler/frontier.ts";
import type { FetchOutcome } from "../../../src/crawler/handle-fetch-outcome.ts";
import { createVisits } from "../../../src/crawler/visits.ts";

const CONCURRENCY = 8;

const entry = (url: string, depth = 1): Entry => ({ url, position: 1, depth, linkedFrom: null, state: "running" });
const never = new Promise<FetchOutcome>(() => {});
const fetched = (page: { links?: string[]; sitemaps?: string[] }): Promise<FetchOutcome> => {
  const head = { url: "http://a/", redirects: [], status: 200, contentType: "text/html", source: undefined };
  return Promise.resolve({ page: { ...head, kind: "html", links: [], ...page, isEmpty: false } });
};

describe("visits that wait for earlier ones", () => {
  const megabyte = "x".repeat(1_000_000);
  for (const what of ["links", "sitemaps"] as const)
    it(`are limited by the characters of their ${what}`, async () => {
      const visits = createVisits();
      visits.begin(entry("slow"), never);
      visits.begin(entry("small"), fetched({ [what]: ["x"] }));
      await visits.anyFinished();
      expect(visits.hasRoom(CONCURRENCY)).to.equal(true);
      visits.begin(entry("large"), fetched({ [what]: Array(30).fill(megabyte) }));
      await visits.anyFinished();
      expect(visits.hasRoom(CONCURRENCY)).to.equal(false);
    });

  it("read two sitemaps at a time at most, because each may be large", () => {
    const visits = createVisits();
    for (const url of ["a", "b", "c"]) visits.begin(entry(url), never);
    expect(visits.hasRoom(CONCURRENCY)).to.equal(true);
    visits.begin(entry("map", -1), never);
    expect(visits.hasRoom(CONCURRENCY)).to.equal(false);
    const maps = createVisits();
    maps.begin(entry("map", -1), never);
    expect(maps.hasRoom(CONCURRENCY)).to.equal(true);
    maps.begin(entry("map2", -2), never);
    expect(maps.hasRoom(CONCURRENCY)).to.equal(false);
  });
});
