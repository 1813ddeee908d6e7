import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import puppeteer, { type Browser } from "puppeteer-core";
import { findChromium } from "../../../src/browser/find.ts";
import type { HtmlEngine } from "../../../src/checker/engines/html/port.ts";
import { startHtmlEngine } from "../../../src/checker/engines/html/start-engine.ts";
import { cacheFolder } from "../../../src/config.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { insertFindings } from "../../support/findings.ts";

describe("Guides", () => {
  let database: TestDatabase;
  let api: TestApi;
  let anybody: Call;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    anybody = api.as(undefined);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  describe("in issues", () => {
    let call: Call;
    let found: Awaited<ReturnType<typeof insertFindings>>;
    let report: string;

    before(async () => {
      const { accountId, token } = await accountWithToken(database);
      call = api.as(token);
      report = await insertReport(database.db, { accountId });
      found = await insertFindings(database.db, report);
      const { db } = database;
      await db.updateTable("html_issues").set({ issue_sub_type: "img/alt" }).execute();
      await db.updateTable("common_html_issues").set({ issue_sub_type: "obsolete-attribute/align" }).execute();
      await db.updateTable("a11y_issues").set({ rule_id: "image-alt" }).execute();
      await db.updateTable("common_a11y_issues").set({ rule_id: "image-alt" }).execute();
    });

    it("explain the rule in three forms, with the address of a page that needs no token", async () => {
      const page = `/reports/${report}/web_pages/${found.pageIds[0]}`;
      const issues = [
        [`${page}/html_issues/${found.htmlIssueIds[0]}`, "html/img/alt"],
        [`${page}/a11y_issues/${found.a11yIssueId}`, "a11y/image-alt"],
        [`/reports/${report}/common_html_issues/${found.commonHtmlIssueIds[0]}`, "html/obsolete-attribute"],
        [`/reports/${report}/common_a11y_issues/${found.commonA11yIssueId}`, "a11y/image-alt"],
      ];
      for (const [path = "", guide] of issues) {
        const { attributes } = (await call("GET", path)).json.data;
        expect(attributes.guide_url).to.equal(`${api.url}/guides/${guide}`);
        expect(attributes.description_markdown).to.match(/`\w+`/);
        expect(attributes.description_html).to.match(/^<p>.*<code>\w+<\/code>/s);
        expect(attributes.description)
          .to.be.a("string")
          .and.not.match(/[`]|<p>|##/);
        const read = await anybody("GET", `//guides/${guide}`);
        expect([
          read.status,
          read.text.includes(String(attributes.description_html).trim().split("\n")[0] ?? "?"),
        ]).to.deep.equal([200, true]);
      }
    });

    it("are null for a rule without one", async () => {
      await database.db.updateTable("html_issues").set({ issue_sub_type: "no-such-rule/alt" }).execute();
      const path = `/reports/${report}/web_pages/${found.pageIds[0]}/html_issues/${found.htmlIssueIds[0]}`;
      const { attributes } = (await call("GET", path)).json.data;
      expect(attributes).to.deep.include({
        ...{ description: null, description_markdown: null, description_html: null, guide_url: null },
      });
    });
  });

  describe("as pages", () => {
    let engine: HtmlEngine;
    let browser: Browser;
    let axe: string;

    before(async () => {
      const log = createLogger("error", {});
      engine = await startHtmlEngine("conformance", { log, cacheDir: cacheFolder(process.env), workers: 1 });
      axe = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
      const { path, env } = await findChromium(undefined);
      const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];
      browser = await puppeteer.launch({ executablePath: path, env, pipe: true, args });
    });
    after(async () => {
      await browser?.close();
      await engine?.close();
    });

    it("are all valid HTML, and only link to each other and to standards", async () => {
      const { signal } = new AbortController();
      const guides = (await api.deps.guides()).list();
      expect(guides).to.not.be.empty;
      for (const address of ["", ...guides.map(({ kind, rule }) => `/${kind}/${rule}`)]) {
        const { text: source, headers } = await anybody("GET", `//guides${address}`);
        const contentType = headers.get("content-type") ?? "";
        const result = await engine.check({ url: `${api.url}/guides${address}`, source, contentType }, signal);
        const messages =
          "messages" in result ? result.messages.filter(({ type, subType }) => type === "error" || subType) : [result];
        expect(messages, address).to.deep.equal([]);
        for (const [, href = ""] of source.matchAll(/href="([^"]*)"/g)) {
          const target = new URL(href, `${api.url}/guides${address}`);
          if (target.origin === api.url)
            expect((await anybody("GET", `/${target.pathname}`)).status, href).to.equal(200);
          else expect(target.protocol, href).to.equal("https:");
        }
      }
    });

    it("have no accessibility issue, in a wide window and in a narrow one", async () => {
      const page = await browser.newPage();
      await page.setBypassCSP(true);
      const [first] = (await api.deps.guides()).list();
      for (const address of ["", `/${first?.kind}/${first?.rule}`, "/html/obsolete-attribute"])
        for (const width of [1280, 320]) {
          await page.setViewport({ width, height: 800 });
          await page.goto(`${api.url}/guides${address}`);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);
          await page.evaluate(axe);
          const found = await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))");
          expect(found, address).to.deep.equal([]);
        }
      await page.close();
    });

    it("load nothing, run nothing, and cannot be framed", async () => {
      const page = await browser.newPage();
      const [errors, requests]: [string[], string[]] = [[], []];
      page.on("console", (message) => errors.push(message.text()));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(`${api.url}/guides/html/img/alt`, { waitUntil: "load" });
      expect(errors).to.deep.equal([]);
      expect(requests.filter((url) => !url.endsWith("/favicon.ico"))).to.deep.equal([`${api.url}/guides/html/img/alt`]);
      const style = await page.$eval("body", (body) => getComputedStyle(body).maxWidth);
      expect(style).to.not.equal("none");
      await page.close();
      const policy = (await anybody("GET", "//guides/html/img/alt")).headers
        .get("content-security-policy")
        ?.split("; ");
      expect(policy?.filter((directive) => !directive.startsWith("style-src 'sha256-"))).to.deep.equal([
        "default-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
    });

    it("may be cached, and are not sent again to whom has them", async () => {
      const { headers } = await anybody("GET", "//guides/html/img/alt");
      const etag = headers.get("etag") ?? "";
      expect(headers.get("cache-control")).to.equal("public, max-age=300");
      const again = await anybody("GET", "//guides/html/img/alt", { headers: { "if-none-match": etag } });
      expect(again.status).to.equal(304);
    });

    for (const path of [
      "/html/none",
      "/html/no",
      "/css/img/alt",
      "/html",
      "/html/",
      "/html/img/alt/",
      "/html/..%2Fimg%2Falt",
      "/html/%00",
      "/a11y/img/alt",
      "/html/__proto__",
    ])
      it(`do not exist at /guides${path}`, async () => {
        expect((await anybody("GET", `//guides${path}`)).status).to.equal(404);
      });

    it("are only read", async () => {
      const { status, headers } = await anybody("POST", "//guides/html/img/alt");
      expect([status, headers.get("allow")]).to.deep.equal([405, "GET, HEAD, OPTIONS"]);
      expect((await anybody("OPTIONS", "//guides")).status).to.equal(204);
      const head = await anybody("HEAD", "//guides/html/img/alt");
      expect([head.status, head.text, head.headers.get("content-type")]).to.deep.equal([
        200,
        "",
        "text/html; charset=utf-8",
      ]);
    });
  });
});
