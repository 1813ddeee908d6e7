import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import type { Page } from "puppeteer-core";
import { type Site, serveSite } from "../../support/site.ts";
import { openMenu, openPersonsBrowser, openRow, type PersonsBrowser, press } from "../../support/web-browser.ts";
import { startWebService, type WebService } from "../../support/web-service.ts";

const htmlOf = (title: string, body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>${title}</title></head>\n<body>\n<main><h1>${title}</h1>\n${body}\n</main>\n</body>\n</html>\n`;

/** A site of which one page is held until `answer` is called: so long a report of it is under way. */
async function siteHeld(): Promise<{ site: Site; answer: () => void }> {
  const released = Promise.withResolvers<void>();
  const site = await serveSite({
    "/": htmlOf("Start", '<img src="/logo.png"> <a href="/slow">Slow</a>'),
    "/slow": async (_request: IncomingMessage, response: ServerResponse) => {
      await released.promise;
      response.writeHead(200, { "content-type": "text/html" }).end(htmlOf("Slow", '<img src="/other.png">'));
    },
  });
  return { site, answer: released.resolve };
}

describe("A person at the pages", () => {
  let service: WebService;
  let browser: PersonsBrowser;
  let held: Awaited<ReturnType<typeof siteHeld>>;
  /** The path of the report that the first journey starts. */
  let report = "";

  before(async () => {
    service = await startWebService();
    browser = await openPersonsBrowser();
    held = await siteHeld();
  });
  after(async () => {
    held?.answer();
    await browser?.close();
    await service?.close();
    await held?.site.close();
  });

  const text = (page: Page) => page.$eval("main", (main) => main.innerText);
  async function says(page: Page, words: string): Promise<void> {
    const said = (wanted: string) => document.querySelector("main")?.innerText.includes(wanted) ?? false;
    await page.waitForFunction(said, { timeout: 250_000 }, words).catch(async () => {
      throw new Error(`The page never said "${words}" but:\n${await text(page)}`);
    });
  }
  async function signIn(page: Page): Promise<void> {
    await page.goto(`${service.url}/sign-in`);
    await page.type("#field-token", service.token);
    await press(page, "button", "Sign in");
  }

  /** Opens the form of a new report for a site, whose pages are answered when `answer` is called or all is done. */
  async function atNewReport(next: (page: Page, answer: () => void) => Promise<void>): Promise<void> {
    const { site, answer } = await siteHeld();
    try {
      const page = await browser.person();
      await signIn(page);
      await page.goto(`${service.url}/reports/new`);
      await page.type("#field-starting_url", site.url);
      await next(page, answer);
    } finally {
      answer();
      await site.close();
    }
  }

  /** Deletes the report that somebody looks at. */
  async function deleteReport(page: Page): Promise<void> {
    const deleted = await fetch(`${service.url}/api/v1${new URL(page.url()).pathname}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${service.token}` },
    });
    expect(deleted.status).to.equal(204);
  }

  it("signs in with the link of the start, starts a report, and watches it end without a reload", async () => {
    const page = await browser.person();
    await page.goto(service.signInLink);
    await says(page, "Check your first site");
    expect(page.url()).to.equal(`${service.url}/`);
    await page.type("#field-starting_url", held.site.url);
    await press(page, "button", "Check");
    report = new URL(page.url()).pathname;
    await page.evaluate(() => Object.assign(window, { stayed: true }));
    await says(page, "Found so far");
    held.answer();
    await says(page, "No limits set");
    await page.waitForFunction(() => !document.querySelector("[data-live]"));
    expect(await page.evaluate(() => "stayed" in window)).to.equal(true);
    expect(await text(page))
      .to.include("HTML")
      .and.not.include("Found so far");
  });

  it("keeps the focus where it is while the page changes", () =>
    atNewReport(async (page, answer) => {
      await press(page, "button", "Check the site");
      await says(page, "Found so far");
      await page.focus('a[href$="/issues"]');
      answer();
      await says(page, "No limits set");
      expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal("Issues");
    }));

  it("is told when a report is deleted while it is looked at", () =>
    atNewReport(async (page) => {
      await press(page, "button", "Check the site");
      await says(page, "Found so far");
      await deleteReport(page);
      await says(page, "It may have been deleted");
    }));

  it("is told when a report was deleted before the page followed it", () =>
    atNewReport(async (page) => {
      const deleted = Promise.withResolvers<void>();
      await page.setRequestInterception(true);
      page.on("request", async (request) => {
        if (request.url().endsWith("/events")) await deleted.promise;
        await request.continue();
      });
      await press(page, "button", "Check the site");
      await says(page, "Found so far");
      await deleteReport(page);
      deleted.resolve();
      await says(page, "It may have been deleted");
    }));

  it("follows a report as soon as it may, when it was refused at first", () =>
    atNewReport(async (page, answer) => {
      let streams = 0;
      await page.setRequestInterception(true);
      page.on("request", (request) => {
        if (!request.url().endsWith("/events")) return request.continue();
        streams += 1;
        return streams === 1 ? request.respond({ status: 429 }) : request.continue();
      });
      await press(page, "button", "Check the site");
      await page.waitForResponse((response) => response.url().endsWith("/events") && response.ok());
      answer();
      await says(page, "No limits set");
      expect(streams).to.equal(2);
    }));

  it("goes from the report to a rule with its guide, and to the element on its page, with the keyboard", async () => {
    const page = await browser.person();
    await signIn(page);
    await page.goto(service.url + report);
    await press(page, "a", "Issues");
    await openRow(page, "An image has no text alternative");
    await press(page, "details[@open]//a", "How to fix it, all elements and pages");
    expect(await text(page))
      .to.include("What is wrong and how to fix it")
      .and.include('<img src="/logo.png">');
    await press(page, "li/a", held.site.url);
    expect(await text(page))
      .to.include("Found by")
      .and.include("image-alt")
      .and.include('<img src="/logo.png">');
    expect(await page.title()).to.include(held.site.url);
  });

  it("reads times in their own zone, with UTC in the title", async () => {
    const page = await browser.person();
    await signIn(page);
    await page.emulateTimezone("Asia/Tokyo");
    await page.goto(service.url + report);
    const [time] = await page.$$eval("time", (all) =>
      all.map((element) => [element.textContent, element.title, element.dateTime]),
    );
    const [shown = "", utc = "", exact = ""] = time ?? [];
    expect(utc).to.match(/ UTC$/);
    const inTokyo = new Date(new Date(exact).getTime() + 9 * 3_600_000).toISOString();
    expect(shown).to.match(/^\d{1,2} \w{3} \d{4}, \d\d:\d\d$/);
    expect(shown.slice(-5)).to.equal(inTokyo.slice(11, 16));
    expect(utc, "with the name of the zone").to.match(/^[^,]+, \d\d:\d\d GMT[+]9, /);
    const site = await page.$eval("h1 a", (link) => (link as HTMLAnchorElement).href);
    await page.goto(site);
    const ticks = await page.$$eval("input[name=run]", (all) => all.map((box) => box.getAttribute("aria-label") ?? ""));
    expect(ticks[0], "also in labels").to.match(/\d{4}, \d\d:\d\d GMT[+]9/);
    const rows = await page.$$eval("[aria-labelledby=runs] tbody time", (all) =>
      all.map((row) => row.textContent ?? ""),
    );
    expect(ticks[0]).to.include(rows[0]);
    expect(await page.$eval("footer [data-zone]", (zone) => zone.textContent)).to.equal("Asia/Tokyo");
  });

  for (const script of [true, false])
    it(`shares a report, which others open signed out ${script ? "with" : "without"} script, and stops sharing it`, async () => {
      const owner = await browser.person({ script });
      await signIn(owner);
      await owner.goto(service.url + report);
      await openMenu(owner, "Share");
      await press(owner, "button", "Share this report");
      await openMenu(owner, "Share");
      const link = await owner.$eval('a[href^="/r/"]', (element) => (element as HTMLAnchorElement).href);
      const reader = await browser.person({ script });
      await reader.goto(link);
      expect(await text(reader))
        .to.include(held.site.url)
        .and.not.include("Run again");
      await press(reader, "a", "Issues");
      expect(await text(reader)).to.include("An image has no text alternative");
      await press(owner, "button", "Stop sharing");
      expect((await reader.goto(link))?.status()).to.equal(404);
    });

  it("does the same without script: sign in, correct a form, start a report, read it", async () => {
    const page = await browser.person({ script: false });
    await signIn(page);
    await press(page, "a", "New report");
    await page.type("#field-starting_url", held.site.url);
    await page.$eval("#field-rate_limit", (field) => ((field as HTMLInputElement).value = "900"));
    await press(page, "button", "Check the site");
    expect(await text(page)).to.include("“Requests per second” is 900; it must be from 1 to 25.");
    expect(await page.$eval("#field-starting_url", (field) => (field as HTMLInputElement).value)).to.equal(
      held.site.url,
    );
    await page.$eval("#field-rate_limit", (field) => ((field as HTMLInputElement).value = "25"));
    await press(page, "button", "Check the site");
    while (!(await text(page)).includes("No limits set")) await page.reload();
    await press(page, "a", "Pages");
    expect(await text(page)).to.include("/slow");
  });

  it("prints a report without what is only for the screen", async () => {
    const page = await browser.person();
    await signIn(page);
    await page.goto(service.url + report);
    await page.emulateMediaType("print");
    const visible = (selector: string) =>
      page.$$eval(selector, (all) => all.filter((element) => element.checkVisibility()).length);
    expect(await visible("header, nav, button")).to.equal(0);
    expect(await visible("h1, table")).to.be.above(1);
    expect((await page.pdf()).length).to.be.above(1_000);
    const style = (selector: string, name: "backgroundColor" | "color" | "display") =>
      page.$eval(selector, (element, of) => getComputedStyle(element)[of], name);
    expect(await style(".wcag .fails", "backgroundColor"), "paper has no backgrounds").to.equal("rgba(0, 0, 0, 0)");
    expect(await style(".wcag .fails", "color")).to.not.equal("rgb(255, 255, 255)");
    const cause = await page.$eval(".fixes h3 a", (link) => (link as HTMLAnchorElement).href);
    await page.goto(cause);
    expect(await style("form#who", "display")).to.equal("none");
  });

  it("copies the link of a finding", async () => {
    const page = await browser.person();
    await page.browserContext().overridePermissions(service.url, ["clipboard-read", "clipboard-sanitized-write"]);
    await signIn(page);
    await page.goto(`${service.url + report}/issues`);
    await openRow(page, "An image has no text alternative");
    await press(page, "details[@open]//a", "How to fix it, all elements and pages");
    await page.focus("button[data-copy-link]");
    await page.keyboard.press("Enter");
    await says(page, "Copied.");
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(page.url());
  });

  for (const script of [true, false])
    it(`goes from a finding to its element to muted in three actions of the keyboard, ${script ? "with" : "without"} script`, async () => {
      const page = await browser.person({ script });
      await signIn(page);
      await page.goto(`${service.url + report}/issues`);
      await openRow(page, "An image has no text alternative");
      await press(page, "details[@open]//h3/a", "An image has no text alternative");
      expect(await text(page)).to.include("<img src=");
      await press(page, "a", "Mute");
      await press(page, "button", "Mute 1 finding");
      expect(await text(page)).to.include("The findings are muted.");
      // Once they are counted anew: the page stays, and the next one is listed without them.
      while (!(await text(page)).includes("Muted")) await page.reload();
    });

  it("can do nothing after signing out, also not with the pages that are still there", async () => {
    const page = await browser.person();
    await signIn(page);
    await page.goto(service.url + report);
    await openMenu(page, "Account");
    await press(page, "button", "Sign out");
    await page.goto(service.url + report);
    expect(new URL(page.url()).pathname).to.equal("/sign-in");
  });
});
