import { readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import path from "node:path";
import { expect } from "chai";
import { html, type Members, PASSWORD, shop, shopSteps } from "../../support/members-sites.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

describe("check of a site behind a sign-in", function () {
  this.timeout(limitOf(60));
  let sandbox: Sandbox;
  const sites: Site[] = [];

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });
  after(() => sandbox.close());

  const serve = async ({ routes }: Members): Promise<Site> => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  const check = async (
    site: Site,
    given: unknown,
    args: readonly string[] = [],
    variables: Record<string, string> = { SHOP_PASSWORD: PASSWORD },
  ) => {
    const file = path.join(sandbox.folder, "sign-in.json");
    await writeFile(file, JSON.stringify(given));
    return sandbox.start(["check", site.url, "--sign-in", file, "--verbose", ...args], variables).ended;
  };

  it("checks the pages of those who have signed in, and never shows what was typed", async () => {
    const members = shop();
    const site = await serve(members);
    const recording = {
      title: "Sign in",
      steps: [{ type: "setViewport", width: 1200, height: 800 }, ...shopSteps(site.origin, "$SHOP_PASSWORD")],
    };
    const { stdout, stderr } = await check(site, recording, ["--a11y", "--max-pages", "100"]);
    expect(stdout, stderr).to.match(/· 4 pages · HTML: \d+ errors, .* · accessibility: [1-9]/);
    expect(stdout)
      .to.include("duplicate-id  html, 3 elements on 3 pages")
      .and.include("image-alt  a11y critical, 3 elements on 3 pages");
    expect(stdout).to.include("1 ending the session");
    for (const secret of [PASSWORD, ...members.sessions()]) expect(stdout + stderr).not.to.include(secret);
    expect(members.sessions()).to.have.length(1);
    expect(members.anonymous()).to.equal(0);
    // For crawler and checkers together.
    expect(members.signIns()).to.equal(1);
  });

  it("masks what the sign-in has brought wherever pages show it, in results of all kinds of checks", async () => {
    const token = "t0k3n-0f-the-session=1";
    const isIn: RequestListener = ({ headers }, response) => {
      const shown = `<p id="${token}">${token}</p><p id="${token}">x</p><img src="/${encodeURIComponent(token)}.png">`;
      const isMember = headers.cookie?.includes(encodeURIComponent(token)) ?? false;
      html(response, isMember ? `<!DOCTYPE html><html lang="en"><title>In ${token}</title>${shown}` : "Out");
    };
    const form =
      '<form method="post" action="/enter"><input id="user"><input type="password" id="pw"><button>In</button></form>';
    const set = `session=${encodeURIComponent(token)}; Path=/`;
    const routes = {
      "/": isIn,
      "/login": `<!DOCTYPE html><title>Log in</title>${form}`,
      "/enter": { status: 303, headers: { location: "/", "set-cookie": set } },
    };
    const site = await serve({ routes } as unknown as Members);
    const steps = [
      { type: "navigate", url: `${site.origin}/login` },
      { type: "change", selector: "#pw", value: "$SHOP_PASSWORD" },
      { type: "click", selector: "button" },
    ];
    const { stdout, stderr } = await check(site, { steps }, ["--a11y", "--links", "--json"]);
    const rules = JSON.parse(stdout).findings.map(({ rule }: { rule: string }) => rule);
    expect(rules, stderr).to.include.members(["duplicate-id", "image-alt", "broken-resource"]);
    expect(stdout + stderr).not.to.match(/t0k3n-0f-the/);
  });

  it("signs in again when the session has ended", async () => {
    const members = shop({ pages: 20, requestsOfSession: 9 });
    const site = await serve(members);
    const { stdout, stderr } = await check(site, shopSteps(site.origin), ["--a11y", "--max-pages", "100"]);
    expect(stdout, stdout + stderr).to.match(/Complete: 21 pages checked/);
    expect(members.signIns()).to.be.above(4);
  });

  it("signs in again when a page says in its own words that the session has ended", async () => {
    const members = shop({ pages: 20, requestsOfSession: 12, farewell: "See you again soon." });
    const site = await serve(members);
    const given = { steps: shopSteps(site.origin), signed_out_when: { text: "See you again soon." } };
    const { stdout, stderr } = await check(site, given, ["--a11y", "--max-pages", "100"]);
    expect(stdout, stderr).to.match(/Complete: 21 pages checked/);
    expect(stdout).to.include("image-alt  a11y critical, 20 elements on 20 pages");
    expect(members.signIns()).to.be.above(2);
  });

  it("takes none of 120 pages for one that asks to sign in, while the session gets a new name with each", async () => {
    // Crawler and tabs hold names that others have renewed: more pages at once than names that are still taken.
    const members = shop({ pages: 119, rotates: { oldOnes: 10 } });
    const site = await serve(members);
    const { stdout, stderr } = await check(site, shopSteps(site.origin), ["--a11y", "--max-pages", "0"]);
    expect(stdout, stderr).to.match(/Complete: 120 pages checked/);
    expect(stdout)
      .to.include("duplicate-id  html, 119 elements on 119 pages")
      .and.include("image-alt  a11y critical, 119 elements on 119 pages");
    // A page that was asked for with an old name is asked for again with the new one.
    expect(members.signIns()).to.equal(1);
  });

  it("ends like an undisturbed one when crawler, checker and browser are killed", async () => {
    const members = shop({ pages: 60 });
    const kills: [at: number, what: RegExp][] = [
      [5, / crawler /],
      [40, / crawler /],
      [66, / checker .*a11y/],
      [75, /--remote-debugging-pipe/],
      [95, / checker .*a11y/],
      [110, /--remote-debugging-pipe/],
    ];
    const killed: string[] = [];
    let requests = 0;
    const product = members.routes["*"] as (...args: Parameters<RequestListener>) => void;
    members.routes["*"] = async (request, response) => {
      requests += 1;
      const [, what] = kills.find(([at]) => at === requests) ?? [];
      const hit = what && sandbox.processes().filter(({ command }) => what.test(command));
      for (const { pid } of hit ?? []) process.kill(pid, "SIGKILL");
      if (hit) killed.push(...hit.map(() => String(what)));
      await product(request, response);
    };
    const site = await serve(members);
    const { stdout, stderr } = await check(site, shopSteps(site.origin), ["--a11y", "--max-pages", "100"]);
    expect(stdout, stderr).to.match(/Complete: 61 pages checked/);
    expect(stdout)
      .to.include("duplicate-id  html, 60 elements on 60 pages")
      .and.include("image-alt  a11y critical, 60 elements on 60 pages");
    expect(new Set(killed).size, killed.join()).to.equal(3);
    expect(members.anonymous()).to.equal(0);
    // The session outlives who has begun it.
    expect(members.signIns()).to.be.within(1, 1 + killed.length);
  });

  it("checks an application whose scripts keep the session themselves", async () => {
    const app = (
      body: string,
    ) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>App</title></head><body><h1>App</h1><main></main>
      <script>const main = document.querySelector("main");
      if (localStorage.token) main.innerHTML = ${JSON.stringify(body)};
      else { main.innerHTML = "<button>Enter</button>"; main.firstChild.onclick = () => { localStorage.token = "t"; location.reload(); }; }</script></body></html>`;
    const site = await serveSite({
      "/": app('<a href="/inside">In</a>'),
      "/inside": app('<p id="in">In</p><img src="data:,">'),
    });
    sites.push(site);
    const steps = [
      { type: "navigate", url: site.url },
      { type: "click", selector: "button" },
      { type: "waitForElement", selector: "main a" },
    ];
    const { stdout, stderr } = await check(site, { steps, signed_in_when: { selector: "main a" } }, [
      "--a11y",
      "--dynamic",
    ]);
    expect(stdout, stderr).to.match(/Complete: 2 pages checked/);
    expect(stdout).to.include("image-alt  a11y critical, 1 element on 1 page");
  });

  it("says at which step nobody could sign in, and how to see the page, and tries no more", async () => {
    const members = shop();
    const site = await serve(members);
    const wrong = await check(site, shopSteps(site.origin, "wrong"));
    expect(wrong.code, wrong.stdout).to.equal(2);
    expect(wrong.stdout + wrong.stderr).to.match(/All steps were done, but http:.*\/login still asks to sign in/);
    expect(wrong.stdout + wrong.stderr).not.to.include("wrong");
    expect(wrong.stderr).to.include("add --sign-in-picture <file>.");
    expect(members.failures()).to.be.within(1, 3);
    const [open, ...rest] = shopSteps(site.origin);
    const elsewhere = await check(site, [open, { type: "click", selectors: [["#nowhere"]], timeout: 500 }, ...rest]);
    expect(elsewhere.stdout + elsewhere.stderr).to.match(
      /Step 2 \(click #nowhere\) failed: no such element was visible in http:.*\/login within 0\.5 s/,
    );
  });

  it("writes a picture of the page on which nobody could sign in", async () => {
    const site = await serve(shop());
    const file = path.join(sandbox.folder, "failed.png");
    const failed = await check(site, shopSteps(site.origin, "wrong"), ["--sign-in-picture", file], {});
    expect(failed.stderr).to.match(/Wrote .*failed.png: the page on which nobody could sign in/);
    expect((await readFile(file)).subarray(1, 4).toString()).to.equal("PNG");
  });

  it("names the steps that are wrong before it begins", async () => {
    const site = await serve(shop());
    const { code, stderr } = await check(site, [
      { type: "customStep" },
      { type: "navigate", url: "file:///etc/passwd" },
    ]);
    expect(code).to.equal(2);
    expect(stderr).to.match(/step 1: customStep runs code, .*; step 2: url must be an address that begins with http/);
    const unset = await check(site, shopSteps(site.origin, "$NOT_SET"));
    expect(unset.stderr).to.match(/--sign-in, step 3, uses \$NOT_SET, which is not set in the environment/);
  });
});
