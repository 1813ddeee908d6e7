import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

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
    expect(stdout).to.equal(`${site.url} · 2 pages · HTML: 0 errors, 0 warnings\n\nNo issues found.\n`);
    const progress = stderr.trim().split("\n");
    expect(progress.at(-1)).to.equal("Complete: 2 pages found · checks: 0 pending, 2 checked, 0 failed · 0 issues");
    expect(code).to.equal(0);
    expect(sandbox.leftProcesses()).to.deep.equal([]);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
  });

  it("shows issues with their pages, and pages that could not be checked", async () => {
    const links = [1, 2, 3, 4].map((n) => `<a href="/${n}">${n}</a>`).join("\n");
    const broken = Object.fromEntries([1, 2, 3, 4].map((n) => [`/${n}`, page(BROKEN)]));
    const site = await serve({ "/": page(`${links}\n<a href="/gone">gone</a>`), ...broken });
    const { code, stdout } = await check(site.url);
    expect(code).to.equal(1);
    expect(stdout).to.match(/^TYPE +COUNT +CHECK +MESSAGE$/m);
    expect(stdout).to.match(/^error +4 +html +\S.*\n +http:\/\/127.*\/1\n +http:.*\/2\n +http:.*\/3\n +and 1 more$/m);
    expect(stdout).to.match(/Could not be checked: 1 page\n {2}http:.*\/gone\n {4}.*404.*\(http_error\)/);
  });

  it("prints one JSON document and nothing else with --json", async () => {
    const site = await serve({ "/": page(BROKEN) });
    const { code, stdout } = await check(site.url, "--json");
    expect(code).to.equal(1);
    const document = JSON.parse(stdout);
    expect(document).to.have.all.keys("data", "included", "jsonapi");
    expect(document.jsonapi).to.deep.equal({ version: "1.0" });
    expect(document.data).to.have.property("type", "report");
    const { attributes } = document.data;
    expect(attributes).to.include({ starting_url: site.url, num_pages: 1, phase: "Complete", failure: null });
    expect(attributes.checks.html.status).to.deep.equal({ pending: 0, checked: 1, failed: 0 });
    const counted = { error: 0, warning: 0 };
    for (const issue of document.included) {
      expect(issue.type).to.equal("common_html_issue");
      counted[issue.attributes.issue_type as "error" | "warning"] += issue.attributes.how_many;
    }
    expect(counted.error).to.be.greaterThan(0);
    expect({ errors: counted.error, warnings: counted.warning }).to.deep.equal(attributes.checks.html.issues);
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

  it("checks accessibility on a device, without HTML checks", async () => {
    const site = await serve({ "/": page('<img src="data:,">') });
    const { code, stdout, stderr } = await check(site.url, "--a11y", "--no-html", "--device", "iphone 13", "--rotated");
    expect(stdout, stderr).to.match(/^error +1 +a11y critical +Images must have alternative text$/m);
    expect(code).to.equal(1);
    expect(sandbox.leftProcesses()).to.deep.equal([]);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
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
      ["a URL without a scheme", undefined, ["example.com"], /<url> is "example.com".*https:\/\/example.com\?/],
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
      expect(JSON.parse(wrong.stdout).errors[0].detail).to.match(/<url> is "nonsense"/);
    });
  });

  /** A site whose second page never responds. */
  const slow: Routes = { "/": page('<a href="/slow">slow</a>'), "/slow": () => {} };

  async function untilMidRun(site: Site): Promise<void> {
    await eventually(() => site.requests.some(({ path }) => path === "/slow"));
  }

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
    expect(sandbox.leftProcesses()).to.deep.equal([]);
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
