import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { load } from "cheerio";
import fc from "fast-check";
import { html, render } from "../../../src/web/html.ts";
import { findHtml, type OwnAxe, openOwnAxe } from "../../support/own-verdicts.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";

const htmlOf = (title: string, body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>${title}</title></head>\n<body>\n<nav><center>Old</center></nav><main><h1>${title}</h1>\n${body}\n</main>\n</body>\n</html>\n`;

describe("check --report", () => {
  let sandbox: Sandbox;
  let site: Site;
  let axe: OwnAxe;

  before(async () => {
    sandbox = await openSandbox();
    site = await serveSite({
      "/": htmlOf("Start", '<img src="x"> <a href="/two">Two</a> <a href="/missing">Missing</a>'),
      "/two": htmlOf("Two", `<img src='"><script>alert(1)</script>'><p title="</style>"><font>&lt;b&gt;</font></p>`),
    });
    axe = await openOwnAxe();
  });
  after(async () => {
    await axe?.close();
    await site?.close();
    await sandbox?.close();
  });

  async function reportOf(args: string[]): Promise<{ html: string; code: number | string }> {
    const file = path.join(sandbox.folder, "report.html");
    const { ended } = sandbox.start(["check", ...args, "--report", file]);
    const { code } = await ended;
    return { html: await readFile(file, "utf8"), code };
  }

  it("writes one file with the rules, elements, pages and failures, which loads nothing and runs nothing", async () => {
    const { html, code } = await reportOf([site.url, "--a11y"]);
    expect(code).to.equal(1);
    const $ = load(html);
    expect($("h1").text()).to.equal(site.url);
    expect($("h2").text()).to.include("An image has no text alternative").and.include("Fix first");
    expect($("pre").text()).to.include('<img src="x">').and.include("<center>");
    expect($("#without").parent().text()).to.include(`${site.url}missing`).and.include("404");
    expect($("script, link, img, iframe, object, form").length).to.equal(0);
    expect($("meta[http-equiv]").attr("content")).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:$/,
    );
    const pictures = $("image").toArray();
    expect(pictures).to.not.be.empty;
    for (const picture of pictures)
      expect($(picture).attr("href")).to.match(/^data:image\/webp;base64,[A-Za-z0-9+/=]+$/);
    const anchors = $('a[href^="#"]')
      .toArray()
      .map((element) => $(element).attr("href") ?? "");
    expect(anchors).to.not.be.empty;
    for (const anchor of anchors) expect($(anchor).length, anchor).to.equal(1);
  });

  it("names what was ignored, and why", async () => {
    const { html } = await reportOf([
      site.url,
      "--ignore",
      "{selector: nav center, reason: Old menu, expires_at: 2099-01-31}",
    ]);
    const text = load(html)("#muted").parent().text().replace(/\s+/g, " ");
    expect(text).to.match(/^What is muted, and until when: 1 ?Selector nav center, Ends .*2099.*Old menu/);
  });

  it("writes one in which both engines find nothing", async () => {
    const { html } = await reportOf([site.url, "--a11y", "--ignore", "{rule: element/obsolete, reason: x}"]);
    for (const engine of ["conformance", "html-validate"] as const)
      expect(await findHtml(engine, [{ name: "report", html }])).to.deep.equal([]);
    const served = await serveSite({ "/": html });
    try {
      expect(await axe.find("report", served.url)).to.deep.equal([]);
    } finally {
      await served.close();
    }
  });

  it("renders whatever pages contain as valid HTML, without characters that cannot be seen", async () => {
    const unseen = fc.constantFrom(
      "\x1b[31m",
      "\x00",
      "\x7f",
      "\x9b",
      "\ufffe",
      "\u{1fffe}",
      "\u202e",
      "\u2028",
      "\ud800",
      "\r\f",
    );
    const text = fc.tuple(fc.string({ unit: "binary-ascii" }), unseen, fc.string({ unit: "grapheme" }));
    const pages = fc.sample(text, 200).map((parts, index) => {
      // The engine warns of text that is not normalized, which is no fault of the page.
      const all = parts.join("").normalize("NFC");
      const body = render(html`<h1>Hostile</h1><p title=${all}>${all}</p><pre>${all}</pre>`);
      return { name: `${index}`, html: `<!doctype html>\n<html lang="en">\n<title>x</title>\n${body}` };
    });
    expect(await findHtml("conformance", pages)).to.deep.equal([]);
    for (const page of pages)
      expect(page.html).not.to.match(/[^\t\n\f\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|\p{Surrogate}/u);
  });

  it("names the files of a folder, without links to a server that is gone", async () => {
    const { writeFile, mkdir } = await import("node:fs/promises");
    const folder = path.join(sandbox.folder, "built");
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "index.html"), htmlOf("Built", '<img src="x">'));
    const { html } = await reportOf([folder]);
    const $ = load(html);
    expect($("h1").text()).to.equal("/");
    expect(html).to.not.include("127.0.0.1");
    expect(
      $('a:not([href^="#"])')
        .toArray()
        .map((element) => $(element).attr("href")),
    ).to.satisfy((all: string[]) => all.every((address) => address.startsWith("https://")));
  });
});
