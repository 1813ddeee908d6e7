import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import type { CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import {
  acting,
  type BackOffice,
  byAttribute,
  leading,
  reading,
  serveBackOffice,
  ways,
} from "../../support/back-office.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("browsers where somebody is signed in", () => {
  let site: BackOffice;
  const settingsOf = (spec: Partial<ReportSpec>) => ({
    ...{ chromePath: undefined, log: createLogger("error", {}) },
    policy: { ...addressPolicy(["127.0.0.0/8"]), ...(site.tls && { tls: site.tls }) },
    ...{ credentials: site.credentials, spec: reportSpec({ startingUrl: site.url, ...spec }) },
  });
  beforeEach(async () => {
    site = await serveBackOffice();
  });
  afterEach(() => site.close());

  describe("that crawl", () => {
    let database: TestDatabase;
    before(async () => {
      database = await createTestDatabase();
    });
    after(() => database.drop());

    it("ask for nothing that acts, by links, redirects, frames and scripts", async () => {
      const spec = { startingUrl: site.url, maxPages: 0, rateLimit: 0, dynamicCrawler: true };
      const reportId = await insertReport(database.db, { spec });
      const openBrowser = () => createDynamicFetcher(settingsOf(spec));
      await runCrawl(database, reportId, { openBrowser, credentials: site.credentials });
      expect(site.changes).to.deep.equal([]);
      const { reasons, urls } = await readCrawl(database.db, reportId);
      const left = (path: string) => reasons[new URL(path, site.url).href];
      for (const path of [...acting, ...byAttribute, "/moved"]) expect(left(path), path).to.equal("acts");
      expect(left("/o/7")).to.equal("signs_out");
      const paths = urls.map((url) => url.replace(site.origin, ""));
      expect(paths).to.include.members(["/", ...reading]);
      const notices = await readNotices(database.db, reportId);
      const stopped = notices.find(({ code }) => code === "requests_stopped");
      expect(stopped?.num_urls).to.be.above(1);
      expect(JSON.stringify(stopped?.examples)).to.contain(`POST ${site.origin}/api/save`);
      expect(leading).to.include("/refresh");
    });
  });

  describe("that check accessibility", () => {
    let runner: EngineRunner;
    const check = (path: string, spec: ReportSpec): Promise<CheckOutcome> =>
      runner.check(
        { url: new URL(path, site.url).href, document: undefined, spec },
        { signal: new AbortController().signal, beforeRequest: async () => {} },
      );
    const noticesOf = (outcome: CheckOutcome) => ("failure" in outcome ? [] : (outcome.notices ?? []));
    const using = async (settings: Partial<ReportSpec>, use: (spec: ReportSpec) => Promise<void>) => {
      const { spec, ...rest } = settingsOf(settings);
      runner = await createAxeRunner({ ...rest, spec });
      try {
        await use(spec);
      } finally {
        await runner.close();
      }
    };

    it("send nothing that may change something, and say what was stopped, also where the page is used", async () => {
      await using({ a11yDepth: "acting", storeIncompleteChecks: true, allowPosts: ["/graphql"] }, async (spec) => {
        const scripted = noticesOf(await check("/scripted", spec));
        const stopped = scripted.find(({ code }) => code === "requests_stopped");
        expect(stopped?.howMany).to.equal(4);
        expect(stopped?.detail).to.contain(`POST ${site.origin}/api/save`);
        expect(JSON.stringify(scripted)).to.contain("somebody is signed in");
        expect(noticesOf(await check("/framed", spec)).map(({ code }) => code)).to.include("requests_stopped");
        const moved = await check("/moved", spec);
        expect("failure" in moved && moved.failure.code).to.equal("excluded");
        expect(site.requests.map(({ method, path }) => `${method} ${path}`)).to.include("POST /graphql");
      });
      expect(site.changes).to.deep.equal([]);
    });

    for (const by of Object.keys(ways) as (keyof typeof ways)[])
      it(`send nothing that may change something where ${by} says who is there`, async () => {
        await site.close();
        site = await serveBackOffice(by);
        await using({}, async (spec) => {
          for (const path of ["/scripted", "/workers", "/framed", "/ahead"]) {
            const outcome = await check(path, spec);
            expect(
              noticesOf(outcome).map(({ code }) => code),
              path,
            ).to.include("requests_stopped");
          }
        });
        expect(site.requests.map(({ path }) => path)).to.include.members([
          "/scripted",
          "/workers",
          "/framed",
          "/ahead",
        ]);
        expect(site.changes).to.deep.equal([]);
      });

    it("let steps of a state do what they say", async () => {
      const states = [{ name: "saved", url: "/scripted", steps: [{ type: "click", selectors: [["#save"]] }] }];
      await using({ states } as Partial<ReportSpec>, async (spec) => {
        expect("failure" in (await check("/scripted#:~:state=saved", spec))).to.equal(false);
      });
      expect(site.changes).to.deep.equal(["POST /posts/9"]);
    });
  });
});
