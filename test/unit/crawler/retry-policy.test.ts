import { expect } from "chai";
import type { FetchedPage, PageFetcher } from "../../../src/crawler/page-fetcher.ts";
import { retryingFetcher } from "../../../src/crawler/retrying-fetcher.ts";
import { createHostBreaker } from "../../../src/net/host-breaker.ts";
import { createRetryPolicy, retryAfterMs } from "../../../src/net/retry-policy.ts";

const NOW = Date.parse("2026-05-01T12:00:00Z");

describe("a Retry-After header", () => {
  const table: [string | undefined, number | undefined][] = [
    ["0", 0],
    [" 120 ", 120_000],
    ["Fri, 01 May 2026 12:00:30 GMT", 30_000],
    ["Friday, 01-May-26 12:00:30 GMT", 30_000],
    ["Fri, 01 May 2026 11:00:00 GMT", 0],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["2026", 2_026_000],
    ["Fri, 99 Nix", undefined],
  ];
  for (const [header, expected] of table)
    it(`${JSON.stringify(header)} asks for ${expected} ms`, () => {
      expect(retryAfterMs(header, NOW)).to.equal(expected);
    });
});

describe("a retrying fetcher", () => {
  const page = (status: number, retryAfter?: string): FetchedPage => ({
    ...{ url: "https://example.com/", redirects: [], status, contentType: "", kind: "other", links: [] },
    ...(retryAfter !== undefined && { retryAfter }),
  });

  /** A site that sends these responses, with a clock that only waiting advances. */
  function visits(...answers: FetchedPage[]) {
    let now = NOW;
    const waits: number[] = [];
    let requests = 0;
    const retryPolicy = createRetryPolicy({
      now: () => now,
      sleep: async (ms) => {
        waits.push(ms);
        now += ms;
      },
    });
    const site: PageFetcher = {
      async fetch(url, { beforeRequest }) {
        await beforeRequest(url);
        requests += 1;
        return answers[Math.min(requests, answers.length) - 1] ?? page(200);
      },
      close: async () => {},
    };
    const fetcher = retryingFetcher(retryPolicy, createHostBreaker(), site);
    const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
    return {
      waits,
      requests: () => requests,
      fetch: async () => (await fetcher.fetch("https://example.com/", options)).status,
    };
  }

  it("waits as long as the response says, and retries", async () => {
    for (const status of [429, 503]) {
      const site = visits(page(status, "7"), page(200));
      expect(await site.fetch()).to.equal(200);
      expect([site.waits, site.requests()]).to.deep.equal([[7_000], 2]);
    }
  });

  it("retries twice at most", async () => {
    const site = visits(page(429, "1"));
    expect(await site.fetch()).to.equal(429);
    expect([site.waits, site.requests()]).to.deep.equal([[1_000, 1_000], 3]);
  });

  it("accepts the response as it is if it has no Retry-After, too long a wait, or another status", async () => {
    for (const answer of [page(429), page(503, "61"), page(429, "never"), page(500, "1"), page(404, "1")]) {
      const site = visits(answer);
      expect(await site.fetch()).to.equal(answer.status);
      expect([site.waits, site.requests()]).to.deep.equal([[], 1]);
    }
  });

  it("makes all visits of the crawl wait, and counts that time once", async () => {
    const site = visits(page(429, "9"), page(429, "9"), page(200));
    const statuses = await Promise.all([site.fetch(), site.fetch()]);
    expect(statuses).to.deep.equal([200, 200]);
    expect(site.waits.reduce((sum, ms) => sum + ms, 0)).to.be.at.most(18_000);
  });

  it("gives up after ten minutes in all", async () => {
    const site = visits(page(503, "60"));
    for (let visit = 0; visit < 20; visit += 1) expect(await site.fetch()).to.equal(503);
    expect(site.waits.reduce((sum, ms) => sum + ms, 0)).to.equal(600_000);
    expect(site.requests()).to.equal(20 + 10);
  });
});
