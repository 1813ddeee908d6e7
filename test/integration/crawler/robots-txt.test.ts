import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { createRobotsReader } from "../../../src/crawler/robots-txt.ts";
import { isAllowedByRobots, MAX_ROBOTS_BYTES } from "../../../src/domain/scope/robots.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch, type GuardedFetch, type GuardedResponse } from "../../../src/net/guarded-fetch.ts";
import { type Route, serveSite } from "../../support/site.ts";

/** Whether the robots.txt allows each path. */
async function allowed(robots: Route, ...paths: string[]): Promise<boolean[]> {
  const site = await serveSite({ "/robots.txt": robots });
  const http = createGuardedFetch(addressPolicy(["127.0.0.0/8"]), { timeoutMs: 600_000 });
  try {
    const { signal } = new AbortController();
    const read = createRobotsReader(http, { signal, awaitSlot: async () => {}, product: "site-validator" });
    const rules = await read(site.origin);
    expect(rules.failure).to.equal(undefined);
    return paths.map((path) => isAllowedByRobots(rules, site.origin + path));
  } finally {
    await http.close();
    await site.close();
  }
}

describe("the reader of robots.txt", () => {
  const beginning = "user-agent: *\ndisallow: /private\n#";
  /** Cut in its last line. */
  const large = `${`${beginning.padEnd(MAX_ROBOTS_BYTES - 12, "x")}\ndisallow: /p`}ublic\n${"#x\n".repeat(100_000)}`;

  it("takes no time to find the last line of one whose long line comes before it", async () => {
    const body = `${`${beginning.padEnd(510_000, "a")}\n`}${"b".repeat(5_000)}`;
    expect(await allowed({ body }, "/private", "/public")).to.deep.equal([false, true]);
  });

  it("keeps the latest ones and always the first, however many hosts there are", async () => {
    const asked: string[] = [];
    const get: GuardedFetch["get"] = async (url) => {
      asked.push(url);
      return { url, status: 404, headers: {}, body: undefined } as unknown as GuardedResponse;
    };
    const { signal } = new AbortController();
    const http = { get, close: async () => {} };
    const read = createRobotsReader(http, { signal, awaitSlot: async () => {}, product: "site-validator" });
    const hosts = Array.from({ length: 101 }, (_, index) => `https://${index}.example.org`);
    for (const host of hosts.slice(0, 100)) await read(host);
    await read(hosts[1] ?? "");
    await read(hosts[100] ?? "");
    expect(asked).to.deep.equal(hosts.map((host) => `${host}/robots.txt`));
    for (const index of [0, 1, 3, 100]) await read(hosts[index] ?? "");
    expect(asked).to.have.lengthOf(101);
    await read(hosts[2] ?? "");
    expect(asked.slice(101)).to.deep.equal(["https://2.example.org/robots.txt"]);
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
