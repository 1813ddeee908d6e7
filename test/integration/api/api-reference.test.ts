import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import puppeteer, { type Browser, type HTTPRequest, type Page } from "puppeteer-core";
import { findChromium } from "../../../src/browser/find.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { documentedOperations, document as openApi } from "../../support/openapi.ts";

/** Width and height of a laptop's window, in CSS pixels. */
const viewport = { width: 1280, height: 900 };

describe("the API reference", () => {
  let database: TestDatabase;
  let api: TestApi;
  let anybody: Call;
  let browser: Browser;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    anybody = api.as(undefined);
    const { path, env } = await findChromium(undefined);
    browser = await puppeteer.launch({
      executablePath: path,
      env,
      pipe: true,
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
      defaultViewport: viewport,
    });
  });
  after(async () => {
    await browser?.close();
    await api.close();
    await database.drop();
  });

  /** Opens the page, and collects what must not happen on it. */
  async function open(path = "/api/v1/docs"): Promise<{ page: Page; requests: HTTPRequest[]; errors: string[] }> {
    const page = await browser.newPage();
    page.setDefaultTimeout(250_000);
    const requests: HTTPRequest[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requests.push(request));
    page.on("requestfailed", (request) => errors.push(`${request.url()} failed: ${request.failure()?.errorText}`));
    // A violation of the page's policy is an error in the console, too.
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`${api.url}${path}`, { waitUntil: "load" });
    return { page, requests, errors };
  }

  const operations = documentedOperations();

  it("shows every operation, without an error and with requests to this service only", async () => {
    const { page, requests, errors } = await open();
    await page.waitForSelector(".opblock");
    const blocks = await page.$$eval(".opblock", (blocks) =>
      blocks.map((block) => {
        const text = (selector: string) => block.querySelector(selector)?.textContent?.replaceAll("\u200b", "") ?? "";
        return `${text(".opblock-summary-method")} ${text(".opblock-summary-path")}`;
      }),
    );
    // And what is sent to receivers.
    const sent = Object.keys(openApi.webhooks as object).map((name) => `POST ${name}`);
    expect(blocks).to.have.members([...operations.map(({ method, path }) => `${method} ${path}`), ...sent]);
    const elsewhere = requests
      .map((request) => request.url())
      .filter((url) => !url.startsWith(api.url) && !url.startsWith("data:"));
    expect(elsewhere).to.deep.equal([]);
    expect(errors).to.deep.equal([]);
    await page.close();
  });

  it("shows an operation's parameters, fields and examples, within the window's width", async () => {
    const { page, errors } = await open("/api/v1/docs#/Reports/createReport");
    await page.waitForSelector("#operations-Reports-createReport .responses-table");
    const text = await page.$eval("#operations-Reports-createReport", (block) => block.textContent ?? "");
    expect(text).to.include("Idempotency-Key").and.include("starting_url").and.include("201");
    await page.click("#operations-Reports-createReport .opblock-section-request-body .tabitem:not(.active) .tablinks");
    await page.waitForSelector("#operations-Reports-createReport .opblock-section-request-body .json-schema-2020-12");
    const fields = await page.$eval(".opblock-section-request-body .json-schema-2020-12", (tree) => tree.textContent);
    expect(fields).to.include("The maximum number of pages that the crawler includes.");
    for (const width of [viewport.width, 1030, 700, 390]) {
      await page.setViewport({ ...viewport, width });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} px`).to.be.at.most(width);
    }
    expect(errors).to.deep.equal([]);
    await page.close();
  });

  it("has no accessibility issue while its operations are closed", async () => {
    const { page } = await open();
    await page.waitForSelector(".opblock");
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
    const found = await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length]))",
    );
    expect(found).to.deep.equal([]);
    await page.close();
  });

  it("sends a request that is tried out to this service, with the token that was entered", async () => {
    const { token } = await accountWithToken(database);
    const { page, requests, errors } = await open("/api/v1/docs#/Usage/getUsage");
    await page.waitForSelector("#operations-Usage-getUsage .try-out__btn");
    await page.click(".auth-wrapper .authorize");
    await page.type(".auth-container input", token);
    await page.click(".auth-btn-wrapper .authorize");
    await page.click(".auth-btn-wrapper .btn-done");
    await page.click("#operations-Usage-getUsage .try-out__btn");
    await page.waitForSelector("#operations-Usage-getUsage .execute");
    await page.click("#operations-Usage-getUsage .execute");
    await page.waitForSelector("#operations-Usage-getUsage .live-responses-table .response-col_status");
    const status = await page.$eval(".live-responses-table .response .response-col_status", (cell) => cell.textContent);
    expect(status).to.match(/^200/);
    const call = requests.find((request) => request.url().endsWith("/usage"));
    expect([call?.url(), call?.headers().authorization]).to.deep.equal([`${api.url}/api/v1/usage`, `Bearer ${token}`]);
    expect(errors).to.deep.equal([]);
    await page.close();
  });

  it("names the OpenAPI document where JavaScript is off", async () => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${api.url}/api/v1/docs`);
    const hint = await page.$eval("noscript", (element) => element.textContent);
    expect(hint).to.include("needs JavaScript").and.include("the OpenAPI document");
    const address = await page.$eval("noscript a", (link) => (link as HTMLAnchorElement).href);
    expect(address).to.equal(`${api.url}/api/v1/openapi.json`);
    await page.close();
  });

  it("has its own policy: scripts and styles of this service, and no inline ones but its own", async () => {
    const { headers, text } = await anybody("GET", "/docs");
    const policy = headers.get("content-security-policy")?.split("; ");
    const hashOf = (element: string) => {
      const content = new RegExp(`<${element}>(.*?)</${element}>`, "s").exec(text)?.[1] ?? "";
      return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    };
    expect(policy).to.have.members([
      "default-src 'none'",
      `script-src 'self' ${hashOf("script")}`,
      `style-src 'self' ${hashOf("style")}`,
      "img-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  it("has files that may be cached for good, compressed for clients that accept it", async () => {
    const { text } = await anybody("GET", "/docs");
    const files = [...text.matchAll(/(?:src|href)="\.(\/docs\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files).to.have.lengthOf(2);
    for (const path of files) {
      const plain = await anybody("GET", path, { headers: { "accept-encoding": "identity" } });
      const compressed = await anybody("GET", path, { headers: { "accept-encoding": "gzip" } });
      expect([plain.status, plain.text === compressed.text]).to.deep.equal([200, true]);
      expect([plain, compressed].map(({ headers }) => headers.get("content-encoding"))).to.deep.equal([null, "gzip"]);
      expect(compressed.headers.get("vary")).to.include("Accept-Encoding");
      expect(plain.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect((await anybody("POST", path)).status).to.equal(405);
    }
  });

  it("redirects from a URL with a slash at its end, since its links are relative", async () => {
    const reply = await fetch(`${api.url}/api/v1/docs/`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).to.deep.equal([308, "../docs"]);
  });
});
