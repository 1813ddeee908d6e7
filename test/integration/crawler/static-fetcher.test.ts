import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { createStaticFetcher } from "../../../src/crawler/static-fetcher.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../src/net/guarded-fetch.ts";
import { type Site, serveSite } from "../../support/site.ts";

const PAGE_LIMIT = 10_000_000;
const comment = `#${"x".repeat(PAGE_LIMIT)}`;

describe("the static fetcher", () => {
  let site: Site;
  before(async () => {
    const list = `https://a.example/1\n${comment}`;
    site = await serveSite({
      "/list": { headers: { "content-type": "text/plain" }, body: list },
      "/list.gz": { headers: { "content-type": "application/gzip" }, body: gzipSync(list) },
      "/1": { headers: { refresh: "0; url=/2" }, body: "1" },
      "/2": { headers: { refresh: "0; url=/3" }, body: "2" },
      "/3": { body: "3" },
      "/page": { body: `<!DOCTYPE html>${comment}` },
    });
  });
  after(() => site.close());

  it("reads at most two lists at a time that are longer than a page may be", async () => {
    const http = createGuardedFetch(addressPolicy(["127.0.0.0/8"]));
    let reading = 0;
    let most = 0;
    const watched: GuardedFetch = {
      ...http,
      get: async (url, options) => {
        let isLong = false;
        const maxBytes: typeof options.maxBytes = (head) => {
          const limit = options.maxBytes(head);
          if (limit > PAGE_LIMIT && !isLong) {
            isLong = true;
            most = Math.max(most, ++reading);
          }
          return limit;
        };
        try {
          return await http.get(url, { ...options, maxBytes });
        } finally {
          if (isLong) reading -= 1;
        }
      },
    };
    const fetcher = createStaticFetcher(watched);
    const options = { signal: new AbortController().signal, beforeRequest: async () => {}, lists: true };
    try {
      const paths = ["/list", "/list.gz", "/list", "/list.gz", "/list", "/list"];
      const lists = await Promise.all(paths.map((path) => fetcher.fetch(site.origin + path, options)));
      for (const { kind, links } of lists)
        expect({ kind, links }).to.deep.equal({ kind: "text-list", links: ["https://a.example/1"] });
      expect(most).to.be.within(1, 2);

      const requests = site.requests.length;
      const page = await fetcher.fetch(`${site.origin}/page`, options).catch((error: unknown) => error);
      expect(page).to.have.property("code", "too_large");
      expect(site.requests.length, "a page that is too large is requested once").to.equal(requests + 1);
    } finally {
      await fetcher.close();
    }
  });

  it("reads lists whatever their type, compression, encoding and beginning", async () => {
    const urls = ["https://a.example/1", "https://a.example/ä"];
    const bare = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;
    const texts = {
      "with a declaration": `<?xml version="1.0" encoding="ENCODING"?>\n${bare}`,
      "without one": bare,
      "after a comment": `<!-- made <urlset> --><?xml-stylesheet href="x.xsl"?>\n${bare}`,
      "as text": `# all\r\n${urls.join("\r\n")}\r\n`,
    };
    const utf16 = (text: string) => Buffer.from(`\ufeff${text.replace("ENCODING", "UTF-16")}`, "utf16le");
    const encoded = {
      "UTF-8": (text: string) => Buffer.from(text.replace("ENCODING", "UTF-8")),
      "UTF-8 with a mark": (text: string) => Buffer.from(`\ufeff${text.replace("ENCODING", "UTF-8")}`),
      "UTF-16": utf16,
      "UTF-16, big end first": (text: string) => utf16(text).swap16(),
    };
    const types = ["application/xml", "text/html", "text/html; charset=iso-8859-1", "text/plain", "application/gzip"];
    const cases = Object.entries(texts).flatMap(([how, text]) =>
      Object.entries(encoded).flatMap(([name, encode]) =>
        [...types, "application/octet-stream", ""].flatMap((type) =>
          [false, true].map((isGzip) => ({
            what: `${how}, ${name}, ${type}${isGzip ? ", gzip" : ""}`,
            route: { headers: { "content-type": type }, body: isGzip ? gzipSync(encode(text)) : encode(text) },
          })),
        ),
      ),
    );
    const lists = await serveSite(Object.fromEntries(cases.map(({ route }, index) => [`/${index}`, route])));
    const fetcher = createStaticFetcher(createGuardedFetch(addressPolicy(["127.0.0.0/8"])));
    try {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {}, lists: true };
      for (const [index, { what }] of cases.entries())
        expect((await fetcher.fetch(`${lists.origin}/${index}`, options)).links, what).to.deep.equal(urls);
    } finally {
      await fetcher.close();
      await lists.close();
    }
  });

  it("has one time limit for a page, including redirects by refresh", async () => {
    const http = createGuardedFetch(addressPolicy(["127.0.0.0/8"]));
    const given: (number | undefined)[] = [];
    const left: number[] = [];
    const watched: GuardedFetch = {
      ...http,
      get: async (url, options) => {
        given.push(options.timeLeft);
        const response = await http.get(url, options);
        left.push(response.timeLeft);
        return response;
      },
    };
    const fetcher = createStaticFetcher(watched);
    try {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
      const page = await fetcher.fetch(`${site.origin}/1`, options);
      expect(page.url).to.equal(`${site.origin}/3`);
      expect(page).not.to.have.property("timeLeft");
      expect(given).to.deep.equal([undefined, left[0], left[1]]);
      expect(left).to.deep.equal(left.toSorted((a, b) => b - a));
    } finally {
      await fetcher.close();
    }
  });
});
