import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import puppeteer, { type Page } from "puppeteer-core";
import { findChromium } from "../src/browser/find.ts";
import { emulateColours } from "../test/support/emulate-colours.ts";
import { serveSnapshots } from "../test/support/snapshots.ts";
import { type Stop, signedIn, startWebService } from "../test/support/web-service.ts";
import { tour } from "../test/support/web-tour.ts";

/**
 * Makes pictures of every page in every state, light, dark and in the colours that a system forces on pages (forced
 * colours, "high contrast"), 320 and 1,280 pixels wide, and as they are printed on A4:
 *
 *   npm run web:look [-- FOLDER [NAME…]]
 *
 * FOLDER is build/web unless given; with names, only the pages whose names contain one of them.
 */
const [folder = "build/web", ...names] = process.argv.slice(2);
const WIDTHS = [320, 1_280];
/** The width of A4 in CSS pixels. */
const PAPER = 794;
const LOOKS = {
  light: { scheme: "light", forced: false },
  dark: { scheme: "dark", forced: false },
  forced: { scheme: "dark", forced: true },
} as const;

const service = await startWebService();
try {
  const stops: Stop[] = [];
  await tour(service, (stop) => {
    console.log(`${stop.status}  ${stop.name.padEnd(28)} ${String(stop.html.length).padStart(7)} bytes`);
    stops.push(stop);
  });
  const client = await signedIn(service);
  const snapshots = await serveSnapshots(service.url, client.cookie(), stops);
  const shown = stops.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
  try {
    await takePictures(snapshots.url, shown);
  } finally {
    await snapshots.close();
  }
} finally {
  await service.close();
}

async function take(page: Page, name: string): Promise<void> {
  await writeFile(path.join(folder, `${name}.png`), await page.screenshot({ fullPage: true }));
}

async function takePictures(url: string, stops: readonly Stop[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { path: executablePath } = await findChromium(process.env.CHROME_PATH);
  // Only pages of this service are opened, so the browser may do without a sandbox, which root cannot have.
  const browser = await puppeteer.launch({ executablePath, headless: "shell", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: 800 });
      for (const [look, { scheme, forced }] of Object.entries(LOOKS)) {
        await emulateColours(page, scheme, forced);
        for (const { name } of stops) {
          await page.goto(`${url}/${name}`, { waitUntil: "networkidle0" });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (wide > 0) console.log(`${name} is ${wide} px wider than a window of ${width} px`);
          await take(page, `${name}-${look}-${width}`);
        }
      }
    }
    await page.setViewport({ width: PAPER, height: 1_123 });
    await emulateColours(page, "light", false, "print");
    for (const { name } of stops) {
      await page.goto(`${url}/${name}`, { waitUntil: "networkidle0" });
      await take(page, `${name}-print`);
    }
  } finally {
    await browser.close();
  }
}
