import { expect } from "chai";
import { decodeDocument, isXmlType } from "html-conformance/documents";
import type { CrawledSite, EngineRunner, EngineStart } from "../../src/checker/engine.ts";
import { createAxeRunner } from "../../src/checker/engines/axe/runner.ts";
import type { HtmlEngine } from "../../src/checker/engines/html/port.ts";
import { startHtmlEngine } from "../../src/checker/engines/html/start-engine.ts";
import { linkRules } from "../../src/checker/engines/links/rules.ts";
import { createLinksRunner } from "../../src/checker/engines/links/runner.ts";
import { cacheFolder } from "../../src/config.ts";
import { siteRules } from "../../src/domain/acting/rules.ts";
import { type ReviewedPage, reviewPages } from "../../src/domain/acting/site-reviews.ts";
import { createActRule } from "../../src/domain/acts/rule.ts";
import type { Guide, GuideExample } from "../../src/domain/guides/guide.ts";
import { readReferences } from "../../src/domain/page/references.ts";
import { readGuides } from "../../src/files/read-guides.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import { createGuardedFetch, type GuardedFetch } from "../../src/net/guarded-fetch.ts";
import { type HtmlEngineName, htmlEngines } from "../../src/schema/html-engines.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { reportSpec } from "../support/builders.ts";
import { asDocument } from "../support/guide-examples.ts";
import { type Site, serveSite } from "../support/site.ts";

const guides = (await readGuides()).list();
const log = createLogger("error", {});
const { signal } = new AbortController();

const PAGE = "https://example.com/";

/** Names of rules, with what they found; a guide is to a rule, or to all that begin with its name. */
type Found = { rule: string; text: string; isReview?: boolean };
const isOf =
  ({ rule }: Guide) =>
  (found: Found) =>
    found.rule === rule || found.rule.startsWith(`${rule}/`);
const summary = (found: readonly Found[]) => found.map(({ rule, text }) => `${rule}: ${text}`);

describe("The examples of the guides to HTML", () => {
  const engines = new Map<HtmlEngineName, HtmlEngine>();
  const ofHtml = guides.filter(({ kind }) => kind === "html");

  before(async () => {
    for (const name of htmlEngines)
      if (ofHtml.some(({ engine }) => engine === name))
        engines.set(name, await startHtmlEngine(name, { log, cacheDir: cacheFolder(process.env), workers: 1 }));
  });
  after(async () => {
    for (const engine of engines.values()) await engine.close();
  });

  for (const guide of ofHtml)
    it(`show what ${guide.rule} of ${guide.engine} finds, and what is valid`, async () => {
      const engine = engines.get(guide.engine as HtmlEngineName);
      const before = await find(engine, guide, guide.before);
      expect(before.filter(isOf(guide)), `before has only ${summary(before)}`).to.not.be.empty;
      expect(summary(await find(engine, guide, guide.after))).to.deep.equal([]);
    });
});

describe("The examples of the guides to accessibility", () => {
  let runner: EngineRunner;
  let conformance: HtmlEngine;
  let site: Site;
  const all = guides.filter(({ kind }) => kind === "a11y");
  const isOfSite = ({ rule }: Guide) => siteRules.some((name) => name === rule);
  const ofA11y = all.filter((guide) => !isOfSite(guide));
  /** The pages of an example that is about several. */
  const pagesOf = ({ source, ...example }: GuideExample) =>
    source.split("<!-- next page -->\n").map((part) => ({ ...example, source: part }));

  before(async () => {
    const pages = ofA11y.flatMap((guide) =>
      (["before", "after"] as const).map((name) => {
        const { source, contentType } = asDocument(guide, guide[name]);
        return [`/${guide.rule}/${name}`, { headers: { "content-type": contentType }, body: source }] as const;
      }),
    );
    const ofSites = all.filter(isOfSite).flatMap((guide) =>
      (["before", "after"] as const).flatMap((name) =>
        pagesOf(guide[name]).map((page, n) => {
          const { source, contentType } = asDocument(guide, page);
          const path = `/${guide.rule}/${name}/${n + 1}`;
          return [path, { headers: { "content-type": contentType }, body: source }] as const;
        }),
      ),
    );
    site = await serveSite(Object.fromEntries([...pages, ...ofSites]));
    runner = await createAxeRunner({
      chromePath: undefined,
      policy: addressPolicy(["127.0.0.0/8", "::1/128"]),
      spec: reportSpec({ storeIncompleteChecks: true, a11yDepth: "acting" }),
      log,
    });
    conformance = await startHtmlEngine("conformance", { log, cacheDir: cacheFolder(process.env), workers: 1 });
  });
  after(async () => {
    await conformance?.close();
    await runner?.close();
    await site?.close();
  });

  for (const guide of ofA11y)
    it(`show what ${guide.rule} finds, and what is accessible and valid`, async () => {
      // At the same time: a check mostly waits for its page to become quiet.
      const [before, after, invalid] = await Promise.all([
        findInBrowser(`${site.url}${guide.rule}/before`),
        findInBrowser(`${site.url}${guide.rule}/after`),
        find(conformance, guide, guide.after),
      ]);
      expect(before.filter(isOf(guide)), `before has only ${summary(before)}`).to.not.be.empty;
      expect(summary(after.filter((found) => !found.isReview || isOf(guide)(found)))).to.deep.equal([]);
      expect(summary(invalid)).to.deep.equal([]);
    });

  for (const guide of all.filter(isOfSite))
    it(`show what ${guide.rule} finds when pages are compared, and what is accessible and valid`, async () => {
      const [before, after] = await Promise.all([findInSite(guide, "before"), findInSite(guide, "after")]);
      expect(before).to.include(guide.rule);
      expect(after).not.to.include(guide.rule);
      for (const page of pagesOf(guide.after)) expect(summary(await find(conformance, guide, page))).to.deep.equal([]);
    });

  async function findInSite(guide: Guide, name: "before" | "after"): Promise<string[]> {
    const urls = pagesOf(guide[name]).map((_page, n) => `${site.url}${guide.rule}/${name}/${n + 1}`);
    const outcomes = await Promise.all(urls.map(check));
    const pages = outcomes.map((outcome, n): ReviewedPage => {
      if (!("facts" in outcome) || !outcome.facts) throw new Error(JSON.stringify(outcome));
      return { id: String(n), url: urls[n] ?? "", linkedFrom: urls[n - 1] ?? null, facts: outcome.facts };
    });
    return reviewPages(pages, { isWhole: true }).map(({ rule }) => rule);
  }

  const check = (url: string) =>
    runner.check({ url, document: undefined, spec: reportSpec() }, { signal, beforeRequest: async () => {} });

  async function findInBrowser(url: string): Promise<Found[]> {
    const outcome = await check(url);
    if ("failure" in outcome || outcome.kind !== "a11y") throw new Error(JSON.stringify(outcome));
    return outcome.issues.map(({ rule, message, issue_type }) => ({
      rule: rule ?? "",
      text: message,
      isReview: issue_type === "warning",
    }));
  }
});

describe("The examples of the guides to links", () => {
  let site: Site;
  let crawled: CrawledSite;
  let shown = "";
  const ofLinks = guides.filter(({ kind }) => kind === "links");

  before(async () => {
    site = await serveSite({
      ...{ "/prices": "", "/shop.png": "", "/refused": { status: 403 } },
      "/moved": { status: 301, headers: { location: "/prices" } },
      "/chain": { status: 302, headers: { location: "/moved" } },
    });
    const client = createGuardedFetch(addressPolicy(["127.0.0.0/8", "::1/128"]));
    /** Every host of the examples is this site, and the pages that ask are, too. */
    const http: GuardedFetch = {
      get: async (url, { onRedirect, from: _pages, ...options }) => {
        const { origin, pathname } = new URL(url);
        const there = (found: string) => found.replace(site.origin, origin);
        const response = await client.get(`${site.origin}${pathname}`, {
          ...options,
          onRedirect: ({ from, to, status }) => onRedirect?.({ from: there(from), to: there(to), status }),
        });
        return { ...response, url: there(response.url) };
      },
      close: () => client.close(),
    };
    crawled = {
      http,
      referencesOf: async ({ url }) => readReferences(shown, url),
      numPages: async () => 1,
      idsOf: async (url) => readReferences(shown, url),
      idsWhenRendered: async () => undefined,
      resolvesNames: async () => true,
      known: async () => new Map([[PAGE, { page: { fetched: true, status: 200, failure: null } }]]),
      keep: async () => {},
      allows: async () => true,
      endsSession: () => false,
      acts: createActRule({ startingUrl: PAGE }, {}),
      close: () => client.close(),
    };
  });
  after(async () => {
    await crawled.close();
    await site.close();
  });

  for (const guide of ofLinks)
    it(`show what ${guide.rule} finds, and what is right`, async () => {
      expect((await findLinks(guide, guide.before)).map(({ rule }) => rule)).to.deep.equal([guide.rule]);
      expect(summary(await findLinks(guide, guide.after))).to.deep.equal([]);
    });

  it("are about every rule", async () => {
    expect(ofLinks.map(({ rule }) => rule).toSorted()).to.deep.equal([...linkRules].toSorted());
  });

  async function findLinks(guide: Guide, example: GuideExample): Promise<Found[]> {
    shown = asDocument(guide, example).source;
    const runner = await createLinksRunner({ spec: reportSpec(), site: async () => crawled } as EngineStart);
    const task = { url: PAGE, document: undefined, spec: reportSpec() };
    const outcome = await runner.check(task, { signal, beforeRequest: async () => {} });
    if ("failure" in outcome) throw new Error(JSON.stringify(outcome));
    return outcome.issues.map(({ rule, message }) => ({ rule: rule ?? "", text: message }));
  }
});

/** Errors and warnings in an example; notes are neither. */
async function find(engine: HtmlEngine | undefined, guide: Guide, example: GuideExample): Promise<Found[]> {
  const { source, contentType } = asDocument(guide, example);
  const decoded = decodeDocument(Buffer.from(source), contentType, isXmlType(contentType) ? "xml" : "html");
  const result = await engine?.check({ url: "http://example.test/", ...decoded }, signal);
  if (!result || "engineError" in result) throw new Error(`${guide.rule}: ${result?.engineError}`);
  return result.messages
    .filter(({ type, subType }) => type === "error" || subType === "warning")
    .map(({ rule, message }) => ({ rule, text: message }));
}
