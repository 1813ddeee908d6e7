import { expect } from "chai";
import { load } from "cheerio";
import type { TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startTestPages } from "../../support/web-pages.ts";

describe("an address that does not exist", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestPages(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const get = (path: string, accept?: string) =>
    fetch(api.url + path, { redirect: "manual", ...(accept !== undefined && { headers: { accept } }) });
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  for (const path of ["/nothing", "/nothing/below?x=1", "/reports/x/nothing", "/assets/old-style.css", "/%3Cscript%3E"])
    it(`is a page for a browser, with the way back: ${path}`, async () => {
      const response = await get(path, browser);
      const page = load(await response.text());
      expect([response.status, page("h1").text()]).to.deep.equal([404, "Not found"]);
      expect(response.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      expect(response.headers.get("content-security-policy")).to.match(/^default-src 'none'/);
      expect(page("header a").attr("href")).to.equal("/");
      expect(page("script:not([src])").length).to.equal(0);
    });

  for (const [typed, meant] of [
    ["/schedule", "/schedules"],
    ["/guide", "/guides"],
    ["/guides/a11y/imgae-alt", "/guides/a11y/image-alt"],
    ["/guides?text=imgae-alt", "/guides?text=image-alt"],
  ] as const)
    it(`leads to the one that was probably meant: ${typed}`, async () => {
      const page = load(await (await get(typed, browser)).text());
      expect(page("main a").filter(`[href="${meant}"]`).length).to.equal(1);
      expect(page("main").text()).to.include("Did you mean");
    });

  for (const typed of ["/guides/html/something-else", "/elsewhere"])
    it(`is taken for no other one when it is like none: ${typed}`, async () => {
      expect(load(await (await get(typed, browser)).text())("main").text()).to.not.include("Did you mean");
    });

  for (const [path, accept] of [
    ["/nothing", undefined],
    ["/nothing", "*/*"],
    ["/nothing", "application/vnd.api+json"],
    ["/nothing", "application/json, text/html;q=0.5"],
    ["/api/v1/nothing", browser],
    ["/api", browser],
  ] as const)
    it(`is a JSON error for ${path} with Accept: ${accept ?? "none"}`, async () => {
      const response = await get(path, accept);
      const { errors } = (await response.json()) as { errors: { code: string }[] };
      expect([response.status, errors[0]?.code]).to.deep.equal([404, "not_found"]);
    });
});
