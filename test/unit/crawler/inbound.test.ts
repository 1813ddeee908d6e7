import { expect } from "chai";
import fc from "fast-check";
import {
  addPage,
  createFrontier,
  discoverAll,
  exclude,
  type Frontier,
  followRedirect,
  next,
  planVisit,
  restore,
  takeBatch,
} from "../../../src/crawler/frontier.ts";
import { type CrawlBatch, type CrawlProgress, emptyBatch } from "../../../src/database/crawl/crawl.ts";
import type { SeenBatch } from "../../../src/database/crawl/inbound-links.ts";

const SITE = "https://example.com";
const scope = { host: "example.com", exclusions: ["/private"] };
const failure = { code: "http_error", detail: "404" } as const;

/** A site: what each address responds with, and its links. */
type Site = Readonly<Record<string, { kind: "page" | "gone" | "redirect" | "picture"; links: readonly string[] }>>;

/** Visits one address as the crawler does, and stores what it finds. @returns false when nothing is left */
function visit(frontier: Frontier, site: Site): boolean {
  const entry = next(frontier);
  if (!entry) return false;
  const path = entry.url.slice(SITE.length);
  const { kind, links } = site[path] ?? { kind: "gone", links: [] };
  const { url, linkedFrom } = entry;
  const row = { url, linkedFrom, httpStatus: 200, source: undefined, failure: undefined };
  if (kind === "gone") addPage(frontier, { ...row, failure });
  else if (kind === "picture") exclude(frontier, url, linkedFrom, "not_html");
  else if (kind === "redirect") {
    exclude(frontier, url, linkedFrom, "duplicate_redirect");
    const to = `${url}/`;
    if (frontier.known.has(to)) return true;
    followRedirect(frontier, url, to);
    addPage(frontier, { ...row, url: to, failure });
  } else {
    addPage(frontier, row);
    discoverAll(
      frontier,
      links.map((link) => SITE + link),
      entry.depth + 1,
      url,
    );
  }
  return true;
}

/** What is stored, batch by batch, as in the database. */
function createStore() {
  const progress: CrawlProgress = { frontier: [], pages: [], excluded: [], notices: [] };
  const journal: SeenBatch[] = [];
  const rows = new Map<string, { howMany: number; pages: readonly string[] }>();
  const frontier = new Map<string, CrawlBatch["frontier"][number]>();
  return {
    rows,
    store(batch: CrawlBatch) {
      for (const row of batch.frontier) frontier.set(row.url, row);
      progress.frontier = [...frontier.values()].sort((a, b) => a.position - b.position);
      for (const { url, failure: why } of batch.pages) progress.pages.push({ url, ok: !why });
      for (const { url } of batch.excluded) progress.excluded.push(url);
      for (const { url, howMany, pages } of batch.inbound) rows.set(url, { howMany, pages });
      journal.push(...batch.seen);
    },
    restarted(): Frontier {
      const restarted = createFrontier(scope, 0);
      const countAgain = restore(restarted, structuredClone(progress));
      for (const entry of journal) countAgain(entry);
      return restarted;
    },
  };
}

function started(): Frontier {
  const frontier = createFrontier(scope, 0);
  planVisit(frontier, `${SITE}/0`, 0, null);
  return frontier;
}

/** @param batches after how many visits something is stored, and whether the crawler is then replaced */
function crawl(site: Site, batches: readonly { visits: number; dies: "no" | "after" | "before" }[]) {
  const store = createStore();
  let frontier = started();
  for (const { visits, dies } of batches) {
    for (let n = 0; n < visits; n++) visit(frontier, site);
    // A crawler that dies before it stores has only wasted its visits.
    if (dies !== "before") store.store(takeBatch(frontier));
    if (dies !== "no") frontier = frontier.nextPosition > 1 || dies === "after" ? store.restarted() : frontier;
    if (frontier.nextPosition === 0) frontier = started();
  }
  while (visit(frontier, site));
  store.store(takeBatch(frontier));
  return store.rows;
}

const paths = [...Array.from({ length: 12 }, (_, n) => `/${n}`), "/private/x", "/private/y"];
const sites: fc.Arbitrary<Site> = fc
  .tuple(
    ...paths.map(() =>
      fc.record({
        kind: fc.constantFrom("page", "page", "page", "gone", "redirect", "picture"),
        links: fc.array(fc.constantFrom(...paths, "/5/", "/5#part"), { maxLength: 10 }),
      }),
    ),
  )
  .map((all) => Object.fromEntries(paths.map((path, n) => [path, all[n]])) as Site)
  .map((site) => ({ ...site, "/0": { ...site["/0"], kind: "page", links: paths } }) as Site);

describe("the pages that link to an address that failed or was left out", () => {
  it("are all counted, each once, and the first ten are kept", () => {
    const parents = Array.from({ length: 30 }, (_, n) => `/p${n}`);
    const links = ["/gone", "/gone#part", "/./gone", "/private/x"];
    const site: Site = {
      "/0": { kind: "page", links: [...parents, "/0"] },
      ...Object.fromEntries(parents.map((parent) => [parent, { kind: "page", links }])),
    };
    const rows = crawl(site, []);
    expect([...rows.keys()].sort()).to.deep.equal([`${SITE}/gone`, `${SITE}/private/x`]);
    for (const row of rows.values())
      expect(row).to.deep.equal({ howMany: 30, pages: parents.slice(0, 10).map((parent) => SITE + parent) });
  });

  it("are those of what redirects to it, too", () => {
    const site: Site = {
      "/0": { kind: "page", links: ["/old", "/1", "/2"] },
      "/1": { kind: "page", links: ["/old"] },
      "/2": { kind: "page", links: ["/old", "/old/"] },
      "/old": { kind: "redirect", links: [] },
    };
    const pages = ["/0", "/1", "/2"].map((path) => SITE + path);
    expect(Object.fromEntries(crawl(site, []))).to.deep.equal({
      [`${SITE}/old`]: { howMany: 3, pages },
      [`${SITE}/old/`]: { howMany: 3, pages },
    });
  });

  it("are not counted for pages, nor again when a list is read twice", () => {
    const frontier = started();
    for (let n = 0; n < 2; n++) {
      discoverAll(frontier, [`${SITE}/a`, `${SITE}/private/x`], 1, `${SITE}/list`);
      discoverAll(frontier, [`${SITE}/private/x`], 1, `${SITE}/other`);
    }
    expect(takeBatch(frontier).inbound).to.deep.equal([
      { url: `${SITE}/private/x`, howMany: 2, pages: [`${SITE}/list`, `${SITE}/other`] },
    ]);
    addPage(frontier, {
      ...{ url: `${SITE}/a`, linkedFrom: null, httpStatus: 200, source: undefined, failure: undefined },
    });
    discoverAll(frontier, [`${SITE}/a`], 1, `${SITE}/third`);
    expect(takeBatch(frontier)).to.deep.include({ inbound: emptyBatch().inbound, seen: [] });
  });

  it("are stored for an address that one page links to, if the crawl began with it", () => {
    const frontier = started();
    planVisit(frontier, `${SITE}/gone`, 0, null);
    const site: Site = { "/0": { kind: "page", links: ["/gone"] } };
    while (visit(frontier, site));
    expect(takeBatch(frontier).inbound).to.deep.equal([{ url: `${SITE}/gone`, howMany: 1, pages: [`${SITE}/0`] }]);
  });

  it("count a document once, under however many addresses it was read", () => {
    const frontier = started();
    discoverAll(frontier, [`${SITE}/gone`], 1, `${SITE}/page`);
    frontier.inbound.copies.add(`${SITE}/page/index.html`);
    discoverAll(frontier, [`${SITE}/gone`, `${SITE}/page/lost`], 1, `${SITE}/page/index.html`);
    const pagesOf = (path: string) => frontier.inbound.records.get(`${SITE}${path}`)?.pages;
    expect(pagesOf("/gone")).to.deep.equal([`${SITE}/page`]);
    expect(pagesOf("/page/lost")).to.deep.equal([`${SITE}/page/index.html`]);
  });

  it("are stored in entries of limited size, in which no address that a site makes up is written out", () => {
    const frontier = started();
    const long = (n: number) => `https://other.example/${"x".repeat(1_900)}${n}`;
    const links = Array.from({ length: 5_000 }, (_, n) => long(n));
    discoverAll(frontier, links, 1, `${SITE}/0`);
    const one = takeBatch(frontier).seen;
    expect(JSON.stringify(one).length).to.be.below(100_000);
    for (let n = 0; n < 10; n++) discoverAll(frontier, links, 1, `${SITE}/page/${n}`);
    const { seen } = takeBatch(frontier);
    expect(seen.map(({ number }) => number)).to.deep.equal([1, 2, 3]);
    for (const entry of seen) expect(JSON.stringify(entry).length).to.be.below(510_000);
  });

  it("are the same, however often the crawler is replaced", () => {
    const batches = fc.array(
      fc.record({ visits: fc.integer({ min: 0, max: 5 }), dies: fc.constantFrom("no", "after", "before") }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(sites, batches, (site, parts) => {
        expect(crawl(site, parts)).to.deep.equal(crawl(site, []));
      }),
      { numRuns: 300 },
    );
  });
});
