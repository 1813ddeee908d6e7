import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { ExportedFinding } from "../../../src/domain/export/exported.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

const page = (body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A page</title></head>\n<body>\n<h1>A page</h1>\n${body}\n</body>\n</html>\n`;
const BROKEN = '<p><b>bold</i></p>\n<img src="/x.png">\n';

describe("check", () => {
  let sandbox: Sandbox;
  const sites: Site[] = [];

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });
  after(async () => {
    await sandbox.close();
  });

  async function serve(routes: Routes): Promise<Site> {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  }

  async function check(...args: string[]) {
    return sandbox.start(["check", ...args]).ended;
  }

  it("says that a clean site is clean, and leaves nothing behind", async () => {
    const site = await serve({ "/": page('<a href="/two">two</a>'), "/two": page("<p>Two</p>") });
    const { code, stdout, stderr } = await check(site.url);
    expect(stdout).to.equal(
      `No issues found.\n\nComplete: 2 pages checked\n\n${site.url} · 2 pages · HTML: 0 errors, 0 warnings\n`,
    );
    const progress = stderr.trim().split("\n");
    expect(progress.at(-1)).to.equal("Complete: 2 pages found · checks: 0 pending, 2 checked, 0 failed · 0 issues");
    expect(code).to.equal(0);
    await eventually(() => sandbox.leftProcesses().length === 0);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
  });

  it("shows issues with their pages, and pages that could not be checked, without a page's control characters", async () => {
    const links = [1, 2, 3, 4].map((n) => `<a href="/${n}">${n}</a>`).join("\n");
    const broken = Object.fromEntries([1, 2, 3, 4].map((n) => [`/${n}`, page(BROKEN)]));
    const evil = page(
      `<p id="a\x1b[31m\x9b\u202E">x</p><p id="a\x1b[31m\x9b\u202E">y</p><img alt=x src="\x07" width="\x1b]0;x"><a href="#\x1b[31m\x9b\u202E"></a><img alt="" src="http://[\x1b\x9b\u202E">`,
    );
    const start = page(`${links}\n<a href="/gone">gone</a> <a href="/evil">evil</a>`);
    const site = await serve({ "/": start, ...broken, "/evil": evil });
    const { code, stdout } = await check(site.url, "--verbose", "--links");
    expect(code).to.equal(1);
    for (const rule of ["broken-fragment", "invalid-address"]) expect(stdout).to.include(`${rule}  links`);
    expect(stdout).to.match(
      /^error {2}img\/alt {2}html, 4 elements on 4 pages\n {2}The .*\n {2}https:.*\n {4}http:.*\/1:\d+:\d+\n {4}<img src=.*\n {4}also on http.*\/2, http.*\/3 and 1 more$/m,
    );
    expect(stdout).to.match(
      /^Could not be checked: 1 page\n {2}http:.*\/gone\n {4}.*404.*\(http_error\)\n {4}linked from http:.*\/$/m,
    );
    expect(stdout).to.include("\uFFFD");
    expect(stdout.replaceAll("\n", "")).not.to.match(/[\p{Cc}\p{Cf}]/u);
  });

  it("writes no control character or noncharacter of a page into any file", async () => {
    const evil = "a\x1b[31m\x07\x00\x7f\x9b\ufffe\u{1fffe}\u202e\u2028b";
    const body = page(
      `<p id="${evil}">${evil}</p><p id="${evil}">x</p><img src="/${evil}" width="${evil}"><center>${evil}</center>
      <a href="/gone?${evil}">x</a><a href="#${evil}">x</a><a href="http://[${evil}/</script>">x</a>`,
    );
    const site = await serve({ "/": { headers: { "content-type": "text/html; charset=utf-8" }, body } });
    const names = ["report", "sarif", "junit", "csv", "ndjson", "markdown"];
    const files = names.map((name) => path.join(sandbox.folder, `evil.${name}`));
    await check(site.url, "--links", ...names.flatMap((name, index) => [`--${name}`, files[index] ?? ""]));
    for (const [index, name] of names.entries()) {
      const text = await readFile(files[index] ?? "", "utf8");
      expect(text, name).to.include("center");
      for (const rule of ["broken-link", "broken-fragment", "invalid-address"]) expect(text, name).to.include(rule);
      const found = [...text.matchAll(/[^\t\n\r\P{Cc}]|[\p{Noncharacter_Code_Point}\u202e\u2028]/gu)].map(
        ({ 0: one, index: at }) =>
          `U+${one.codePointAt(0)?.toString(16)} at ${JSON.stringify(text.slice(at - 40, at + 20))}`,
      );
      expect(found, name).to.deep.equal([]);
    }
    await rename(files[0] ?? "", path.join(sandbox.folder, "evil.html"));
    const checked = await sandbox.start(["check-html", path.join(sandbox.folder, "evil.html")]).ended;
    expect(checked.code, checked.stdout + checked.stderr).to.equal(0);
  });

  it("prints one JSON document and nothing else with --json", async () => {
    const site = await serve({ "/": page(`${BROKEN}<a href="/gone">gone</a>`) });
    const { code, stdout } = await check(site.url, "--json");
    expect(code).to.equal(1);
    const document = JSON.parse(stdout);
    expect(document).to.have.all.keys("data", "pages", "failed_pages", "excluded_urls", "findings");
    expect(stdout).not.to.match(/"(self|related)"|"links": \{/);
    expect(document.data).to.have.all.keys("id", "type", "attributes");
    const { attributes } = document.data;
    expect(attributes).to.include({ starting_url: site.url, num_pages: 2, phase: "Complete", failure: null });
    expect(attributes.checks.html.status).to.deep.equal({ pending: 0, checked: 1, failed: 1 });
    expect(document.pages.map(({ url }: { url: string }) => url)).to.have.members([site.url, `${site.url}gone`]);
    expect(document.failed_pages).to.deep.equal([
      {
        ...{ url: `${site.url}gone`, linked_from: site.url, num_linked_from: 1, linked_from_pages: [site.url] },
        reasons: [`${site.url}gone responded with 404 Not Found. (http_error)`],
      },
    ]);
    const counted = { error: 0, warning: 0 };
    for (const finding of document.findings as ExportedFinding[]) {
      expect(finding).to.include({ kind: "html", page_url: site.url });
      counted[finding.issue_type] += finding.how_many;
    }
    expect(counted.error).to.be.greaterThan(0);
    const muted = { errors: 0, warnings: 0 };
    expect({ errors: counted.error, warnings: counted.warning, muted }).to.deep.equal(attributes.checks.html.issues);
    const image = document.findings.find(({ rule }: ExportedFinding) => rule === "img/alt");
    expect(image).to.deep.include({ html: '<img src="/x.png">', line: 7, column: 1 });
    expect(image.component).to.match(/^[0-9a-f]{20}$/);
  });

  it("names the pages that link to a broken address, and says how many there are", async () => {
    const parents = Array.from({ length: 12 }, (_, n) => `/p${n}`);
    const routes = Object.fromEntries(parents.map((path) => [path, page('<a href="/gone">gone</a>')]));
    const site = await serve({ "/": page(parents.map((path) => `<a href="${path}">p</a>`).join(" ")), ...routes });
    const markdown = path.join(sandbox.folder, "links.md");
    const { stdout } = await check(site.url, "--max-pages", "0", "--markdown", markdown);
    const [p0, p1, p2] = parents.map((path) => site.origin + path);
    expect(stdout.replace(/\s+/g, " ")).to.include(`linked from ${p0}, ${p1}, ${p2} and 9 more`);
    expect(await readFile(markdown, "utf8")).to.include(`linked from \` ${p0} \`, \` ${p1} \`, \` ${p2} \` and 9 more`);
    const all = await check(site.url, "--max-pages", "0", "--verbose");
    const shown = parents.slice(0, 10).map((path) => site.origin + path);
    expect(all.stdout.replace(/\s+/g, " ")).to.include(`linked from ${shown.join(", ")} and 2 more`);
  });

  it("ignores what its entries say, counts it, and says which entries ignore nothing", async () => {
    const ads = '<div class="ads"><img src="/x.png"><img src="/y.png"></div>';
    const site = await serve({ "/": page(`${ads}<a href="/shop/">shop</a>`), "/shop/": page('<img src="/z.png">') });
    const file = path.join(sandbox.folder, "ignore.yaml");
    await writeFile(
      file,
      `ignore:
  - { selector: .ads img, reason: The ads are not ours }
  - { rule: img/alt, url_match: /SHOP/, expires_at: 2099-01-01 }
  - { rule: gone/rule }
  - { rule: img/alt, reason: Over, expires_at: 2020-01-31 }
`,
    );
    const files = ["s.sarif", "j.xml", "n.ndjson", "m.md", "r.html"].map((name) => path.join(sandbox.folder, name));
    const [sarif = "", junit = "", ndjson = "", markdown = "", html = ""] = files;
    const args = [site.url, "--config", file, "--sarif", sarif, "--junit", junit, "--ndjson", ndjson];
    const { code, stdout } = await check(...args, "--verbose", "--markdown", markdown, "--report", html);
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      `No issues found.

Ignored: 2 findings by selector .ads img
  The ads are not ours
Ignored: 1 finding by rule img/alt, url_match /SHOP/, until 2099-01-01
Ignored: 0 findings by rule gone/rule
Ignored: 0 findings by rule img/alt, until 2020-01-31
  Over

note  An entry of ignore is not needed: it matched no finding, or its date has passed (2).
  rule gone/rule
  rule img/alt (until 2020-01-31)
  Correct it, or remove it.
Complete: 2 pages checked

${site.url} · 2 pages · HTML: 0 errors, 0 warnings · 3 findings ignored by 2 entries
`,
    );
    const log = JSON.parse(await readFile(sarif, "utf8"));
    const suppressed = log.runs[0].results.map(({ suppressions }: { suppressions: object[] }) => suppressions[0]);
    expect(suppressed).to.have.deep.members([
      { kind: "external", justification: "The ads are not ours" },
      { kind: "external", justification: "The ads are not ours" },
      { kind: "external" },
    ]);
    expect(await readFile(junit, "utf8"))
      .to.match(/muted: img\/alt, 2 elements/)
      .and.not.include("<failure");
    expect(await readFile(ndjson, "utf8")).to.equal("");
    expect(await readFile(markdown, "utf8")).to.include("3 findings ignored by 2 entries.");
    for (const file of [markdown, sarif, html])
      expect(await readFile(file, "utf8"), file)
        .to.include("ignore_matched_nothing")
        .and.include("rule gone/rule");
    expect(await readFile(junit, "utf8")).to.include("rule gone/rule\n");
    const json = JSON.parse((await check(site.url, "--json", "--ignore", "img/alt")).stdout);
    expect(json.ignored).to.deep.equal({
      ...{ findings: 3, entries: [{ rule: "img/alt", state: "applied", findings: 3 }] },
    });
    const quiet = await check(site.url, "--quiet", "--ignore", "{rule: img/alt, url_match: /shop/}");
    expect(quiet.stdout).to.match(/HTML: 2 errors, .* · 1 finding ignored by 1 entry\n$/);
    expect(quiet.code).to.equal(1);
  });

  it("passes every option to the report", async () => {
    const site = await serve({
      "/": page('<a href="/a">a</a> <a href="/skip/b">b</a> <a href="/c">c</a>'),
      "/a": page('<a href="/deep">deep</a>'),
      "*": page(BROKEN),
    });
    const args = "--json --max-pages 2 --no-deep --rate-limit 1000 --exclude /skip --fail-on never".split(" ");
    const { code, stdout } = await check(site.url, ...args);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout).data.attributes).to.deep.include({
      max_pages: 2,
      num_pages: 2,
      deep_crawl: false,
      rate_limit: 1000,
      exclusions: ["/skip"],
    });
    expect(site.requests.map(({ path }) => path)).not.to.include("/skip/b");
  });

  it("checks what a local sitemap lists, and URLs beside it, with the totals alone and in colour if asked", async () => {
    const site = await serve({ "*": page("<p>Fine</p>") });
    const sitemap = `<urlset><url><loc>${site.url}a</loc></url><url><loc>${site.url}b</loc></url></urlset>`;
    const file = path.join(sandbox.folder, "sitemap.xml.gz");
    await writeFile(file, gzipSync(sitemap));
    const { code, stdout, stderr } = await check(file, `${site.url}c`, "--quiet", "--color");
    expect(stdout).to.equal(
      `\x1b[2mComplete: 3 pages checked\x1b[22m\n\x1b[1m${site.url}a · 3 pages · HTML: 0 errors, 0 warnings\x1b[22m\n`,
    );
    expect(stderr).to.equal("");
    expect(code).to.equal(0);
  });

  it("checks all that a local list names, more than a report holds, and says where the list is broken", async () => {
    const paths = Array.from({ length: 1_205 }, (_, n) => `/${n}`);
    const crawlers = () => sandbox.processes().filter(({ command }) => command.includes(" crawler "));
    const hasMoved = Promise.withResolvers<void>();
    const site = await serve({
      ...Object.fromEntries(paths.map((name) => [name, page("<p>x</p>")])),
      // A small site's crawler has no process of its own; of this one, the last page waits until it has.
      "/0": (_, response) => {
        expect(crawlers()).to.deep.equal([]);
        response.setHeader("content-type", "text/html").end(page("<p>x</p>"));
      },
      "/1204": async (_, response) => {
        await eventually(() => crawlers().length > 0).then(() => hasMoved.resolve(), hasMoved.reject);
        response.setHeader("content-type", "text/html").end(page("<p>x</p>"));
      },
    });
    const file = path.join(sandbox.folder, "long.xml");
    const entries = paths.map((name) => `<url><loc>${site.origin}${name}</loc></url>\n`).join("");
    await writeFile(file, `<urlset>\n${entries}<url><loc>/relative</loc></url>\n</broken>`);
    const { code, stdout, stderr } = await check(file, "--max-pages", "0", "--quiet");
    expect(stdout).to.match(/ · 1,205 pages · HTML: 0 errors/);
    await hasMoved.promise;
    expect(stderr)
      .to.match(/long\.xml" could be read in part only: Line 1208: .* 1,206 URLs before it were read\.\n/)
      .and.match(/The entry "\/relative" does not begin with/);
    expect(code).to.equal(0);
  }).timeout(limitOf(60));

  it("checks accessibility on a device, without HTML checks", async () => {
    const site = await serve({ "/": page('<img src="data:,">') });
    const { code, stdout, stderr } = await check(site.url, "--a11y", "--no-html", "--device", "iphone 13", "--rotated");
    expect(stdout, stderr).to.match(
      /^error {2}image-alt {2}a11y critical, 1 element on 1 page\n {2}Images must have alternative text\n {2}WCAG 1\.1\.1 Non-text Content \(A\) · https:.*\n {4}img\n {4}<img src="data:,">\n {4}on http/m,
    );
    expect(code).to.equal(1);
    await eventually(() => sandbox.leftProcesses().length === 0);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
  });

  it("judges by its limits, and keeps what is outside of the standard apart", async () => {
    const site = await serve({ "/": page('<h4>Left out</h4>\n<img src="data:,">') });
    const args = [site.url, "--a11y", "--no-html", "--max-errors", "1", "--max-new-errors", "0"];
    const passed = await check(...args, "--verbose");
    expect(passed.stdout, passed.stderr).to.match(/accessibility: 1 error, 0 warnings, \d+ outside of wcag22aa/m);
    expect(passed.stdout).to.match(/^error {2}image-alt {2}a11y critical, 1 element on 1 page$/m);
    expect(passed.stdout).to.match(/^outside {2}heading-order {2}a11y moderate, 1 element on 1 page$/m);
    expect(passed.stdout).to.match(/^errors +1 +1 +passed$/m);
    expect(passed.stdout).to.match(/^new errors +0 +- +not judged: there is no earlier report to compare with$/m);
    expect(passed.stderr).to.match(/^--max-new-errors could not be judged: /m);
    expect(passed.code).to.equal(0);

    const failed = await check(...args, "--standard", "all", "--json");
    expect(failed.code).to.equal(1);
    const { data } = JSON.parse(failed.stdout);
    expect(data.attributes.passed).to.equal(false);
    const [errors, fresh] = data.attributes.gate_results;
    expect(errors).to.deep.include({ condition: "max_errors", limit: 1, passed: false, reason: null });
    expect(errors.counted).to.be.greaterThan(1);
    expect(fresh).to.deep.include({ condition: "max_new_errors", counted: null, passed: null, reason: "no_base" });
  });

  describe("with bad input ends with 2 and names the cause", () => {
    const circle: Routes = {
      "/": { status: 302, headers: { location: "/b" } },
      "/b": { status: 302, headers: { location: "/" } },
    };
    const cases: [what: string, routes: Routes | undefined, args: string[], message: RegExp][] = [
      ["a start page that does not exist", { "/x": "" }, [], /404.*\(http_error\)/],
      ["a start page that fails", { "/": { status: 500, body: "oops" } }, [], /500.*\(http_error\)/],
      [
        "a start page that is not HTML",
        { "/": { headers: { "content-type": "application/pdf" }, body: "%PDF-1.7" } },
        [],
        /application\/pdf.*\(not_html\)/,
      ],
      ["a redirect loop", circle, [], /\(too_many_redirects\)/],
      ["an unreachable host", undefined, ["http://127.0.0.1:9/"], /127\.0\.0\.1.*\(unreachable\)/],
      [
        "an unknown device",
        { "/": page("") },
        ["--a11y", "--device", "iPhone 99"],
        /--device is "iPhone 99".* iPhone \d/,
      ],
      ["an unknown option", undefined, ["http://localhost/", "--max"], /unknown option '--max'/],
      ["a URL without a scheme", undefined, ["example.com"], /<target> is "example.com".*https:\/\/example.com\?/],
      ["URLs of two sites", undefined, ["http://127.0.0.1:9/", "http://127.0.0.1:10/"], /not of the same site/],
      ["a base path without a folder", undefined, ["http://127.0.0.1:9/", "--base-path", "/x"], /--base-path only/],
      ["a folder to write a file", undefined, ["http://127.0.0.1:9/", "--csv", "test"], /"test" is a folder/],
    ];
    for (const [what, routes, args, message] of cases) {
      it(what, async () => {
        const site = routes && (await serve(routes));
        const { code, stdout, stderr } = await check(...(site ? [site.url] : []), ...args);
        expect(stderr).to.match(message);
        expect(stdout).not.to.include("No issues");
        expect(code).to.equal(2);
      });
    }

    it("a site with nothing in it", async () => {
      const site = await serve({ "/": { headers: { "content-type": "text/html" }, body: "" } });
      const { code, stdout, stderr } = await check(site.url);
      expect(code, stdout + stderr).to.equal(2);
      expect(stderr).to.match(/empty/);
    });

    it("and a JSON document with --json", async () => {
      const site = await serve({});
      const failed = await check(site.url, "--json");
      expect(failed.code).to.equal(2);
      expect(JSON.parse(failed.stdout).data.attributes.failure).to.include({ code: "http_error" });
      const wrong = await check("nonsense", "--json");
      expect(wrong.code).to.equal(2);
      expect(JSON.parse(wrong.stdout).errors[0].detail).to.match(/<target> is "nonsense"/);
    });
  });

  /** A site whose second page never responds. */
  const slow: Routes = { "/": page('<a href="/slow">slow</a>'), "/slow": () => {} };

  async function untilMidRun(site: Site): Promise<void> {
    await eventually(() => site.requests.some(({ path }) => path === "/slow"));
  }

  it("ends after --timeout with what is checked until then, and says that this is not all", async () => {
    const site = await serve(slow);
    let seconds = 4;
    // On a busy machine nothing may be checked until then, or the slow page may have failed: it has 30 s.
    const { code, stdout } = await eventually(async () => {
      seconds = Math.min(2 * seconds, 25);
      const ended = await check(site.url, "--timeout", String(seconds));
      const deadline = new RegExp(`deadline of ${seconds} s .*\\(deadline_exceeded\\)$`, "m");
      return ended.code !== 2 && deadline.test(ended.stdout) && ended;
    });
    expect(stdout).to.match(/ · \d pages? · HTML: 0 errors, 0 warnings/);
    expect(code).to.equal(1);
  });

  it("has its exit code, and writes its files, although nobody reads what it prints", async () => {
    const site = await serve({ "/": page(BROKEN) });
    const file = path.join(sandbox.folder, "unread.ndjson");
    const program = sandbox.start(["check", site.url, "--ndjson", file], {}, { unread: true });
    expect((await program.ended).code).to.equal(1);
    expect(await readFile(file, "utf8")).to.match(/^(\{.*\}\n)+$/);
    expect((await sandbox.start(["check", "--help"], {}, { unread: true }).ended).code).to.equal(0);
  });

  it("does not begin if what it is to write has no place", async () => {
    const site = await serve({ "/": page("") });
    for (const option of ["--sarif", "--report"]) {
      const { code, stderr } = await check(site.url, option, path.join(sandbox.folder, "none", "x"));
      expect(stderr).to.match(/^".*none\/x" cannot be written: ENOENT/);
      expect(code).to.equal(2);
    }
    const { code, stderr } = await check(site.url, "--sarif", "/proc/x");
    expect(stderr).to.match(/^"\/proc\/x" cannot be written: ENOENT[^\n]*\n$/);
    expect(code).to.equal(2);
    expect(site.requests).to.deep.equal([]);
  });

  it("works without a cache when the cache folder cannot be written", async () => {
    const site = await serve({ "/": page("<p>Fine</p>") });
    const { code, stderr } = await sandbox.start(["check", site.url], { CACHE_DIR: "/proc/nope" }).ended;
    expect(code, stderr).to.equal(0);
  });

  it("ends on Ctrl-C and leaves nothing behind", async () => {
    const site = await serve(slow);
    const program = sandbox.start(["check", site.url]);
    await untilMidRun(site);
    // Twice, as under npm in a terminal: the terminal sends one signal and npm another.
    program.kill("SIGINT");
    program.kill("SIGINT");
    const { code, stdout, stderr } = await program.ended;
    expect(stderr).to.include("Interrupted.");
    expect(stdout).to.equal("");
    expect(code).to.equal(130);
    await eventually(() => sandbox.leftProcesses().length === 0);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
  });

  it("ends its children when it is killed, and the next check removes its files", async () => {
    const site = await serve(slow);
    const program = sandbox.start(["check", site.url]);
    await untilMidRun(site);
    program.kill("SIGKILL");
    await program.ended;
    await eventually(() => sandbox.leftProcesses().length === 0);
    expect(await sandbox.leftFiles()).to.have.lengthOf(1);
    const clean = await serve({ "/": page("<p>Fine</p>") });
    expect((await check(clean.url)).code).to.equal(0);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
  });
});
