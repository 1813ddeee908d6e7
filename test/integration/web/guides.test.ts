import { expect } from "chai";
import type { HtmlEngine } from "../../../src/checker/engines/html/port.ts";
import { startHtmlEngine } from "../../../src/checker/engines/html/start-engine.ts";
import { cacheFolder } from "../../../src/config.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { createGuidePages } from "../../../src/web/app.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openMenu, openPersonsBrowser, type PersonsBrowser, press } from "../../support/web-browser.ts";
import { open, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn, webClient } from "../../support/web-service.ts";

describe("The guides to rules", () => {
  let database: TestDatabase;
  /** With all pages, and with the guides alone. */
  let whole: TestApi;
  let alone: TestApi;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    whole = await startTestPages(database);
    alone = await startTestPages(database, { pages: createGuidePages });
    ({ token } = await accountWithToken(database));
  });
  after(async () => {
    await alone?.close();
    await whole?.close();
    await database?.drop();
  });

  const read = (path: string, init: RequestInit = {}) => fetch(whole.url + path, { redirect: "manual", ...init });
  const stranger = () => webClient(whole.url);

  it("are listed by kind, with how many there are, for somebody who is not signed in", async () => {
    const page = await open(stranger(), "/guides");
    const guides = (await whole.deps.guides()).list();
    const count = (wanted: string) => guides.filter(({ kind }) => kind === wanted).length;
    expect(page.status).to.equal(200);
    expect(page("ul.guides a").length).to.equal(guides.length);
    expect(textOf(page))
      .to.include(`${guides.length} guides`)
      .and.include(`Accessibility: ${count("a11y")} guides`);
    expect(textOf(page, "h2"))
      .to.include(`HTML: ${count("html")} guides`)
      .and.include(`Links: ${count("links")} guides`);
    expect(page("header form, header nav").length).to.equal(0);
  });

  const rulesFound = async (query: string) => {
    const page = await open(stranger(), `/guides?${query}`);
    return page("ul.guides code")
      .toArray()
      .map((rule) => page(rule).text());
  };

  it("are found by the words of their titles and rules, in any order and case", async () => {
    expect(await rulesFound("text=Contrast+TEXT")).to.deep.equal([
      "color-contrast",
      "sv-control-contrast",
      "sv-hover-contrast",
    ]);
    expect(await rulesFound("text=img/alt")).to.deep.equal(["img/alt"]);
  });

  it("are found by a success criterion, and by kind", async () => {
    expect(await rulesFound("text=1.4.3")).to.deep.equal([
      "color-contrast",
      "sv-hover-contrast",
      "sv-placeholder-contrast",
    ]);
    expect(await rulesFound("text=non-text+content&kind=a11y"))
      .to.include("image-alt")
      .and.not.include("img/alt");
    expect(await rulesFound("text=non-text+content&kind=html"))
      .to.include("img/alt")
      .and.not.include("image-alt");
  });

  it("keep in the form what was looked for, and say that nothing was found", async () => {
    const page = await open(stranger(), `/guides?kind=html&text=${encodeURIComponent('"><b>')}`);
    expect(page("#field-text").val()).to.equal('"><b>');
    expect(page("#field-kind option[selected]").val()).to.equal("html");
    expect(textOf(page)).to.include("No guides match");
    expect(page("ul.guides").length).to.equal(0);
  });

  it("say what is wrong, who is affected and how to fix it, with an example of both", async () => {
    const page = await open(stranger(), "/guides/html/img/alt");
    const guide = (await whole.deps.guides()).get("html", "img/alt")?.guide;
    expect(textOf(page, "h1")).to.equal(guide?.title);
    const headings = page("h2").toArray();
    expect(headings.map((heading) => page(heading).text())).to.deep.equal([
      ...["What is wrong", "Who is affected", "How to fix it", "Before", "After", "About the rule", "Read more"],
    ]);
    const examples = page("pre.source").toArray();
    expect(examples.map((example) => page(example).text())).to.deep.equal([guide?.before.source, guide?.after.source]);
    expect(textOf(page, "main ul:last-of-type"))
      .to.include("HTML Standard: images.html#alt")
      .and.include("1.1.1 Non-text Content (level A)");
  });

  it("have the navigation for somebody who is signed in, also on one that was looked at before", async () => {
    const browser: PersonsBrowser = await openPersonsBrowser();
    try {
      const page = await browser.person();
      const navigation = () => page.$$eval("header li a", (links) => links.length);
      await page.goto(`${whole.url}/guides/html/img/alt`);
      expect(await navigation()).to.equal(0);
      await page.goto(`${whole.url}/sign-in`);
      await page.type("#field-token", token);
      await press(page, "button", "Sign in");
      await page.goto(`${whole.url}/guides/html/img/alt`);
      expect(await navigation()).to.be.above(3);
      await openMenu(page, "Account");
      await press(page, "button", "Sign out");
      await page.goto(`${whole.url}/guides/html/img/alt`);
      expect(await navigation()).to.equal(0);
    } finally {
      await browser.close();
    }
  });

  it("say where a rule is found in the reader's own sites, and lead there", async () => {
    const { accountId, token: own } = await accountWithToken(database);
    const shop = await runReport(database.db, accountId, {
      "/": ["img/alt img a", "img/alt img b"],
      "/two": ["img/alt img c"],
    });
    const client = await signedIn({ url: whole.url, token: own });
    const guide = await open(client, "/guides/html/img/alt");
    const [link, ...others] = guide("[aria-labelledby=mine] a").toArray();
    expect(guide(link).text().replace(/\s+/g, " ").trim()).to.match(/^https:\/\/example[.]com\/.*3.*2$/);
    expect(others).to.deep.equal([]);
    const issue = await open(client, guide(link).attr("href") ?? "");
    expect([issue.status, textOf(issue)]).to.satisfy(
      ([status, text]: [number, string]) => status === 200 && text.includes("img/alt"),
    );
    expect(guide(link).attr("href")).to.include(shop);
    expect(textOf(await open(client, "/guides/a11y/color-contrast"), "[aria-labelledby=mine]")).to.include("have none");
    const other = await open(await signedIn({ url: whole.url, token }), "/guides/html/img/alt");
    expect(other("[aria-labelledby=mine] a").length).to.equal(0);
    expect((await open(stranger(), "/guides/html/img/alt"))("[aria-labelledby=mine]").length).to.equal(0);
  });

  it("may be cached, and are not sent again to whom has them", async () => {
    for (const path of ["/guides", "/guides?text=contrast", "/guides/html/img/alt"]) {
      const { headers } = await read(path);
      expect(headers.get("cache-control"), path).to.equal("public, max-age=300");
      expect(headers.get("vary"), path).to.include("Cookie");
      const again = await read(path, { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect(again.status, path).to.equal(304);
    }
  });

  it("are kept by nobody once a session is in them, or one that has ended", async () => {
    const client = await signedIn({ url: whole.url, token });
    for (const cookie of [client.cookie(), client.cookie().replace(/.{4}$/, "AAAA")]) {
      const { headers } = await read("/guides/html/img/alt", { headers: { cookie } });
      expect([headers.get("cache-control"), headers.get("etag")]).to.deep.equal(["no-store", null]);
    }
  });

  it("load what the service has, and no more, and cannot be framed", async () => {
    const policy = (await read("/guides/html/img/alt")).headers.get("content-security-policy");
    const another = (await read("/sign-in")).headers.get("content-security-policy");
    expect(policy).to.equal(another).and.include("default-src 'none'").and.include("frame-ancestors 'none'");
  });

  it("count as calls of an address", async () => {
    const limited = await startTestPages(database, { requestsPerMinute: 2 });
    try {
      const statuses: number[] = [];
      for (let call = 0; call < 3; call += 1) statuses.push((await fetch(`${limited.url}/guides`)).status);
      expect(statuses).to.deep.equal([200, 200, 429]);
    } finally {
      await limited.close();
    }
  });

  for (const path of [
    ...["/html/none", "/html/no", "/css/img/alt", "/html", "/html/", "/html/img/alt/", "/html/..%2Fimg%2Falt"],
    ...["/html/img%2Falt", "/html/%00", "/html/%ff", "/a11y/img/alt", "/html/__proto__"],
  ])
    it(`do not exist at /guides${path}`, async () => {
      const expected = path === "/html/%ff" ? 400 : 404;
      for (const { url } of [whole, alone]) expect((await fetch(`${url}/guides${path}`)).status).to.equal(expected);
    });

  it("are read-only", async () => {
    for (const { url } of [whole, alone]) {
      const { status, headers } = await fetch(`${url}/guides/html/img/alt`, { method: "POST" });
      expect([status, headers.get("allow")]).to.deep.equal([405, "GET, HEAD, OPTIONS"]);
      expect((await fetch(`${url}/guides`, { method: "OPTIONS" })).status).to.equal(204);
      const head = await fetch(`${url}/guides/html/img/alt`, { method: "HEAD" });
      expect([head.status, await head.text(), head.headers.get("content-type")]).to.deep.equal([
        ...[200, "", "text/html; charset=utf-8"],
      ]);
    }
  });

  describe("where there are no other pages", () => {
    it("are the same, with their style, and without links to what is not there", async () => {
      const guides = await open(webClient(alone.url), "/guides");
      const guide = await open(webClient(alone.url), "/guides/a11y/image-alt");
      for (const page of [guides, guide]) {
        expect(page.status).to.equal(200);
        const targets = page("[href^='/'], [src^='/']")
          .toArray()
          .map((element) => page(element).attr("href") ?? page(element).attr("src") ?? "");
        expect(targets.length).to.be.above(3);
        for (const target of targets.filter((path) => !path.startsWith("/guides/")))
          expect((await fetch(alone.url + target)).status, target).to.equal(200);
      }
    });

    it("look for no session, and offer no other page", async () => {
      const client = await signedIn({ url: whole.url, token });
      const headers = { cookie: client.cookie(), accept: "text/html" };
      const answer = await fetch(`${alone.url}/guides`, { headers });
      expect(answer.headers.get("cache-control")).to.equal("public, max-age=300");
      expect(await answer.text()).to.not.include("<nav");
      for (const path of ["/", "/sign-in", "/reports/new", "/nothing"]) {
        const { status, headers: sent } = await fetch(alone.url + path, { headers, redirect: "manual" });
        expect([status, sent.get("content-type")], path).to.deep.equal([404, "application/vnd.api+json"]);
      }
    });
  });

  describe("each of them", () => {
    let engine: HtmlEngine;

    before(async () => {
      const log = createLogger("error", {});
      engine = await startHtmlEngine("conformance", { log, cacheDir: cacheFolder(process.env), workers: 1 });
    });
    after(() => engine?.close());

    async function faultsOf(document: Parameters<HtmlEngine["check"]>[0]): Promise<unknown[]> {
      const result = await engine.check(document, new AbortController().signal);
      if (!("messages" in result)) return [result];
      return result.messages.filter(({ type, subType }) => type === "error" || subType);
    }

    /** Asks for each path once. */
    function remembered(ask: (path: string) => Promise<number>): (path: string) => Promise<number> {
      const known = new Map<string, Promise<number>>();
      return (path) => {
        const answer = known.get(path) ?? ask(path);
        known.set(path, answer);
        return answer;
      };
    }

    it("is valid HTML, and only links to pages of this service and to standards", async () => {
      const guides = (await whole.deps.guides()).list();
      const statusOf = remembered(async (path) => (await read(path)).status);
      for (const address of ["", ...guides.map(({ kind, rule }) => `/${kind}/${rule}`)]) {
        const answer = await read(`/guides${address}`);
        const source = await answer.text();
        const contentType = answer.headers.get("content-type") ?? "";
        expect(await faultsOf({ url: `${whole.url}/guides${address}`, source, contentType }), address).to.deep.equal(
          [],
        );
        for (const [, href = ""] of source.matchAll(/href="([^"]*)"/g)) {
          const { origin, pathname, protocol } = new URL(href, `${whole.url}/guides${address}`);
          if (origin === whole.url) expect(await statusOf(pathname), href).to.be.oneOf([200, 303]);
          else expect(protocol, href).to.be.oneOf(["https:", "data:"]);
        }
      }
    });
  });
});
