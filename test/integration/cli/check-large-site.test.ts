// 15 s of processor time: more pages than a check keeps in its own process, and the processes that take them over.
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

const PAGES = 220;
const page = (body: string): string =>
  `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title></head><body>${body}</body></html>\n`;

describe("check of a site with more pages than its own process checks", function () {
  this.timeout(limitOf(90));
  let sandbox: Sandbox;
  let site: Site;
  /** The programs that were running when an address was asked for, by its kind. */
  const seen = { page: new Set<string>(), picture: new Set<string>() };
  const programs = (): string[] =>
    sandbox
      .processes()
      .flatMap(({ command }) => / (crawler) |--engine (\w+)/.exec(command)?.slice(1).filter(Boolean) ?? []);

  before(async () => {
    sandbox = await openSandbox();
    const numbers = Array.from({ length: PAGES }, (_, number) => number);
    const routes: Routes = {
      "/": page(numbers.map((number) => `<a href="/${number}">Page ${number}</a>`).join(" ")),
    };
    for (const number of numbers)
      routes[`/${number}`] = async (_request, response) => {
        // The last pages are there when processes have taken over, however fast the others were checked.
        if (number >= PAGES - 5) await eventually(() => programs().includes("html"));
        for (const program of programs()) seen.page.add(program);
        const body = `<img src="/gone-${number % 2}.png" alt=""><p id="a">x</p><p id="a">y</p>`;
        response.writeHead(200, { "content-type": "text/html" }).end(page(body));
      };
    for (const number of [0, 1])
      routes[`/gone-${number}.png`] = (_request, response) => {
        for (const program of programs()) seen.picture.add(program);
        response.writeHead(404).end();
      };
    site = await serveSite(routes);
  });
  after(async () => {
    await site.close();
    await sandbox.close();
  });

  it("lets processes go on with the HTML, and checks the links itself, with nothing lost", async () => {
    const { stdout, stderr } = await sandbox.start(["check", site.url, "--links", "--max-pages", "0"]).ended;
    expect(stdout, stderr).to.match(new RegExp(`Complete: ${PAGES + 1} pages checked`));
    expect(stdout).to.include(`duplicate-id  html, ${PAGES} elements on ${PAGES} pages`);
    for (const number of [0, 1]) expect(stdout).to.include(`gone-${number}.png is broken`);
    const all = [...seen.page, ...seen.picture];
    expect(all, "processes").to.include("html");
    expect(all, "processes").not.to.include("links");
  });
});
