import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { noticeTexts } from "../../../src/domain/coverage/notices.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const page = (body: string, head = ""): string =>
  `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>\n`;
const list = (name: string, entry: string, urls: readonly string[]): string =>
  `<${name}>${urls.map((url) => `<${entry}><loc>${url}</loc></${entry}>`).join("\n")}</${name}>`;

const gaps = [
  ...["page_limit", "pages_failed", "sitemap_incomplete", "sitemap_failed", "sitemap_entries_dropped"],
  ...["canonical_not_checked", "hash_routes_not_opened", "frames_not_tested"],
];
const notes = ["canonical_elsewhere", "exclusion_unused", "ignore_matched_nothing", "redirected_by_page"];
const sentenceOf = (code: string) => noticeTexts[code as keyof typeof noticeTexts].sentence.replace(/\.$/, "");

/** Each page has a gap of its own; the last one is beyond the limit. */
const routesOf = (at: (path: string) => string): Routes => ({
  "/index.xml": list("sitemapindex", "sitemap", [at("/map.xml"), at("/gone.xml"), "relative.xml"]),
  "/map.xml": list(
    ...(["urlset", "url"] as const),
    ["/", "/broken", "/private", "/canonical", "/copy", "/app", "/framed", "/old", "/beyond", "/cut"].map(at),
  ).replace("/cut</loc>", "/cut</lok>"),
  "/": page("<p>Home</p>"),
  "/broken": { status: 500, body: "" },
  "/private": { status: 302, headers: { location: "/login?next=%2Fprivate" }, body: "" },
  "/login": page('<form><input name="user"><input type="password" name="p"><button>Log in</button></form>'),
  "/canonical": page("<p>Here</p>", '<link rel="canonical" href="/elsewhere">'),
  "/copy": page("<p>A copy</p>", '<link rel="canonical" href="https://shop.example/copy">'),
  "/app": page('<a href="#/one">one</a>'),
  "/framed": page('<iframe title="A frame" sandbox src="/"></iframe>'),
  "/old": page("<p>Old</p>", '<meta http-equiv="refresh" content="0; url=/new">'),
  "/new": page("<p>New</p>"),
});

describe("a check of a site of which much is left out", () => {
  let sandbox: Sandbox;
  let site: Site;
  const inFolder = (name: string) => path.join(sandbox.folder, name);

  before(async () => {
    sandbox = await openSandbox();
    const routes: Routes = {};
    site = await serveSite(routes);
    Object.assign(
      routes,
      routesOf((to) => site.origin + to),
    );
  });
  after(async () => {
    await site.close();
    await sandbox.close();
  });

  const check = (...args: string[]) => {
    const given = ["--a11y", "--max-pages", "8", "--exclude", "/never", "--ignore", "gone/rule"];
    return sandbox.start(["check", `${site.origin}/index.xml`, ...given, ...args]).ended;
  };

  it("names the same gaps and notes in every output", async () => {
    const files = ["sarif", "junit", "markdown", "report"];
    const { stdout } = await check("--verbose", ...files.flatMap((name) => [`--${name}`, inFolder(name)]));
    const verdict = `Incomplete (${gaps.join(", ")})`;
    const flat = stdout.replace(/\s+/g, " ");
    expect(flat).to.include(verdict);
    const said = [...stdout.matchAll(/^(?:gap|note) {2}/gm)];
    expect(said).to.have.length(gaps.length + notes.length);
    for (const code of [...gaps, ...notes]) expect(flat).to.include(sentenceOf(code));

    const read = async (name: string) => readFile(inFolder(name), "utf8");
    const log = JSON.parse(await read("sarif"));
    for (const { invocations } of log.runs)
      expect(
        invocations[0].toolExecutionNotifications.map(
          ({ descriptor, level }: { descriptor: { id: string }; level: string }) => [descriptor.id, level],
        ),
      ).to.deep.equal([...gaps.map((code) => [code, "warning"]), ...notes.map((code) => [code, "note"])]);
    const junit = await read("junit");
    const cases = [...junit.matchAll(/<testcase name="([^"]*)" classname="coverage [^"]*" time="0"><skipped>/g)];
    expect(cases.map(([, name]) => name)).to.deep.equal(gaps);
    for (const code of notes) expect(junit).to.include(sentenceOf(code));
    const markdown = [...(await read("markdown")).matchAll(/^- (gap|note) `(\w+)`/gm)];
    expect(markdown.map(([, severity, code]) => [severity, code])).to.deep.equal([
      ...gaps.map((code) => ["gap", code]),
      ...notes.map((code) => ["note", code]),
    ]);
    const html = await read("report");
    expect([...html.matchAll(/data-notice="(\w+)"/g)].map(([, code]) => code)).to.deep.equal([...gaps, ...notes]);

    const quiet = await check("--quiet");
    expect(quiet.stdout.replace(/\s+/g, " ")).to.include(verdict);
    const json = JSON.parse((await check("--json")).stdout);
    const { complete, notices } = json.data.attributes.coverage;
    expect(complete).to.equal(false);
    expect(notices.map(({ code }: { code: string }) => code)).to.deep.equal([...gaps, ...notes]);
  }).timeout(limitOf(90));
});
