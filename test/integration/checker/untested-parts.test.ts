import { expect } from "chai";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import type { SiteCredentials } from "../../../src/domain/headers/site-credentials.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { fixtureSites } from "../../support/crawl.ts";
import type { Route, Routes, Site } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const page = (body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`;
const inner = '<!DOCTYPE html><html lang="en"><title>Inner</title><img id="inner" src="data:,"></html>';
const never: Route = () => {};
const drip: Route = (_request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.write("<!DOCTYPE html><title>d</title><img src='data:,'><p>");
};
const bad = '<img src="data:,">';
const sandbox = (value: string): Route => ({ headers: { "content-security-policy": value }, body: page(bad) });

describe("what accessibility checks do not test", () => {
  let runner: EngineRunner;
  const sites = fixtureSites();
  const spec = reportSpec({ storeRawA11yChecks: true, storeIncompleteChecks: true });

  const open = (site?: Site, credentials?: Omit<SiteCredentials, "host">, timeLimitMs?: number) =>
    createAxeRunner({
      ...{ chromePath: undefined, policy: addressPolicy(["127.0.0.0/8", "::1/128"]) },
      spec: site ? { ...spec, startingUrl: site.url } : spec,
      log: createLogger("error", {}),
      ...(site && credentials && { credentials: { host: new URL(site.url).host, ...credentials } }),
      ...(timeLimitMs !== undefined && { timeLimitMs }),
    });

  before(async () => {
    // Pages side by side in one browser each count all that it computes, and a few wait for nearly 20 s.
    runner = await open(undefined, undefined, limitOf(30));
  });
  after(async () => {
    await sites.close();
    await runner.close();
  });

  const check = async (routes: Routes, path = "/", on = runner, showsSignIn = false) => {
    const site = await sites.serve(routes);
    const task = { url: site.origin + path, document: undefined, spec, showsSignIn };
    const outcome = await on.check(task, { signal: new AbortController().signal, beforeRequest: async () => {} });
    if ("failure" in outcome)
      return { failure: outcome.failure, rules: [], notices: {} as Record<string, string>, passes: [] };
    const raw = outcome.raw as { passes: { id: string; nodes: { target: string[] }[] }[] };
    return {
      failure: undefined,
      rules: outcome.issues.filter(({ issue_type }) => issue_type === "error").map(({ rule }) => rule),
      notices: Object.fromEntries<string>(
        (outcome.notices ?? []).map(({ code, howMany, detail }) => [
          code,
          `${howMany}: ${detail.replaceAll(site.origin, "")}`,
        ]),
      ),
      /** The frames of which the raw result says that something in them, or they themselves, passed. */
      passes: [
        ...new Set(
          raw.passes.flatMap(({ id, nodes }) =>
            nodes.flatMap(({ target }) =>
              target.length > 1 || id === "frame-tested" ? [String(target[0]).replace(/^iframe/, "")] : [],
            ),
          ),
        ),
      ],
    };
  };

  describe("of frames", () => {
    const frames: [name: string, frame: string, says: RegExp, others?: true][] = [
      ["that never respond", '<iframe title="a" src="/never"></iframe>', /^1: \/never: its document was never loaded/],
      [
        "that are lazy and far away",
        '<div style="height: 300000px"></div><iframe title="a" loading="lazy" src="/inner"></iframe>',
        /^1: \/inner: .*never loaded/,
      ],
      [
        "that are still loading",
        '<iframe title="a" src="/drip"></iframe>',
        /^1: \/drip: its document was still loading/,
      ],
      [
        "that cannot be loaded",
        '<iframe title="a" src="/closed"></iframe>',
        /^1: \/closed: its document could not be loaded/,
      ],
      [
        "whose element is a sandbox",
        '<iframe title="a" sandbox="allow-same-origin" src="/inner"></iframe>',
        /^1: \/inner: its sandbox forbids scripts/,
      ],
      [
        "whose document is a sandbox",
        '<iframe title="a" src="/csp"></iframe>',
        /^1: \/csp: its sandbox forbids scripts/,
      ],
      [
        "in a sandbox with srcdoc",
        `<iframe title="a" sandbox srcdoc="${bad.replaceAll('"', "'")}"></iframe>`,
        /^1: about:srcdoc: its sandbox/,
      ],
    ];
    const elsewhere = async () => {
      const { origin } = await sites.serve({ "*": never });
      const other = origin.replace("127.0.0.1", "localhost");
      const inOther = `<iframe title="a" src="${other}/1"></iframe><iframe title="b" src="${other}/2"></iframe>`;
      return check({
        "/": page(`${inOther}<iframe title="c" src="/inner"></iframe><iframe title="d" sandbox src="/inner"></iframe>`),
        "/inner": inner,
      });
    };
    const routes: Routes = {
      ...{ "/inner": inner, "/never": never, "/drip": drip, "/csp": sandbox("sandbox") },
      "/closed": (request) => void request.socket.destroy(),
    };
    let checks: ReturnType<typeof check>[];
    let ofOtherSites: ReturnType<typeof check>;
    // Side by side, because a page is waited for as long as a frame of it is loading.
    before(() => {
      checks = frames.map(([, frame]) => check({ ...routes, "/": page(bad + frame, "<script></script>") }));
      ofOtherSites = elsewhere();
      for (const checking of [...checks, ofOtherSites]) checking.catch(() => {});
    });

    for (const [index, [name, , says]] of frames.entries())
      it(`says which were not tested, and claims nothing of them: those ${name}`, async () => {
        const { failure, notices, passes } = (await checks[index]) ?? expect.fail();
        expect(failure).to.equal(undefined);
        expect(notices).to.have.all.keys("frames_not_tested");
        expect(notices.frames_not_tested).to.match(says);
        expect(passes).to.deep.equal([]);
      }).timeout(limitOf(60));

    it("has a note for those of other sites, and counts each kind", async () => {
      const { notices } = await ofOtherSites;
      expect(notices).to.have.all.keys("frames_not_tested", "other_frames_not_tested");
      expect(notices.frames_not_tested).to.match(/^1: \/inner/);
      expect(notices.other_frames_not_tested).to.match(
        /^2: http:\/\/localhost:\d+\/1: .*, and 1 more, such as http.*\/2: /,
      );
    }).timeout(limitOf(60));

    it("has nothing to say about frames that are hidden, empty, or written by a script", async () => {
      const { notices, rules } = await check({
        "/": page(
          `<iframe title="a" hidden src="/never"></iframe><iframe title="b"></iframe><iframe title="c" src="about:blank"></iframe>
           <iframe title="d" id="d"></iframe><script>d.contentDocument.write("<img src='data:,'>"); d.contentDocument.close()</script>`,
        ),
        "/never": { status: 204 },
      });
      expect(notices).to.deep.equal({});
      expect(rules).to.include("image-alt");
    });

    it("says of hundreds of frames how many there are, in little time", async () => {
      const { notices } = await check({ "/": page('<iframe title="a" srcdoc="x"></iframe>'.repeat(300)) });
      expect(notices.frames_not_tested).to.match(/^250: A frame: the page has more than 50 frames, and 249 more/);
    }).timeout(limitOf(60));
  });

  describe("of late content", () => {
    const late: [name: string, body: string][] = [
      [
        "a lazy frame far down",
        '<div style="height: 20000px"></div><iframe title="a" loading="lazy" src="/inner"></iframe>',
      ],
      [
        "what is inserted when it is seen",
        `<div style="height: 6000px"></div><div id="o">x</div><script>new IntersectionObserver((seen) => { if (seen[0].isIntersecting) o.innerHTML = '${bad}' }).observe(o)</script>`,
      ],
      [
        "what is inserted when it is seen, in an element that scrolls",
        `<div style="position: fixed; inset: 0; overflow: auto"><div style="height: 6000px"></div><div id="o">x</div></div><script>new IntersectionObserver((seen) => { if (seen[0].isIntersecting) o.innerHTML = '${bad}' }).observe(o)</script>`,
      ],
      [
        "what a request brings that is sent on scrolling",
        `<div style="height: 6000px"></div><div id="o">x</div><script>addEventListener("scroll", () => fetch("/late").then((r) => r.text()).then((text) => { o.innerHTML = text }), { once: true })</script>`,
      ],
      [
        "what a timer of two seconds adds",
        `<div id="o"></div><script>setTimeout(() => { o.innerHTML = '${bad}' }, 2000)</script>`,
      ],
    ];
    for (const [name, body] of late)
      it(`tests ${name}`, async () => {
        const { rules, notices } = await check({
          "/": page(body),
          "/inner": inner,
          "/late": { body: bad, delayMs: 300 },
        });
        expect(rules).to.include("image-alt");
        expect(notices).to.deep.equal({});
      });

    it("is back at the top, smooth scrolling or not", async () => {
      const seen: string[] = [];
      const { rules } = await check({
        "/": page(
          `<div style="height: 3000px"></div><script>let last = 0; addEventListener("scroll", () => { last = Math.max(last, scrollY); if (scrollY === 0 && last > 1000) fetch("/top") })</script>`,
          "<style>html { scroll-behavior: smooth }</style>",
        ),
        "/top": (_request, response) => {
          seen.push("top");
          response.end();
        },
      });
      expect(rules).to.deep.equal([]);
      expect(seen).to.have.length.above(0);
    });

    it("says when elements are added after the page was judged", async () => {
      const { notices, rules } = await check({
        "/": page(
          `<div id="o"></div><script>fetch("/late").then((r) => r.text()).then((text) => { o.innerHTML = text })</script>`,
        ),
        "/late": { body: '<p id="new">x</p>', delayMs: 4_500 },
      });
      expect(rules).to.deep.equal([]);
      expect(notices).to.deep.equal({ document_changed: '1: <p id="new"> was added.' });
    });

    it("says when a timer of more than two seconds adds elements", async () => {
      const { notices } = await check({
        "/": page(`<div id="o"></div><script>setTimeout(() => { o.innerHTML = "<ul><li>x</ul>" }, 3500)</script>`),
      });
      expect(notices).to.deep.equal({ document_changed: "1: <ul> was added." });
    });

    it("does not mind clocks, carousels and requests that never end", async () => {
      const { notices } = await check({
        "/": page(
          `<p id="clock">0</p><p id="slide" class="a">x</p><script>setInterval(() => { clock.textContent = Date.now(); slide.className += "b" }, 50); fetch("/never")</script>`,
        ),
        "/never": never,
      });
      expect(notices).to.deep.equal({});
    });

    it("scrolls a page without an end no further than its limit", async () => {
      const { failure } = await check({
        "/": page(
          `<div id="o" style="height: 5000px"></div><script>addEventListener("scroll", () => { o.style.height = scrollY + 9000 + "px" })</script>`,
        ),
      });
      expect(failure).to.equal(undefined);
    });
  });

  describe("because a policy forbids it", () => {
    for (const policy of [
      "sandbox",
      "default-src 'self'; Sandbox allow-forms",
      "script-src 'none', sandbox allow-same-origin",
    ])
      it(`fails with that reason: ${policy}`, async () => {
        const { failure } = await check({ "/": sandbox(policy) });
        expect(failure?.code).to.equal("scripts_blocked");
        expect(failure?.detail).to.include("allow-scripts");
      });
    for (const policy of [
      "sandbox allow-scripts",
      "default-src 'none'",
      "require-trusted-types-for 'script'; trusted-types 'none'",
    ])
      it(`tests a page with another policy: ${policy}`, async () => {
        expect((await check({ "/": sandbox(policy) })).rules).to.include("image-alt");
      });
  });

  describe("of a report with credentials", () => {
    const form = page(
      '<form><input name="user"><input type="password" name="p"><button>Log in</button></form>',
    ).replace(/A page/g, "Log in");
    const checkInSession = async (routes: Routes, showsSignIn = false) => {
      const signedIn = await open(await sites.serve({}), { headers: [{ name: "Cookie", value: "a=b" }] });
      try {
        return await check(routes, "/a", signedIn, showsSignIn);
      } finally {
        await signedIn.close();
      }
    };

    it("fails with login_required if the page redirects to a sign-in, because the session has ended", async () => {
      const { failure } = await checkInSession({
        "/a": { status: 302, headers: { location: "/login" } },
        "/login": form,
      });
      expect(failure?.code).to.equal("login_required");
    });

    it("fails with login_required if it is a form to sign in, where the crawler saw none", async () => {
      const { failure } = await checkInSession({ "/a": form });
      expect(failure?.code).to.equal("login_required");
      expect(failure?.detail).to.match(/\/a shows a form to sign in now\.$/);
    });

    it("is tested if the crawler saw its form to sign in, too: the whole site may have it", async () => {
      expect(await checkInSession({ "/a": form }, true)).to.have.property("failure", undefined);
    });
  });
});
