import { expect } from "chai";
import type { EngineRunner } from "../../src/checker/engine.ts";
import { createAxeRunner } from "../../src/checker/engines/axe/runner.ts";
import type { HtmlEngine } from "../../src/checker/engines/html/port.ts";
import { startHtmlEngine } from "../../src/checker/engines/html/start-engine.ts";
import { cacheFolder } from "../../src/config.ts";
import { createDynamicFetcher } from "../../src/crawler/dynamic-fetcher.ts";
import type { PageFetcher } from "../../src/crawler/page-fetcher.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { browserPids } from "../support/browsers.ts";
import { insertReport, reportSpec } from "../support/builders.ts";
import { pageOf, readCrawl, runCrawl } from "../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type PeakMemory, watchMemory } from "../support/peak-memory.ts";
import { type Site, serveSite } from "../support/site.ts";
import { limitOf } from "../support/wait.ts";
import type { HostilePage } from "./hostile-pages.ts";

/** As in a crawler: enough for an innocent page on a busy machine. */
const TIME_LIMIT_MS = 30_000;
/** For a page that uses up whatever it gets. */
const HANGING_LIMITS_MS = { "for long": 3_000, "for ever": 1_000 };

/** Checks that use pages, too, meet more of what a page can do. */
const acting = reportSpec({ performA11yChecks: true, a11yDepth: "acting", storeIncompleteChecks: true });

/** The most memory of the HTML engine's process, which checks one page after the other as it was received; undefined where there is none. */
async function engineMemory(engine: HtmlEngine, source: string | undefined): Promise<number | undefined> {
  if (source === undefined) return undefined;
  const watching = watchMemory();
  const document = { url: "https://example.com/hostile", contentType: "text/html", source };
  await engine.check(document, new AbortController().signal);
  return watching.stop().engine;
}

/** Visits each page with crawler and checker beside an innocent one, which must not notice; and prints how much memory that took. */
export function describeHostile(title: string, hostilePages: readonly HostilePage[]): void {
  describe(title, function () {
    this.timeout(limitOf(60));

    const peaks: { name: string; crawl: PeakMemory; check: PeakMemory; engine: number | undefined }[] = [];
    let database: TestDatabase;
    type Visitors = { crawler: PageFetcher; checker: EngineRunner };
    let usual: Visitors;
    let hasty: Record<"for long" | "for ever", Visitors>;
    let site: Site;
    let engine: HtmlEngine;

    before(async () => {
      database = await createTestDatabase();
      const log = createLogger("error", {});
      log.silent = true;
      const settings = { chromePath: undefined, policy: addressPolicy(["127.0.0.0/8"]), log };
      const visitors = async (timeLimitMs: number): Promise<Visitors> => ({
        crawler: await createDynamicFetcher({
          ...settings,
          spec: reportSpec({ pageTimeoutSeconds: timeLimitMs / 1_000 }),
        }),
        checker: await createAxeRunner({ ...settings, timeLimitMs, spec: acting }),
      });
      engine = await startHtmlEngine("conformance", { log, cacheDir: cacheFolder(process.env), workers: 1 });
      usual = await visitors(TIME_LIMIT_MS);
      hasty = {
        "for long": await visitors(HANGING_LIMITS_MS["for long"]),
        "for ever": await visitors(HANGING_LIMITS_MS["for ever"]),
      };
    });
    after(async () => {
      for (const { crawler, checker } of [usual, ...Object.values(hasty)])
        for (const opened of [checker, crawler]) await opened.close();
      await engine.close();
      await database.drop();
      expect(browserPids()).to.deep.equal([]);
      console.log(peakTable(peaks));
    });
    afterEach(() => site.close());

    for (const { name, page, routes = {}, ends, hangs, says } of hostilePages)
      it(name, async () => {
        site = await serveSite({ "/": pageOf("/hostile", "/other"), "/hostile": page, "/other": pageOf(), ...routes });
        const crawling = watchMemory();
        const spec = { startingUrl: site.url, dynamicCrawler: true, maxPages: 20, rateLimit: 0, deepCrawl: false };
        const reportId = await insertReport(database.db, { spec });
        const visitorsOf = (url: string) => (hangs && url.endsWith("/hostile") ? hasty[hangs] : usual);
        const fetcher: PageFetcher = {
          fetch: (url, options) => visitorsOf(url).crawler.fetch(url, options),
          close: async () => {},
        };
        await runCrawl(database, reportId, { openBrowser: async () => fetcher });
        const crawl = crawling.stop();
        const { report, checks, pages, reasons, sources } = await readCrawl(database.db, reportId);
        expect(report.crawl_state).to.equal("ended");
        const endOf = (path: string) => {
          const found = pages.find(({ url }) => url.startsWith(site.origin + path));
          const check = checks.find(({ web_page_id }) => web_page_id === found?.id);
          return check ? (check.failure_code ?? "checked") : reasons[site.origin + path];
        };
        expect([endOf("/"), endOf("/other")]).to.deep.equal(["checked", "checked"]);
        expect(endOf("/hostile"), checks.map((check) => check.failure_detail).join()).to.be.oneOf(ends);

        const checking = watchMemory();
        const check = async (path: string) => {
          const task = { url: site.origin + path, document: undefined, spec: reportSpec() };
          const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
          const outcome = await visitorsOf(task.url).checker.check(task, options);
          const notices = "failure" in outcome ? [] : (outcome.notices ?? []);
          return {
            end: "failure" in outcome ? outcome.failure.code : "checked",
            notices: notices.map(({ code }) => code),
          };
        };
        const [hostile, other] = await Promise.all([check("/hostile"), check("/other")]);
        const onPage = checking.stop();
        peaks.push({
          name,
          crawl,
          check: onPage,
          engine: await engineMemory(engine, sources[`${site.origin}/hostile`]),
        });
        expect(hostile.end).to.be.oneOf(ends);
        if (says !== undefined && hostile.end === "checked") expect(hostile.notices).to.include(says);
        expect(other.end).to.equal("checked");
        // Beside a page that keeps a core busy its time may be over before all of it was used, which is said.
        expect(other.notices.filter((code) => code !== "acted_in_part")).to.deep.equal([]);
        // Nobody has asked a page that is used to change anything, or to lead anywhere.
        expect(
          site.requests.filter(({ method, path }) => method !== "GET" || /^\/(change|elsewhere)/.test(path)),
        ).to.deep.equal([]);
      });
  });
}

/** A row a page, in megabytes: of which process, while it is crawled and while it is checked. */
function peakTable(
  peaks: readonly { name: string; crawl: PeakMemory; check: PeakMemory; engine: number | undefined }[],
): string {
  const columns = ["crawler", "browsers", "largest", "checker", "browsers", "largest", "engine"];
  const line = (cells: readonly string[], name: string) =>
    `    ${cells.map((cell) => cell.padStart(9)).join("")}  ${name}`;
  const megabytes = (bytes: number | undefined) => (bytes === undefined ? "–" : `${Math.round(bytes / 1e6)}`);
  const rows = peaks.map(({ name, crawl, check, engine }) => {
    const sizes = [crawl.own, crawl.browsers, crawl.largest, check.own, check.browsers, check.largest, engine];
    return line(sizes.map(megabytes), name);
  });
  return ["    peak memory in MB", line(columns, "page"), ...rows].join("\n");
}
