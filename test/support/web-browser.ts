import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import puppeteer, { type Browser, type BrowserContext, type Page } from "puppeteer-core";
import { findChromium } from "../../src/browser/find.ts";

/** A browser of a person who looks at this service's pages. */
export type PersonsBrowser = {
  /** A tab of a new person, without cookies. */
  person(options?: { script?: boolean }): Promise<Page>;
  close(): Promise<void>;
};

/** @param options.args further arguments of Chromium */
export async function openPersonsBrowser({ args = [] }: { args?: readonly string[] } = {}): Promise<PersonsBrowser> {
  const { path: executablePath, env } = await findChromium(process.env.CHROME_PATH);
  const profile = await mkdtemp(path.join(tmpdir(), "sv-person-"));
  // It opens pages of this service alone, so it may do without a sandbox, which root cannot have.
  const browser: Browser = await puppeteer.launch({
    ...{ executablePath, headless: "shell", userDataDir: profile, env: { ...process.env, ...env } },
    args: ["--no-sandbox", ...args],
    // On a busy machine: a test has its own time limit.
    timeout: 0,
  });
  const contexts: BrowserContext[] = [];
  return {
    async person({ script = true } = {}) {
      const context = await browser.createBrowserContext();
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(250_000);
      await page.setJavaScriptEnabled(script);
      return page;
    },
    async close() {
      await browser.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Presses a key on the element with this text, as somebody without a mouse does, and waits for the next page. */
export async function press(page: Page, selector: string, text: string): Promise<void> {
  const element = await page.waitForSelector(`::-p-xpath(//${selector}[normalize-space()="${text}"])`);
  if (!element) throw new Error(`There is no ${selector} with the text ${text}.`);
  await element.focus();
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

/** Opens a row of a list of rules by its title with the keyboard. */
export async function openRow(page: Page, title: string): Promise<void> {
  const row = await page.waitForSelector(`::-p-xpath(//summary[.//b[normalize-space()="${title}"]])`);
  if (!row) throw new Error(`There is no row with the title ${title}.`);
  await row.focus();
  await page.keyboard.press("Enter");
}

/** Opens a menu by its button with the keyboard. */
export async function openMenu(page: Page, text: string): Promise<void> {
  const button = await page.waitForSelector(`::-p-xpath(//summary[normalize-space()="${text}"])`);
  if (!button) throw new Error(`There is no menu with the text ${text}.`);
  await button.focus();
  await page.keyboard.press("Enter");
}
