import type { ElementHandle, Page } from "puppeteer-core";

/** What a task took: presses of a mouse or a finger, fields that were filled in or chosen, and pages that were loaded. */
export type Effort = { clicks: number; fields: number; pages: number };

/** Somebody who does a task, and counts. */
export type CountedPerson = {
  page: Page;
  effort: Effort;
  /** Presses what has exactly this text, in the first part of the page that a selector finds. */
  click(text: string, within?: string): Promise<void>;
  /** Presses the first element of a selector. */
  clickAt(selector: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  choose(selector: string, value: string): Promise<void>;
  /** What the page says, with single spaces. */
  says(): Promise<string>;
};

/** Begins to count on the page that is open. */
export function countedPerson(page: Page): CountedPerson {
  const effort: Effort = { clicks: 0, fields: 0, pages: 0 };
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.redirectChain().length === 0) effort.pages += 1;
  });

  /** Waits for the next page where there is one: a click on a menu, a box or a download loads none. */
  async function press(element: ElementHandle): Promise<void> {
    const loads = await element.evaluate((one) => {
      if (one.closest("summary") || one.matches("input, label, [download]")) return false;
      const link = one.closest("a");
      if (link) return link.pathname + link.search !== location.pathname + location.search;
      return one.closest("button") !== null;
    });
    effort.clicks += 1;
    await Promise.all([loads && page.waitForNavigation(), element.click()]);
  }

  async function find(selector: string): Promise<ElementHandle> {
    const found = await page.waitForSelector(selector, { timeout: 20_000 }).catch(() => null);
    if (!found) throw new Error(`Nothing is ${selector} on ${page.url()}:\n${await says()}`);
    return found;
  }

  const says = () => page.$eval("main", (main) => main.innerText.replace(/\s+/g, " "));
  return {
    page,
    effort,
    says,
    async click(text, within = "body") {
      const of = within === "body" ? "//body" : `//*[${within}]`;
      const kinds = "self::a or self::button or self::summary or self::label";
      await press(await find(`::-p-xpath(${of}//*[${kinds}][normalize-space()="${text}"])`));
    },
    async clickAt(selector) {
      await press(await find(selector));
    },
    async type(selector, text) {
      effort.fields += 1;
      await (await find(selector)).click({ count: 3 });
      await page.keyboard.type(text);
    },
    async choose(selector, value) {
      effort.fields += 1;
      await page.select(selector, value);
    },
  };
}
