import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { sql } from "kysely";
import type { Page } from "puppeteer-core";
import { encodeSource, sourceRow } from "../../../src/database/crawl/page-sources.ts";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { type CountedPerson, countedPerson, type Effort } from "../../support/counted-person.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { limitOf } from "../../support/wait.ts";
import { openPersonsBrowser, type PersonsBrowser, press } from "../../support/web-browser.ts";
import { startTestPages } from "../../support/web-pages.ts";

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const errors = (rule: string, n: number): string[] => Array.from({ length: n }, (_, at) => `${rule} img p${at}`);

/** The table of docs/tasks.md: what each task takes. */
async function documented(): Promise<Map<string, Effort>> {
  const text = await readFile(new URL("../../../docs/tasks.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| (.+?) \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
  return new Map(
    rows.map(([, task = "", clicks, fields, pages]) => [
      task,
      { clicks: Number(clicks), fields: Number(fields), pages: Number(pages) },
    ]),
  );
}

describe("What people do on the pages, and what it takes, as documented:", () => {
  let database: TestDatabase;
  let service: TestApi;
  let browser: PersonsBrowser;
  let token: string;
  let accountId: string;
  let report: string;
  let table: Map<string, Effort>;
  const tasks: string[] = [];

  before(async function () {
    this.timeout(limitOf(120));
    table = await documented();
    database = await createTestDatabase();
    service = await startTestPages(database);
    browser = await openPersonsBrowser();
    ({ accountId, token } = await accountWithToken(database));
    await otherSites();
    const docs = { "/docs/a": errors("alt", 1), "/docs/b": errors("alt", 2) };
    const a11y: Site = { "/": ["image-alt img p0"], "/docs/a": ["label input c"], "/docs/b": ["label input c"] };
    for (const [at, n] of [
      [85, 8],
      [40, 6],
    ] as const)
      await run({ "/": errors("img/alt", n), ...docs }, a11y, at);
    report = await run(
      { "/": errors("img/alt", 3), ...docs, "/about": ["obsolete center x"], "/gone": { failed: 404 } },
      a11y,
      2,
    );
    await storeComponents(database.db, report, null);
    await look(report);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await database?.drop();
  });

  /** Forty sites, of which one got worse. */
  async function otherSites(): Promise<void> {
    for (let n = 1; n < 40; n++) {
      const spec = { startingUrl: `https://site-${n}.example/` };
      for (const [at, found] of [
        [9, 2],
        [1, n === 7 ? 5 : 2],
      ] as const)
        await runReport(database.db, accountId, { "/": errors("alt", found) }, { at: ago(at), spec });
    }
  }
  const run = (site: Site, a11y: Site, at: number) =>
    runReport(database.db, accountId, site, { at: ago(at), a11y, spec: { performA11yChecks: true } });

  /** What a real run stores of the first page, besides its findings: its picture and its source. */
  async function look(id: string): Promise<void> {
    const { db } = database;
    const { rows } = await sql<{ id: string }>`
      select id from web_pages where report_id = ${id} and url = 'https://example.com/'`.execute(db);
    const page = rows[0]?.id ?? "";
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
      "base64",
    );
    await db.insertInto("screenshots").values({ web_page_id: page, png, width: 1, height: 1, scale: 1 }).execute();
    const source = await encodeSource({ source: "<img>\n", contentType: "text/html" });
    await db
      .insertInto("page_sources")
      .values({ ...sourceRow(page, source), kept: true })
      .execute();
    const left = { report_id: id, linked_from: "https://example.com/", reason: "robots" } as const;
    await db
      .insertInto("excluded_urls")
      .values({ ...left, url: "https://example.com/cart" })
      .execute();
  }

  async function signedIn(prepare: (page: Page) => Promise<void> = async () => {}): Promise<Page> {
    const page = await browser.person();
    await prepare(page);
    await page.goto(`${service.url}/sign-in`);
    await page.type("#field-token", token);
    await press(page, "button", "Sign in");
    return page;
  }

  /** A task, which begins on the overview. */
  function task(name: string, act: (person: CountedPerson) => Promise<void>, prepare?: (page: Page) => Promise<void>) {
    tasks.push(name);
    it(name, async function () {
      this.timeout(limitOf(40));
      const person = countedPerson(await signedIn(prepare));
      await act(person);
      expect(person.effort).to.deep.equal(table.get(name));
    });
  }
  const newest = (person: CountedPerson) => person.clickAt(`tbody a[href="/reports/${report}"]`);
  const site = (person: CountedPerson) => person.click("https://example.com/");

  task("Which of 40 sites got worse this week, and why", async (person) => {
    await person.click("7 days");
    expect(await person.says())
      .to.include("40 sites")
      .and.include("1 got worse");
    await person.clickAt('[aria-labelledby="worst"] a');
    expect(await person.says())
      .to.include("alt")
      .and.include("3 new");
  });

  task("What to fix first, and who", async (person) => {
    await newest(person);
    expect(await person.says()).to.match(/Fix first.*1[.] .*Who can fix it content .* template .* design/);
  });

  task("Progress over three months, printed", async (person) => {
    await site(person);
    await person.page.emulateMediaType("print");
    const shown = await person.page.$$eval("[role=img]", (all) => all.filter((one) => one.checkVisibility()).length);
    expect(shown).to.be.at.least(3);
    expect((await person.page.pdf()).length).to.be.above(10_000);
  });

  it("prints of lists what is listed and by which filter, and nothing to press", async function () {
    this.timeout(limitOf(40));
    const person = countedPerson(await signedIn());
    await newest(person);
    const printed = async (name: string) => {
      await person.click(name, "contains(@class,'tabs')");
      await person.page.emulateMediaType("print");
      const text = await person.page.$eval("main", (main) => main.innerText.replaceAll(/\s+/g, " "));
      const boxes = await person.page.$$eval("main :is(input, select, button), main .chip:not([aria-current])", (all) =>
        all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML),
      );
      const cards = await person.page.$$eval("main .card", (all) =>
        all.filter((one) => one.checkVisibility()).map((one) => (one as HTMLElement).innerText.trim()),
      );
      await person.page.emulateMediaType("screen");
      return { text, boxes, cards };
    };
    for (const [name, listed] of [
      ["Pages", /\d+ pages, .*Status Last checked/],
      ["Issues", /\d+ rules, .*findings/],
    ] as const) {
      const { text, boxes, cards } = await printed(name);
      expect(text).to.match(listed);
      expect(boxes, name).to.deep.equal([]);
      expect(cards, name).not.to.include("");
    }
    await person.page.goto(`${person.page.url()}?text=alt`);
    await person.page.emulateMediaType("print");
    expect(await person.page.$eval("#field-text", (field) => field.checkVisibility())).to.equal(true);
    expect(await person.page.$eval("#field-sort", (field) => field.checkVisibility())).to.equal(false);
  });

  task("Where exactly: the source and the picture, by both engines", async (person) => {
    await newest(person);
    await person.click("Pages", "contains(@class,'tabs')");
    await person.clickAt("tbody th a");
    expect(await person.says())
      .to.include("Picture")
      .and.include("Source")
      .and.include("Found by");
    expect(await person.page.$$eval(".no.h, .no.a, .no.ah", (all) => all.length)).to.be.above(1);
  });

  task("Mute with a reason and an end", async (person) => {
    await newest(person);
    await person.clickAt('a[aria-label^="Mute: "]');
    await person.clickAt('input[value="third_party"]');
    await person.type("#field-comment", "The agency replaces it.");
    await person.page.$eval("#field-expires_at", (field) => ((field as HTMLInputElement).value = "2999-12-31"));
    person.effort.fields += 1;
    await person.clickAt("form.pair .line button");
    expect(await person.says()).to.include("The findings are muted.");
  });

  task("Send it to somebody without an account", async (person) => {
    await newest(person);
    await person.click("Share");
    await person.click("Links that end");
    await person.click("Create a link");
    const link = await person.page.$eval("#field-link", (field) => (field as HTMLInputElement).value);
    const stranger = await browser.person();
    await stranger.goto(new URL(new URL(link).pathname, service.url).href);
    expect(await stranger.$eval("main", (main) => main.innerText)).to.include("Fix first");
  });

  task("To a spreadsheet", async (person) => {
    await newest(person);
    await person.click("Export");
    const to = await person.page.$eval('a[href$=".csv"]', (link) => (link as HTMLAnchorElement).href);
    await person.click("CSV");
    const csv = await person.page.evaluate(async (url) => (await fetch(url)).text(), to);
    expect(csv.split("\n")[0]).to.include("url").and.include("rule");
  });

  task("Check a site behind a sign-in", async (person) => {
    await person.click("Account");
    await person.click("Credentials");
    await person.type("#field-host", "example.com");
    await person.type("#field-username", "ada");
    await person.type("#field-password", "secret");
    await person.click("Store");
    await person.click("Sites");
    await person.click("New report");
    await person.type("#field-starting_url", "https://example.com/intern");
    await person.clickAt("details.fold:nth-of-type(2) > summary");
    const stored = await person.page.$eval(
      "#field-basic_auth_id option:last-child",
      (one) => (one as HTMLOptionElement).value,
    );
    await person.choose("#field-basic_auth_id", stored);
    await person.click("Check the site");
    const { pathname } = new URL(person.page.url());
    const { json } = await service.as(token)("GET", pathname);
    expect(json.data.attributes).to.include({ starting_url: "https://example.com/intern", basic_auth_id: stored });
  });

  task("Why a run has gaps, what was left out and what was slow", async (person) => {
    await newest(person);
    await person.click("Not checked", "contains(@class,'tabs')");
    expect(await person.says())
      .to.include("1 address leads to no page")
      .and.include("/gone");
    await person.clickAt("[aria-labelledby=excluded] details summary");
    expect(await person.says()).to.include("https://example.com/cart");
    await person.click("Pages", "contains(@class,'tabs')");
    await person.choose("#field-sort", "duration-desc");
    await person.click("Apply");
    expect(await person.says()).to.include("Took");
  });

  task("Delete an old run", async (person) => {
    const oldest = await run({ "/": [] }, {}, 300);
    await site(person);
    await person.click("365", "contains(@class,'seg')");
    await person.clickAt(`a[href="/reports/${oldest}"]`);
    await person.click("Delete");
    await person.click("Delete this report");
    expect(await person.says()).to.include("Deleted.");
    expect((await service.as(token)("GET", `/reports/${oldest}`)).status).to.equal(404);
  });

  task("What is used, and what is left", async (person) => {
    await person.click("Account");
    await person.click("Usage");
    expect(await person.says()).to.match(/Limits.*Credits in .*Storage/);
  });

  task("Revoke a token", async (person) => {
    const { json } = await service.as(token)("POST", "/api_tokens", { attributes: { name: "Old", scope: "read" } });
    const old = String(json.data.attributes.token);
    await person.click("Account");
    await person.click("Tokens");
    await person.click("Change Old");
    await person.clickAt("tbody tr:last-child details details summary");
    await person.click("Revoke Old");
    expect((await service.as(old)("GET", "/usage")).status).to.equal(401);
  });

  task("The issues in /docs/, by impact", async (person) => {
    await newest(person);
    await person.clickAt('[aria-labelledby="parts"] a[href*="docs"]');
    await person.clickAt('.chip[href*="impact=serious"]');
    const shown = await person.says();
    expect(shown).to.include("label").and.not.include("image-alt");
  });

  task("Compare any two runs", async (person) => {
    await site(person);
    const [newer, , oldest] = await person.page.$$eval("input[name=run]", (all) =>
      all.map((box) => (box as HTMLInputElement).value),
    );
    await person.clickAt(`input[value="${newer}"]`);
    await person.clickAt(`input[value="${oldest}"]`);
    await person.click("Compare");
    expect(person.page.url()).to.include(`/reports/${newer}/changes?base=${oldest}`);
    expect(await person.says()).to.include("errors became");
  });

  task("Find a site by its name", async (person) => {
    await person.type("#field-q", "site-31");
    await person.click("Apply");
    expect(await person.says())
      .to.include("https://site-31.example/")
      .and.not.include("site-30");
  });

  task("To an element with the keyboard alone", async ({ page, effort, says }) => {
    const tabTo = async (wanted: string) => {
      for (let presses = 0; presses < 400; presses++) {
        await page.keyboard.press("Tab");
        const found = await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, wanted);
        if (!found) continue;
        effort.clicks += 1;
        await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
        return;
      }
      throw new Error(`Nothing like ${wanted} has the focus: ${await says()}`);
    };
    await tabTo(`a[href="/reports/${report}"]`);
    await tabTo(".fixes h3 a");
    await tabTo('a[href*="/pages/"]');
    expect(await says()).to.include("Found by");
  });

  task(
    "To an element on a phone",
    async (person) => {
      const isTooWide = () => person.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(await isTooWide()).to.equal(false);
      await newest(person);
      expect(await isTooWide()).to.equal(false);
      await person.clickAt(".fixes h3 a");
      await person.clickAt('.rows a[href*="/pages/"]');
      expect(await isTooWide()).to.equal(false);
      expect(await person.says()).to.include("Found by");
    },
    (page) => page.setViewport({ width: 375, height: 700, isMobile: true, hasTouch: true }),
  );

  it("and all of these", () => {
    expect([...table.keys()]).to.deep.equal(tasks);
  });
});
