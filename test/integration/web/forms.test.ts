import { expect } from "chai";
import type { Page } from "puppeteer-core";
import { formatBytes } from "../../../src/web/texts/en.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { openPersonsBrowser, type PersonsBrowser, press } from "../../support/web-browser.ts";
import { startTestPages } from "../../support/web-pages.ts";

describe("A person at the forms", () => {
  let database: TestDatabase;
  let service: TestApi;
  let browser: PersonsBrowser;
  let accountId: string;
  let token: string;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database);
    browser = await openPersonsBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    ({ accountId, token } = await accountWithToken(database));
  });

  async function signedIn(options: { script?: boolean } = {}): Promise<Page> {
    const page = await browser.person(options);
    await page.goto(`${service.url}/sign-in`);
    await page.type("#field-token", token);
    await press(page, "button", "Sign in");
    return page;
  }
  const shows = (page: Page, selector: string) => page.$eval(selector, (element) => element.checkVisibility());
  const count = async (path: string) => (await service.as(token)("GET", path)).json.meta.total;

  for (const script of [true, false])
    it(`sees the days that belong to the period of a schedule, ${script ? "with" : "without"} script`, async () => {
      const page = await signedIn({ script });
      await page.goto(`${service.url}/schedules/new`);
      const visible = async (every: string) => {
        await page.select('[name="periodicity.every"]', every);
        const fields = ["weekday", "monthday", "at"].map((name) => `[name="periodicity.${name}"]`);
        return Promise.all(fields.map((field) => shows(page, field)));
      };
      expect(await visible("day")).to.deep.equal([false, false, true]);
      expect(await visible("week")).to.deep.equal([true, false, true]);
      expect(await visible("month")).to.deep.equal([false, true, true]);
      expect(await visible("deploy")).to.deep.equal([false, false, false]);
    });

  it("sees what the ticked reports take together, as the page says it of each", async () => {
    for (const bytes of [2_400_000, 1_100_000, 5]) {
      const id = await runReport(database.db, accountId, { "/": ["alt img main"] });
      await database.db
        .updateTable("reports")
        .set({ stored_bytes: String(bytes) })
        .where("id", "=", id)
        .execute();
    }
    const page = await signedIn();
    await page.goto(`${service.url}/kept?sort=bytes-desc`);
    const sum = () => page.$eval("[data-sum]", ({ textContent }) => textContent);
    expect(await sum()).to.equal("");
    const boxes = await page.$$("[name=report]");
    for (const [index, bytes] of [2_400_000, 3_500_000, 3_500_005].entries()) {
      await boxes[index]?.click();
      expect(await sum()).to.equal(formatBytes(bytes));
    }
    for (const box of boxes.slice(0, 2)) await box.click();
    expect(await sum()).to.equal(formatBytes(5));
  });

  it("is led to a field that was refused, although it is among the settings that are hidden", async () => {
    const page = await signedIn({ script: false });
    await page.goto(`${service.url}/schedules/new`);
    await page.type("#field-starting_url", "https://example.com/");
    await page.select('[name="gate.min_impact"]', "serious");
    await press(page, "button", "Create");
    expect(await shows(page, '[id="field-gate.min_impact"]')).to.equal(true);
    await page.click(".problems a");
    expect(new URL(page.url()).hash).to.equal("#field-gate.min_impact");
    expect(await page.$eval('[name="gate.min_impact"]', (element) => (element as HTMLSelectElement).value)).to.equal(
      "serious",
    );
  });

  it("makes one token of two presses of the button, and copies it", async () => {
    const page = await signedIn();
    await page.browserContext().overridePermissions(service.url, ["clipboard-read", "clipboard-sanitized-write"]);
    await page.goto(`${service.url}/tokens`);
    await page.type("#field-name", "Pipeline");
    await Promise.all([
      page.waitForNavigation(),
      page.$eval('form[action="/tokens"] button', (button) => {
        (button as HTMLButtonElement).click();
        (button as HTMLButtonElement).click();
      }),
    ]);
    expect(await count("/api_tokens")).to.equal(2);
    await page.bringToFront();
    await page.click("button[data-copy]");
    await page.waitForFunction(() => document.querySelector(".copy [role=status]")?.textContent === "Copied.");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect((await service.as(copied)("GET", "/usage")).status).to.equal(200);
  });

  it("can select a token without script, where there is no button to copy it", async () => {
    const page = await signedIn({ script: false });
    await page.goto(`${service.url}/tokens`);
    await page.type("#field-name", "Pipeline");
    await press(page, "button", "Make the token");
    expect(await shows(page, "button[data-copy]")).to.equal(false);
    expect(await page.$eval("#field-token", (field) => (field as HTMLInputElement).readOnly)).to.equal(true);
  });

  it("mutes from a link in two more keys, after reading what it silences", async () => {
    const page = await signedIn();
    await page.goto(`${service.url}/mutings/new?rule=image-alt`);
    await page.waitForFunction(() => document.activeElement?.classList.contains("preview"));
    await page.keyboard.press("Tab");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    expect(await count("/mutings")).to.equal(1);
  });

  it("finds a form again as it was left, and sends it once more, after a step back", async () => {
    const page = await signedIn();
    await page.goto(`${service.url}/mutings/new`);
    await page.type("#field-rule", "image-alt");
    await press(page, "button", "Mute");
    await page.goBack();
    await page.$eval("#field-rule", (field) => {
      (field as HTMLInputElement).value = "label";
    });
    await press(page, "button", "Mute");
    expect(await count("/mutings")).to.equal(2);
  });

  it("gets a finding as selected text where the browser has no clipboard", async () => {
    const id = await runReport(database.db, accountId, { "/": ["alt img a"] });
    const [checked] = (await service.as(token)("GET", `/reports/${id}/web_pages`)).json.data;
    const page = await signedIn();
    await page.evaluateOnNewDocument(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.goto(`${service.url}/reports/${id}/pages/${checked?.id}`);
    expect(await shows(page, "#field-markdown")).to.equal(false);
    await page.click('[data-copy="field-markdown"]');
    expect(await shows(page, "#field-markdown")).to.equal(true);
    expect(await page.evaluate(() => getSelection()?.toString())).to.match(/^### alt\n/);
  });
});
