import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import puppeteer, { type Page } from "puppeteer-core";
import { findChromium } from "../src/browser/find.ts";
import { type Routes, serveSite } from "../test/support/site.ts";
import { eventually } from "../test/support/wait.ts";
import { signedIn, startWebService, type WebClient, type WebService } from "../test/support/web-service.ts";

/**
 * Takes the pictures of the README and of docs/ again: of the example site's report after three runs, of the API
 * reference and of an invitation.
 *
 *   npm run pictures
 */
const ROOT = path.resolve(import.meta.dirname, "..");
const EXAMPLE = path.join(ROOT, "docs/example");
const WIDTH = 1_200;

/** What was different in earlier runs: the last report shows what is new and fixed since then. */
const before = [
  [/<p>E-mail: (<input[^>]*>)<\/p>/, "<label>E-mail: $1</label>"],
  [/<h2>(On Saturdays)<\/h2>/, "<center><h2>$1</h2></center><p><font>Sold out by ten</font></p>"],
] as const;
const runs = [before.slice(0, 1), before, []];

const SIGN_IN = JSON.stringify({
  title: "Sign in to the shop",
  steps: [
    { type: "navigate", url: "https://shop.example.org/login" },
    { type: "change", selectors: [["#user"]], value: "tester@example.org" },
    { type: "change", selectors: [["#password"]], value: "not a real one" },
    { type: "click", selectors: [["text/Sign in"]] },
  ],
});

const service = await startWebService({ SECRET_KEY: "of these pictures alone" });
const routes: Routes = {};
const site = await serveSite(routes);
try {
  const client = await signedIn(service);
  let report = "";
  for (const edits of runs) {
    Object.assign(routes, await routesOf(edits));
    report = await run(client, site.origin.replace("127.0.0.1", "localhost"));
  }
  const { html: pages } = await client.get(`${report}/pages?url=contact`);
  const contact = /href="(\/reports\/[^"]+\/pages\/[^"]+)"/.exec(pages)?.[1] ?? "";
  await client.get("/guests");
  await client.post("/guests", { max_usage: "500" });
  const { html: guests } = await client.get("/guests");
  const guest = /href="(\/guests\/[^"]+)"/.exec(guests)?.[1] ?? "";
  const invitation = /\/invitations\/[\w-]+/.exec((await client.get(guest)).html)?.[0] ?? "";
  await client.get("/credentials");
  await client.post("/credentials", { host: "shop.example.org", username: "", password: "", sign_in: SIGN_IN });
  const credential = /href="(\/credentials\/[0-9a-f-]{36})"/.exec((await client.get("/credentials")).html)?.[1] ?? "";
  await takePictures(service, client, [
    { name: "report", address: report, height: 900 },
    { name: "issues", address: `${report}/issues`, height: 900 },
    { name: "page", address: contact, height: 900 },
    { name: "api-reference", address: "/api/v1/docs", height: 900 },
    { name: "invitation", address: invitation, height: 460 },
    { name: "sign-in", address: credential, height: 1_000 },
  ]);
} finally {
  await site.close();
  await service.close();
}

/** The example's files as the site's pages, with these edits. */
async function routesOf(edits: readonly (readonly [RegExp, string])[]): Promise<Routes> {
  const types: Record<string, string> = { ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml" };
  const served: Routes = {};
  for (const name of await readdir(EXAMPLE)) {
    const text = await readFile(path.join(EXAMPLE, name), "utf8");
    const body = edits.reduce((edited, [was, is]) => edited.replace(was, is), text);
    const headers = { "content-type": `${types[path.extname(name)]}; charset=utf-8` };
    served[name === "index.html" ? "/" : `/${name}`] = { body, headers };
  }
  return served;
}

/** Runs a report to its end. @returns the path of its page */
async function run(client: WebClient, origin: string): Promise<string> {
  const checks = { perform_html_checks: "true", perform_a11y_checks: "true", store_screenshot: "true" };
  await client.get("/reports/new");
  const settings = { max_pages: "20", rate_limit: "25", deep_crawl: "true", standard: "wcag22aa", ...checks };
  const { location } = await client.post("/reports/new", { ...settings, starting_url: `${origin}/` });
  if (!location) throw new Error(`The report of ${origin} was not created.`);
  await eventually(async () => !(await client.get(location)).html.includes("data-live"), { seconds: 300 });
  return location;
}

type Picture = { name: string; address: string; height: number };

async function takePictures({ url }: WebService, client: WebClient, pictures: readonly Picture[]): Promise<void> {
  const { path: executablePath } = await findChromium(process.env.CHROME_PATH);
  // Only pages of this service are opened, so the browser may do without a sandbox, which root cannot have.
  const browser = await puppeteer.launch({ executablePath, headless: "shell", args: ["--no-sandbox"] });
  try {
    const page: Page = await browser.newPage();
    const [name = "", value = ""] = client.cookie().split("=");
    await browser.setCookie({ name, value, domain: new URL(url).hostname, path: "/" });
    for (const { name: file, address, height } of pictures) {
      await page.setViewport({ width: WIDTH, height });
      await page.goto(url + address, { waitUntil: "networkidle0" });
      await page.screenshot({ path: path.join(ROOT, "docs/images", `${file}.png`) });
      console.log(`${file}.png  ${address}`);
    }
  } finally {
    await browser.close();
  }
}
