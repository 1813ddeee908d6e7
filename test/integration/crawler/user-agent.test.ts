import { expect } from "chai";
import { listDevices } from "../../../src/browser/devices.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import { createSourceFetcher } from "../../../src/crawler/source-fetcher.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { testLog as log } from "../../support/controller.ts";
import { pageOf, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Site, serveSite } from "../../support/site.ts";

const USER_AGENT = "MyBot/1.0 (+https://example.com/bot)";
const policy = addressPolicy(["127.0.0.0/8"]);
const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
const text = { "content-type": "text/plain" };
const script = { "content-type": "text/javascript" };

describe("a report's user agent", () => {
  let database: TestDatabase;
  let site: Site;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    site = await serveSite({
      "/": `${pageOf("/open", "/closed")}<img src="/picture" alt=""><script>new Worker("/worker.js")</script>`,
      "/worker.js": { headers: script, body: 'fetch("/from-worker?" + encodeURIComponent(navigator.userAgent))' },
      "/robots.txt": { headers: text, body: "User-agent: *\nDisallow: /open\n\nUser-agent: mybot\nDisallow: /closed" },
      "/sitemap.xml": { headers: { "content-type": "application/xml" }, body: "<urlset></urlset>" },
      "*": pageOf(),
    });
  });
  afterEach(() => site.close());

  const crawled = async (spec: Partial<ReportSpec>) => {
    const wanted = { startingUrl: site.url, rateLimit: 0, maxPages: 0, ...spec };
    const reportId = await insertReport(database.db, { spec: wanted });
    await runCrawl(database, reportId, {
      openBrowser: () => createDynamicFetcher({ chromePath: undefined, policy, spec: reportSpec(wanted), log }),
    });
    return readCrawl(database.db, reportId);
  };
  const userAgents = () => [...new Set(site.requests.map(({ headers }) => headers["user-agent"]))];
  const requested = () => site.requests.map(({ path }) => path);

  it("is sent with every request of a crawl, and its product is the one that robots.txt is read for", async () => {
    const initialUrls = [`${site.origin}/sitemap.xml`];
    const { urls } = await crawled({ userAgent: USER_AGENT, respectRobots: true, initialUrls });
    expect(urls).to.deep.equal([site.url, `${site.origin}/open`]);
    expect(requested()).to.include.members(["/", "/robots.txt", "/sitemap.xml", "/open"]);
    expect(userAgents()).to.deep.equal([USER_AGENT]);
  });

  it("is our own where a report has none", async () => {
    const { urls } = await crawled({ respectRobots: true });
    expect(urls).to.deep.equal([site.url, `${site.origin}/closed`]);
    expect(userAgents()).to.deep.equal(["Mozilla/5.0 (compatible; site-validator/0.1)"]);
  });

  it("is what a browser sends and says of itself, in workers too, and replaces that of a device", async () => {
    const phone = (await listDevices()).find(({ name }) => name === "iPhone 8");
    await crawled({ userAgent: USER_AGENT, deviceId: phone?.id ?? "", dynamicCrawler: true, maxPages: 1 });
    expect(requested()).to.include.members(["/picture", `/from-worker?${encodeURIComponent(USER_AGENT)}`]);
    expect(userAgents()).to.deep.equal([USER_AGENT]);
    // Client hints would name another browser.
    expect(JSON.stringify(site.requests)).not.to.match(/HeadlessChrome/);
  });

  it("is sent by the accessibility check, and when a page is fetched again", async () => {
    const spec = reportSpec({ startingUrl: site.url, performA11yChecks: true, userAgent: USER_AGENT });
    const runner = await createAxeRunner({ chromePath: undefined, policy, spec, log });
    try {
      expect(await runner.check({ url: site.url, document: undefined, spec }, options)).to.have.property("issues");
    } finally {
      await runner.close();
    }
    const sources = createSourceFetcher({
      ...{ db: database.db, reportId: await insertReport(database.db), policy, userAgent: USER_AGENT },
    });
    await sources.readAgain(`${site.origin}/open`, options);
    await sources.close();
    expect(requested()).to.include.members(["/", "/open"]);
    expect(userAgents()).to.deep.equal([USER_AGENT]);
  });
});
