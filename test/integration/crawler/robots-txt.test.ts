import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { retrying } from "../../../src/crawler/retrying-fetcher.ts";
import { createRobotsReader } from "../../../src/crawler/robots-txt.ts";
import type { Failure } from "../../../src/domain/failure.ts";
import { isAllowedByRobots, MAX_ROBOTS_BYTES } from "../../../src/domain/site/robots.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch } from "../../../src/net/guarded-fetch.ts";
import { createHostBreaker } from "../../../src/net/host-breaker.ts";
import { createRetryPolicy } from "../../../src/net/retry-policy.ts";
import { type Route, serveSite } from "../../support/site.ts";

/** Whether the robots.txt allows each path, or why it could not be read. */
async function allowed(robots: Route, ...paths: string[]): Promise<boolean[] | Failure> {
  const site = await serveSite({ "/robots.txt": robots });
  const http = createGuardedFetch(addressPolicy(["127.0.0.0/8"]), { timeoutMs: 600_000 });
  try {
    const { signal } = new AbortController();
    const retry = retrying(createRetryPolicy(), createHostBreaker());
    const read = createRobotsReader(http, { retry, signal, awaitSlot: async () => {}, product: "site-validator" });
    const rules = await read(site.origin);
    if (rules.failure) return rules.failure;
    return paths.map((path) => isAllowedByRobots(rules, site.origin + path));
  } finally {
    await http.close();
    await site.close();
  }
}

describe("the reader of robots.txt", () => {
  /** A server that is busy for so many requests. */
  const busy = (times: number, status: number, headers: Record<string, string>): Route => {
    let requests = 0;
    return (_request, response) => {
      requests += 1;
      if (requests > times) response.end("user-agent: *\ndisallow: /private");
      else response.writeHead(status, headers).end();
    };
  };
  for (const status of [429, 503])
    it(`asks again after ${status} with Retry-After, as for a page`, async () => {
      const given = busy(2, status, { "retry-after": "0" });
      expect(await allowed(given, "/private", "/public")).to.deep.equal([false, true]);
    });

  for (const [status, headers] of [
    [429, {}],
    [429, { "retry-after": "0" }],
    [503, { "retry-after": "0" }],
    [503, { "retry-after": "3600" }],
  ] as const)
    it(`allows nothing and says why after ${status} with ${JSON.stringify(headers)} for ever`, async () => {
      const failure = await allowed(busy(99, status, headers), "/");
      expect(failure).to.have.property("code", "http_error");
      expect(failure)
        .to.have.property("detail")
        .that.matches(new RegExp(`/robots\\.txt responded with ${status}\\.$`));
    });

  const beginning = "user-agent: *\ndisallow: /private\n#";
  /** Cut in its last line. */
  const large = `${`${beginning.padEnd(MAX_ROBOTS_BYTES - 12, "x")}\ndisallow: /p`}ublic\n${"#x\n".repeat(100_000)}`;

  it("takes no time to find the last line of one whose long line comes before it", async () => {
    const body = `${`${beginning.padEnd(510_000, "a")}\n`}${"b".repeat(5_000)}`;
    expect(await allowed({ body }, "/private", "/public")).to.deep.equal([false, true]);
  });

  it("takes nothing from a large one without a whole line", async () => {
    expect(await allowed({ body: "disallow: /".padEnd(MAX_ROBOTS_BYTES + 1, "x") }, "/x")).to.deep.equal([true]);
  });

  const encodings: Record<string, { encoding?: string; body: string | Uint8Array }> = {
    "no Content-Encoding": { body: large },
    "the Content-Encoding identity": { encoding: "identity", body: large },
    "an empty Content-Encoding": { encoding: "", body: large },
    "gzip, which was not asked for": { encoding: "gzip", body: gzipSync(large) },
    "gzip that compresses nothing": { encoding: "gzip", body: gzipSync(large, { level: 0 }) },
    "Brotli and gzip": { encoding: "br, gzip", body: gzipSync(brotliCompressSync(large)) },
  };
  for (const [name, { encoding, body }] of Object.entries(encodings))
    it(`takes the whole lines of the first part of a large one with ${name}`, async () => {
      const headers: Record<string, string> = encoding === undefined ? {} : { "content-encoding": encoding };
      expect(await allowed({ headers, body }, "/private", "/public")).to.deep.equal([false, true]);
    });
});
