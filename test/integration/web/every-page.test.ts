import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { limitConcurrency } from "../../../src/time/limit-concurrency.ts";
import { openForcedColours } from "../../support/forced-colours.ts";
import { requireNu } from "../../support/nu.ts";
import { findHtml, type OwnAxe, openOwnAxe } from "../../support/own-verdicts.ts";
import { type Snapshots, serveSnapshots } from "../../support/snapshots.ts";
import { limitOf } from "../../support/wait.ts";
import { openPersonsBrowser } from "../../support/web-browser.ts";
import { type Stop, signedIn, startWebService, type WebService } from "../../support/web-service.ts";
import { tour } from "../../support/web-tour.ts";

/**
 * Runs in a page: by how much it is wider than its window, what moved while it loaded (Layout Instability API), and titles whose
 * column is so narrow that they stand letter below letter.
 */
async function measureLoaded(): Promise<{ overflow: number; shift: number; thin: string[] }> {
  const shifts = await new Promise<PerformanceEntry[]>((resolve) => {
    const observer = new PerformanceObserver((list) => resolve(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    // Without any there is no list. What there is comes before the second frame.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(observer.takeRecords())));
  });
  const shift = shifts.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0);
  const thin = [...document.querySelectorAll("main :is(b, h2, h3, th)")].flatMap((title) => {
    const { width, height } = title.getBoundingClientRect();
    return height > 100 && height > 6 * width ? [`${title.textContent?.trim()}`] : [];
  });
  return { overflow: document.documentElement.scrollWidth - innerWidth, shift, thin };
}

/** Bytes of the files that a page loads, compressed. */
async function sentOnce(url: string, html: string): Promise<number> {
  const files = [...html.matchAll(/(?:href|src|data-morph)="([/]assets[/][^"]+)"/g)].map(([, file]) => file);
  const bodies = await Promise.all(files.map(async (file) => (await fetch(url + file)).text()));
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
}

describe("Every page in every state", function () {
  this.timeout(limitOf(60));

  let service: WebService;
  let snapshots: Snapshots;
  let axe: OwnAxe;
  const stops: Stop[] = [];

  before(async () => {
    service = await startWebService();
    await tour(service, (stop) => void stops.push(stop));
    const client = await signedIn(service);
    snapshots = await serveSnapshots(service.url, client.cookie(), stops);
    axe = await openOwnAxe();
  });
  after(async () => {
    await axe?.close();
    await snapshots?.close();
    await service?.close();
  });

  for (const name of ["conformance", "html-validate"] as const)
    it(`has nothing that ${name} finds`, async () => {
      expect(await findHtml(name, stops)).to.deep.equal([]);
    });

  it("has nothing that the Nu Html Checker finds", async function () {
    await requireNu(this);
    expect(await findHtml("nu", stops)).to.deep.equal([]);
  });

  it("has nothing that axe-core finds, not even for a person to review", async () => {
    // Several at the same time: a check mostly waits for its page to become quiet.
    const limit = limitConcurrency(4);
    const found = await Promise.all(stops.map(({ name }) => limit(() => axe.find(name, `${snapshots.url}/${name}`))));
    expect(found.flat()).to.deep.equal([]);
  });

  for (const width of [320, 800, 1_280])
    it(`fits into a window of ${width} pixels with its titles, and moves nothing while it loads`, async () => {
      expect(await movedOrTooWide(width)).to.deep.equal([]);
    });

  it("has at most 60 KB of HTML, style and script, as they are sent", async () => {
    const once = await sentOnce(service.url, stops[0]?.html ?? "");
    const sizes = stops.map(({ name, html }) => ({ name, bytes: once + gzipSync(html).length }));
    expect(once).to.be.above(1_000);
    expect(sizes.filter(({ bytes }) => bytes > 60_000)).to.deep.equal([]);
  });

  async function movedOrTooWide(width: number): Promise<string[]> {
    const browser = await openPersonsBrowser();
    try {
      const page = await browser.person();
      await page.setViewport({ width, height: 800 });
      const wrong: string[] = [];
      for (const { name } of stops) {
        await page.goto(`${snapshots.url}/${name}`);
        const { overflow, shift, thin } = await page.evaluate(measureLoaded);
        if (overflow > 0) wrong.push(`${name}: ${overflow} px too wide`);
        for (const title of thin) wrong.push(`${name}: a letter a line: ${title}`);
        if (shift > 0) wrong.push(`${name}: moved by ${shift}`);
      }
      return wrong;
    } finally {
      await browser.close();
    }
  }

  for (const scheme of ["light", "dark"] as const)
    it(`shows all that carries meaning in the colours that a ${scheme} system forces on it`, async () => {
      const colours = await openForcedColours(scheme);
      try {
        const found: string[] = [];
        for (const { name } of stops) found.push(...(await colours.find(name, `${snapshots.url}/${name}`)));
        expect(found).to.deep.equal([]);
        expect(colours.neverSeen(), "no page has such a thing any more").to.deep.equal([]);
      } finally {
        await colours.close();
      }
    });
});
