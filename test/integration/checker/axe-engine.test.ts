import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { findChromium } from "../../../src/browser/find.ts";
import { startVisitClock } from "../../../src/browser/visit-clock.ts";
import type { EngineRunner } from "../../../src/checker/engine.ts";
import { createAxeRunner } from "../../../src/checker/engines/axe/runner.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import type { A11yIssue, CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { browserGroup, browserPids } from "../../support/browsers.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const page = (body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`;

const silent = createLogger("error", {});
silent.silent = true;
const worker = { headers: { "content-type": "text/javascript" }, body: "" };

describe("the axe engine", () => {
  let runner: EngineRunner;
  const sites: Site[] = [];

  const serve = async (routes: Routes): Promise<Site> => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  const createRunner = (spec: Partial<ReportSpec> = {}, timeLimitMs?: number): Promise<EngineRunner> =>
    createAxeRunner({
      chromePath: undefined,
      policy: addressPolicy(["127.0.0.0/8", "::1/128"]),
      spec: reportSpec(spec),
      log: createLogger("error", {}),
      ...(timeLimitMs ? { timeLimitMs } : {}),
    });
  const check = (url: string, on = runner, signal = new AbortController().signal): Promise<CheckOutcome> =>
    on.check({ url, document: undefined, spec: reportSpec() }, { signal, beforeRequest: async () => {} });
  const withRunner = async (spec: Partial<ReportSpec>, use: (on: EngineRunner) => Promise<void>, limit?: number) => {
    const on = await createRunner(spec, limit);
    try {
      await use(on);
    } finally {
      await on.close();
    }
  };

  before(async () => {
    // Unpacks npm's Chromium when run for the first time.
    runner = await createRunner();
  });
  after(async () => {
    await runner.close();
    await Promise.all(sites.map((site) => site.close()));
    expect(browserPids()).to.deep.equal([]);
  });

  it("finds the violations of a page, with one entry per element", async () => {
    const site = await serve({ "/": page('<img src="data:,"><img id="second" src="data:,">') });
    const issues = issuesOf(await check(site.url));
    const images = issues.find(({ rule }) => rule === "image-alt");
    expect(images).to.deep.include({
      impact: "critical",
      issue_type: "error",
      message: "Images must have alternative text",
    });
    expect(images?.help_url).to.match(/^https:\/\/dequeuniversity\.com\/rules\/axe\//);
    expect(images?.tags).to.include("wcag2a");
    expect(images?.html.map(({ extract, target }) => ({ extract, target }))).to.deep.equal([
      { extract: '<img src="data:,">', target: "img:nth-child(2)" },
      { extract: '<img id="second" src="data:,">', target: "#second" },
    ]);
    expect(images?.html[0]?.failure_summary).to.contain("Element does not have an alt attribute");
  });

  it("retries when the site is busy, and accepts its third response as it is", async () => {
    let asked = 0;
    const busy = (times: number) => (_request: IncomingMessage, response: ServerResponse) => {
      asked += 1;
      if (asked <= times) response.writeHead(429, { "retry-after": "0" }).end();
      else response.writeHead(200, { "content-type": "text/html" }).end(page("<p>At last.</p>"));
    };
    const site = await serve({ "/twice": busy(2), "/ever": busy(99) });
    expect(await check(`${site.url}twice`)).to.deep.include({ kind: "a11y", issues: [], httpStatus: 200 });
    expect(asked).to.equal(3);
    asked = 0;
    const refused = await check(`${site.url}ever`);
    expect(refused).to.deep.include({ kind: "a11y", httpStatus: 429 });
    expect(refused).to.have.nested.property("failure.code", "http_error");
    expect(asked).to.equal(3);
  });

  it("finds nothing on a page without errors", async () => {
    const site = await serve({ "/": page("<p>All is well.</p>") });
    expect(await check(site.url)).to.deep.include({ kind: "a11y", issues: [] });
  });

  it("checks frames of this and of other sites, and shadow roots", async () => {
    const other = await serve({ "/": page('<img id="there" src="data:,">') });
    const elsewhere = other.url.replace("127.0.0.1", "localhost");
    const site = await serve({
      "/": page(`<iframe title="inner" id="inner" src="/inner"></iframe><iframe title="other" id="other" src="${elsewhere}"></iframe>
        <div id="host"></div><script>host.attachShadow({ mode: "open" }).innerHTML = '<img id="shadow" src="data:,">'</script>`),
      "/inner": page(
        `<img id="here" src="data:,"><iframe id="deep" title="deep" srcdoc="<img id=deepest src='data:,'>"></iframe>`,
      ),
    });
    const targets = issuesOf(await check(site.url))
      .filter(({ rule }) => rule === "image-alt")
      .flatMap(({ html }) => html.map(({ target }) => target));
    expect(targets).to.have.members([
      "#inner >>> #here",
      "#inner >>> #deep >>> #deepest",
      "#other >>> #there",
      "#host >>> #shadow",
    ]);
  });

  it("keeps incomplete results for review only when the report sets it", async () => {
    const unsure = page(
      '<p style="display: inline-block; background: linear-gradient(90deg, #fff, #000); color: #fff">Hard to tell, as it goes on and on</p>',
    );
    const site = await serve({ "/": unsure });
    expect(issuesOf(await check(site.url))).to.deep.equal([]);
    await withRunner({ storeIncompleteChecks: true }, async (on) => {
      const [issue] = issuesOf(await check(site.url, on));
      expect(issue).to.deep.include({ rule: "color-contrast", issue_type: "warning" });
    });
  });

  it("says what it measured of the contrast of a text, and nothing of it for other rules", async () => {
    const site = await serve({
      "/": page('<p style="color: #999; background: #fff; font: bold 20px serif">Grey</p><img src="data:,">'),
    });
    const contrasts = issuesOf(await check(site.url)).map(({ rule, html }) => [rule, html[0]?.contrast]);
    expect(Object.fromEntries(contrasts)).to.deep.equal({
      "image-alt": undefined,
      "color-contrast": {
        ...{ ratio: 2.84, required: 3, foreground: "#999999", background: "#ffffff", shadow: null },
        ...{ font_size: 20, font_weight: "bold" },
      },
    });
  });

  it("judges the contrast of a single letter, measures what is over images and gradients, and leaves signs to a person", async () => {
    const grey = "color: #999; background: #fff";
    const site = await serve({
      "/": page(`<p id="letter" style="${grey}">a</p><form id="digit" style="${grey}">7<input name="childNodes" aria-label="x"></form>
        <p id="sign" style="${grey}">×</p><p id="dark" style="color: #000; background: #fff">b</p>
        <p id="image" style="color: #999; background: url(data:,)">c</p>
        <p id="gradient" style="color: #999; background: linear-gradient(#fff, #eee)">d</p>
        <p id="enough" style="color: #fff; background: linear-gradient(#222, #444)">Bread of the day</p>
        <p id="half" style="color: #fff; background: linear-gradient(90deg, #000, #fff)">Bread of the day, by bicycle, ${"every morning ".repeat(12)}</p>
        ${["opacity: 0.9", "filter: contrast(3)", "mix-blend-mode: darken"].map((style, n) => `<div style="${style}"><p id="changed-${n}" style="${grey}">e</p></div>`).join("")}`),
    });
    await withRunner({ storeIncompleteChecks: true }, async (on) => {
      const found = issuesOf(await check(site.url, on)).map(({ rule, issue_type, html }) => [
        ...[rule, issue_type, html.map(({ target }) => target)],
      ]);
      expect(found).to.deep.equal([
        ["color-contrast", "error", ["#letter", "#digit", "#image", "#gradient"]],
        ["color-contrast", "warning", ["#sign", "#half", "#changed-0", "#changed-1", "#changed-2"]],
      ]);
    });
    expect(issuesOf(await check(site.url)).map(({ html }) => html.map(({ target }) => target))).to.deep.equal([
      ["#letter", "#digit"],
    ]);
  });

  it("finds pages that are locked to an orientation, and asks for no review where that cannot be told", async () => {
    const site = await serve({
      "/": page("<p>Turned</p>", "<style>@media (orientation: portrait) { html { transform: rotate(90deg) } }</style>"),
      "/free": page("<p>Free, without styles</p>"),
    });
    await withRunner({ storeIncompleteChecks: true }, async (on) => {
      const found = issuesOf(await check(site.url, on)).map(({ rule, issue_type }) => [rule, issue_type]);
      expect(found).to.deep.equal([["css-orientation-lock", "error"]]);
      expect(issuesOf(await check(`${site.url}free`, on))).to.deep.equal([]);
    });
  });

  it("reports the HTTP status of the response", async () => {
    const site = await serve({
      "/": page("<p>Fine</p>"),
      "/moved": { status: 302, headers: { location: "/" } },
      "/closed": (_request, response) => void response.destroy(),
    });
    const statuses = [];
    for (const path of ["", "moved", "nowhere", "closed"]) statuses.push((await check(site.url + path)).httpStatus);
    expect(statuses).to.deep.equal([200, 200, 404, null]);
  });

  it("keeps the raw result and a screenshot only when the report sets it", async () => {
    const site = await serve({ "/": page('<p style="height: 1500px">tall</p><p style="height: 30000px">taller</p>') });
    expect(await check(site.url)).to.not.have.any.keys("raw", "screenshot");
    await withRunner({ storeRawA11yChecks: true, storeScreenshot: true }, async (on) => {
      const outcome = await check(site.url, on);
      if (!("raw" in outcome) || outcome.kind !== "a11y") throw new Error("no raw result");
      const raw = outcome.raw as { passes: { nodes: unknown[] }[]; url: string };
      expect(raw.url).to.equal(site.url);
      expect(Math.max(...raw.passes.map(({ nodes }) => nodes.length))).to.be.above(1);
      const png = Buffer.from(outcome.screenshot?.png ?? []);
      expect(png.subarray(1, 4).toString()).to.equal("PNG");
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([800, 8000]);
    });
  });

  it("emulates the device, rotated if the report sets it", async () => {
    const seen: string[] = [];
    const site = await serve({
      "/": page(
        `<img id="seen" alt=""><script>seen.src = "/seen?" + [innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints].join("x")</script>`,
        '<meta name="viewport" content="width=device-width">',
      ),
      "/seen": (request, response) => {
        seen.push(`${request.url} ${/iPhone/.test(request.headers["user-agent"] ?? "")}`);
        response.end();
      },
    });
    const { findDevice, listDevices } = await import("../../../src/browser/devices.ts");
    const phone = (await listDevices()).find(({ name }) => name === "iPhone 8");
    expect(await findDevice(phone?.id ?? "")).to.equal(phone);
    await check(site.url);
    await withRunner({ deviceId: phone?.id ?? "" }, async (on) => void (await check(site.url, on)));
    await withRunner(
      { deviceId: phone?.id ?? "", deviceRotated: true },
      async (on) => void (await check(site.url, on)),
    );
    expect(seen).to.deep.equal(["/seen?800x600x1x0 false", "/seen?375x667x2x5 true", "/seen?667x375x2x5 true"]);
  });

  it("does not let a page change what axe-core sees or says", async () => {
    const site = await serve({
      "/": page(
        '<img src="data:,">',
        `<script>
          window.axe = { run: async () => ({ violations: [] }), runPartial: async () => ({ results: [] }), finishRun: async () => ({ violations: [] }) };
          Object.freeze(window.axe);
          document.querySelectorAll = () => []; Element.prototype.matches = () => false;
          Array.prototype.map = () => []; JSON.stringify = () => "{}"; window.Promise = null; Element.prototype.getAttribute = () => "fine";
        </script>`,
      ),
    });
    expect(issuesOf(await check(site.url)).map(({ rule }) => rule)).to.deep.equal(["image-alt"]);
  });

  it("checks each page with no memory of the one before", async () => {
    const stores = `
      const reports = [];
      const collect = (name, found) => { if (found) reports.push(name); };
      const look = async () => {
        collect("cookie", document.cookie);
        collect("local", localStorage.a); collect("session", sessionStorage.a); collect("name", window.name); collect("history", history.length > 3 /* blank, page, and what page and frame push */);
        collect("cache", (await caches.keys()).length); collect("database", (await indexedDB.databases()).length);
        collect("worker", (await navigator.serviceWorker.getRegistrations()).length);
      };
      const store = async () => {
        document.cookie = "a=1; max-age=9999"; localStorage.a = sessionStorage.a = 1; window.name = "a"; history.pushState({}, "");
        await (await caches.open("a")).put("/a", new Response("a"));
        await new Promise((resolve) => { const opening = indexedDB.open("a"); opening.onsuccess = () => { opening.result.close(); resolve() } });
        await navigator.serviceWorker.register("/worker.js");
      };
      look().then(store).then(() => fetch("/found", { method: "POST", body: reports.join() }), (error) => fetch("/found", { method: "POST", body: String(error) }));`;
    const reports: string[] = [];
    const collect = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      reports.push(Buffer.concat(await request.toArray()).toString());
      response.end();
    };
    // The load event is delayed until the page and the frame have reported.
    let visits = 0;
    const held = async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
      visits += 1;
      await eventually(() => response.closed || reports.length >= 2 * visits);
      response.setHeader("cache-control", "no-store").end();
    };
    const other = await serve({ "/": page(`<script>${stores}</script>`), "/found": collect, "/worker.js": worker });
    const elsewhere = other.url.replace("127.0.0.1", "localhost");
    const site = await serve({
      "/": page(`<iframe title="a" src="${elsewhere}"></iframe><img src="/held" alt=""><script>${stores}</script>`),
      "/found": collect,
      "/held": held,
      "/worker.js": worker,
    });
    await check(site.url);
    await check(site.url);
    await check(`${site.url}?again`);
    expect(reports).to.deep.equal(["", "", "", "", "", ""]);
  });

  it("waits for what scripts load after the load event", async () => {
    const site = await serve({
      "/": page(
        "<script>onload = async () => { const text = await (await fetch('/late')).text(); document.querySelector('main').innerHTML += text }</script>",
      ),
      "/late": { body: '<img src="data:,">', delayMs: 300 },
    });
    expect(issuesOf(await check(site.url)).map(({ rule }) => rule)).to.deep.equal(["image-alt"]);
  });

  const failures: { name: string; routes: Routes; path?: string; code: string; detail: RegExp }[] = [
    { name: "an error status", routes: {}, code: "http_error", detail: /status 404/ },
    {
      name: "something that is not HTML",
      routes: { "/": { headers: { "content-type": "text/plain" }, body: "text" } },
      code: "not_html",
      detail: /text\/plain/,
    },
    {
      name: "a download",
      routes: { "/": { headers: { "content-disposition": "attachment; filename=a.html" }, body: "<p>" } },
      code: "not_html",
      detail: /download/,
    },
    {
      name: "a redirect to another site",
      routes: { "/": { status: 302, headers: { location: "http://example.org/" } } },
      code: "off_site",
      detail: /example\.org/,
    },
    {
      name: "a redirect to another page of the site",
      routes: { "/": { status: 302, headers: { location: "/other" } }, "/other": page("<img src=x>") },
      code: "redirected",
      detail: /\/other\.$/,
    },
    {
      name: "a page that a script replaces",
      routes: { "/": page('<script>location.replace("/other")</script>'), "/other": page("<img src=x>") },
      code: "redirected",
      detail: /\/other\.$/,
    },
    {
      name: "a page that a refresh of few seconds replaces",
      routes: {
        "/": page("<img src=x>", '<meta http-equiv="refresh" content="1; url=/other">'),
        "/other": page("<img src=x>"),
      },
      code: "redirected",
      detail: /\/other\.$/,
    },
    {
      name: "a script that leads to a server that does not respond",
      routes: {
        "/": page('<script>location = "/closed"</script>'),
        "/closed": (request) => void request.socket.destroy(),
      },
      code: "unreachable",
      detail: /^[^,]*\/closed/,
    },
    {
      name: "a circle of redirects",
      routes: { "/": { status: 302, headers: { location: "/" } } },
      code: "too_many_redirects",
      detail: /5 times/,
    },
    {
      name: "a connection that breaks",
      routes: { "/": (request) => void request.socket.destroy() },
      code: "unreachable",
      detail: /ECONNRESET/,
    },
    {
      name: "a document past the size limit",
      routes: { "/": page(`<!-- ${"x".repeat(11 * 1024 * 1024)} -->`) },
      code: "too_large",
      detail: /10 MB/,
    },
  ];
  for (const { name, routes, code, detail } of failures) {
    it(`fails with ${code} for ${name}, and continues`, async () => {
      const site = await serve({ ...routes, "/fine": page("") });
      const [outcome, fine] = await Promise.all([check(site.url), check(`${site.origin}/fine`)]);
      if (!("failure" in outcome)) throw new Error(`no failure: ${JSON.stringify(outcome)}`);
      expect(outcome.failure.code).to.equal(code);
      expect(outcome.failure.detail).to.match(detail);
      expect(fine).to.deep.include({ kind: "a11y", issues: [] });
    });
  }

  it("ends pages that hang at their time limit, together with their processes", async () => {
    const site = await serve({
      "/silent": () => {},
      "/endless": page("<script>while (true);</script>"),
      "/alerts": page("<script>while (true) alert(1)</script>"),
      "/later": page("<script>onload = () => setTimeout(() => { while (true); }, 10)</script>"),
      "/fine": page(""),
    });
    const hang = async (on: EngineRunner): Promise<void> => {
      const outcomes = await Promise.all(
        ["silent", "endless", "alerts", "later"].map((path) => check(`${site.origin}/${path}`, on)),
      );
      for (const outcome of outcomes) expect(outcome).to.have.nested.property("failure.code", "timeout");
      const fails = async (path: string, detail: string) => {
        const outcome = await check(`${site.origin}/${path}`, on);
        const within = /^(.*) within (?:2 s|6 s by the clock .*)\.$/;
        return "failure" in outcome && within.exec(outcome.failure.detail)?.[1] === `${site.origin}/${path} ${detail}`;
      };
      // On a busy machine the time may be over before the page is requested or received.
      await eventually(() => fails("silent", "did not respond"));
      await eventually(() => fails("later", "was received, but the page did not finish"));
      await eventually(() => browserPids().every((pid) => renderers(pid) <= 2));
      // On a busy machine even a good page may exceed its time limit once.
      await eventually(async () => "issues" in (await check(`${site.origin}/fine`, on)));
    };
    await withRunner({}, hang, 2_000);
  });

  it("says of a page whose browser is frozen that it may be checked again, and not so of a silent server", async () => {
    const site = await serve({ "/silent": () => {}, "/fine": page("") });
    const others = browserPids();
    await withRunner(
      {},
      async (on) => {
        await eventually(async () => "issues" in (await check(`${site.origin}/fine`, on)));
        for (const pid of browserPids()) if (!others.includes(pid)) process.kill(pid, "SIGSTOP");
        const frozen = await check(`${site.origin}/fine`, on);
        expect(frozen).to.deep.include({ deadlineExceeded: true });
        expect(frozen).to.have.nested.property("failure.code", "timeout");
        // The browser that hangs is killed, and another one takes its place.
        await eventually(async () => "issues" in (await check(`${site.origin}/fine`, on)));
        const silent = await check(`${site.origin}/silent`, on);
        expect(silent).to.have.nested.property("failure.code", "timeout");
        expect(silent).not.to.have.property("deadlineExceeded");
      },
      2_000,
    );
  });

  it("fails for addresses that are not allowed, by name and by number, without connecting", async () => {
    const site = await serve({ "/": page("") });
    const on = await createAxeRunner({
      chromePath: undefined,
      policy: addressPolicy([]),
      spec: reportSpec(),
      log: createLogger("error", {}),
    });
    try {
      for (const url of [
        site.url,
        site.url.replace("127.0.0.1", "localhost"),
        site.url.replace("127.0.0.1", "[::1]"),
      ]) {
        expect(await check(url, on), url).to.have.nested.property("failure.code", "blocked_address");
      }
    } finally {
      await on.close();
    }
    expect(site.requests).to.deep.equal([]);
  });

  it("follows a page's own navigations, but only a few and within the site", async () => {
    const site = await serve({
      "/": page("", '<meta http-equiv="refresh" content="0; url=/second">'),
      "/second": page('<img src="data:,"><script>setInterval(() => { location = "/third" }, 30)</script>'),
      "/third": page('<script>onload = () => { location = "/third?" + Math.random() }</script>'),
      "/away": page('<script>location = "http://example.org/"</script>'),
    });
    expect(await check(site.url)).to.have.any.keys("issues", "failure");
    const code = (outcome: CheckOutcome) => "failure" in outcome && outcome.failure.code;
    expect(code(await check(`${site.origin}/third`))).to.equal("too_many_redirects");
    expect(code(await check(`${site.origin}/away`))).to.equal("off_site");
  });

  it("sends its request when it has its slot of the rate limit, and does not count the wait as the page's time", async () => {
    const site = await serve({ "/": page("") });
    const impatient = await createRunner({}, 4_000);
    try {
      const released = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const checking = impatient.check(
        { url: site.url, document: undefined, spec: reportSpec() },
        {
          signal: new AbortController().signal,
          beforeRequest: () => {
            asked.resolve();
            return released.promise;
          },
        },
      );
      await asked.promise;
      // Longer than a page may take by the clock, were it counted.
      const other = Promise.withResolvers<void>();
      startVisitClock(0, 4_500, () => other.resolve());
      await other.promise;
      expect(site.requests).to.have.length(0);
      released.resolve();
      expect(await checking).to.deep.include({ kind: "a11y", issues: [] });
      expect(site.requests).to.have.length(1);
    } finally {
      await impatient.close();
    }
  });

  it("waits for the rate limit before every request of the page", async () => {
    const site = await serve({
      "/": { status: 302, headers: { location: "/next" } },
      "/next": page('<img alt="" src="/a.png">'),
    });
    let asked = 0;
    await runner.check(
      { url: site.url, document: undefined, spec: reportSpec() },
      {
        signal: new AbortController().signal,
        beforeRequest: async () => {
          asked += 1;
        },
      },
    );
    expect(asked).to.equal(2);
  });

  it("checks a page again when its browser is killed", async () => {
    let requests = 0;
    const site = await serve({
      "/": (_request, response) => {
        requests += 1;
        if (requests === 1) for (const pid of browserPids()) process.kill(pid, "SIGKILL");
        else response.setHeader("content-type", "text/html").end(page(""));
      },
    });
    let slots = 0;
    const beforeRequest = async () => {
      slots += 1;
    };
    const { signal } = new AbortController();
    const task = { url: site.url, document: undefined, spec: reportSpec() };
    expect(await runner.check(task, { signal, beforeRequest })).to.deep.include({ kind: "a11y", issues: [] });
    expect({ requests, slots }).to.deep.equal({ requests: 2, slots: 2 });
  });

  describe("when a browser cannot be started again", () => {
    let folder: string;
    /** No browser starts while this file exists. */
    let broken: string;
    let killed: string;
    let starts: string;
    let own: EngineRunner;

    const open = async (restartTimeoutMs?: number): Promise<void> => {
      const chromium = await findChromium(undefined);
      const script = path.join(folder, "chromium");
      await writeFile(
        script,
        `#!/bin/sh\necho x >>"${starts}"\n[ -e "${broken}" ] && exit 1\n[ -e "${killed}" ] && kill -KILL $$\nexec "${chromium.path}" "$@"\n`,
      );
      await chmod(script, 0o755);
      own = await createAxeRunner({
        chromePath: script,
        policy: addressPolicy(["127.0.0.0/8"]),
        spec: reportSpec(),
        log: silent,
        ...(restartTimeoutMs === undefined ? {} : { restartTimeoutMs }),
      });
    };
    const killBrowsers = (): void => {
      for (const pid of browserPids()) process.kill(pid, "SIGKILL");
    };

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "sv-broken-"));
      await chmod(folder, 0o777);
      broken = path.join(folder, "broken");
      killed = path.join(folder, "killed");
      starts = path.join(folder, "starts");
      await writeFile(starts, "");
      await chmod(starts, 0o666);
    });
    afterEach(async () => {
      await own.close();
      await rm(folder, { recursive: true });
    });

    it("retries until it can, without failing a page", async () => {
      const site = await serve({ "/": page("") });
      await open();
      await writeFile(broken, "");
      const before = (await readFile(starts, "utf8")).length;
      killBrowsers();
      const outcome = check(site.url, own);
      await eventually(async () => (await readFile(starts, "utf8")).length > before + 2);
      await rm(broken);
      expect(await outcome).to.deep.include({ kind: "a11y", issues: [] });
    });

    it("retries its first start, too, when it is killed during it", async () => {
      const site = await serve({ "/": page("") });
      await writeFile(killed, "");
      const opening = open();
      await eventually(async () => (await readFile(starts, "utf8")).length > 4);
      await rm(killed);
      await opening;
      expect(await check(site.url, own)).to.deep.include({ kind: "a11y", issues: [] });
    });

    it("reports after a while that the environment is broken, without failing a page", async () => {
      const site = await serve({ "/": page("") });
      await open(0);
      await writeFile(broken, "");
      killBrowsers();
      const error = await check(site.url, own).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(BrokenEnvironmentError);
    });
  });

  it("fails with browser_crashed for a page that kills every browser, and continues", async () => {
    const site = await serve({
      "/": () => {
        for (const pid of browserPids()) process.kill(pid, "SIGKILL");
      },
      "/fine": page(""),
    });
    expect(await check(site.url)).to.have.nested.property("failure.code", "browser_crashed");
    expect(await check(`${site.origin}/fine`)).to.deep.include({ kind: "a11y", issues: [] });
  });

  it("fails with browser_crashed for a page whose process ends, and continues", async () => {
    const killRenderers = (): void => {
      for (const browser of browserPids()) {
        for (const { pid, command } of browserGroup(browser)) {
          if (command.includes("--type=renderer")) process.kill(pid, "SIGKILL");
        }
      }
    };
    const site = await serve({
      "/": page('<script>fetch("/kill"); onload = () => setInterval(() => fetch("/kill"), 20)</script>'),
      "/kill": killRenderers,
      "/fine": page(""),
    });
    expect(await check(site.url)).to.have.nested.property("failure.code", "browser_crashed");
    expect(await check(`${site.origin}/fine`)).to.deep.include({ kind: "a11y", issues: [] });
  });

  it("stops at once when the signal aborts", async () => {
    const stop = new AbortController();
    const site = await serve({ "/": () => stop.abort(new Error("stopped by the test")) });
    const error = await check(site.url, runner, stop.signal).then(
      () => undefined,
      (reason) => reason,
    );
    expect(error).to.have.property("message", "stopped by the test");
  });
});

function issuesOf(outcome: CheckOutcome): A11yIssue[] {
  if ("failure" in outcome) throw new Error(`failed: ${outcome.failure.code} ${outcome.failure.detail}`);
  if (outcome.kind !== "a11y") throw new Error("an outcome of the other kind");
  return outcome.issues as A11yIssue[];
}

function renderers(browser: number): number {
  return browserGroup(browser).filter(({ command }) => command.includes("--type=renderer")).length;
}
