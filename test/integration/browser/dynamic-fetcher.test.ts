import { expect } from "chai";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "../../../src/crawler/page-fetcher.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { judgeUrl } from "../../../src/domain/scope/url-scope.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { browserPids } from "../../support/browsers.ts";
import { reportSpec } from "../../support/builders.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

describe("the dynamic fetcher", () => {
  let fetcher: PageFetcher;
  const sites: Site[] = [];

  const serve = async (routes: Routes): Promise<Site> => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  const fetchPage = (url: string, options: Partial<FetchOptions> = {}): Promise<FetchedPage> =>
    fetcher.fetch(url, { signal: new AbortController().signal, beforeRequest: async () => {}, ...options });
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error) => error,
    );

  const settings = {
    chromePath: undefined,
    policy: addressPolicy(["127.0.0.0/8", "::1/128"]),
    spec: reportSpec(),
    log: createLogger("error", {}),
  };

  before(async () => {
    fetcher = await createDynamicFetcher(settings);
  });
  after(async () => {
    await fetcher.close();
    await Promise.all(sites.map((site) => site.close()));
    expect(browserPids()).to.deep.equal([]);
  });

  it("follows scripts that replace a page while it loads, and says so", async () => {
    const to = (script: string) =>
      `<!DOCTYPE html><title>Old</title><a href="/old-link">x</a><script>${script}</script>`;
    const site = await serve({
      "/replace": to('location.replace("/new")'),
      "/load": to('onload = () => { location = "/new#part" }'),
      "/fetched": to('fetch("/where").then((found) => found.text()).then((where) => { location.href = where })'),
      "/where": { body: "/new", delayMs: 50 },
      "/form": `${to("onload = () => f.submit()")}<form id="f" action="/new"></form>`,
      "/download": to('location = "/file"'),
      "/file": { headers: { "content-disposition": "attachment" }, body: "x" },
      "/state": to('history.replaceState(null, "", "/elsewhere"); location.hash = "part"'),
      "/new": "<!DOCTYPE html><title>New</title><a href=/new-link>x</a>",
    });
    const at = async (path: string) => {
      const redirects: string[] = [];
      const page = await fetchPage(`${site.origin}${path}`, {
        onRedirect: ({ from, to: target }) => redirects.push(`${from} ${target}`.replaceAll(site.origin, "")),
      });
      return {
        redirects,
        url: page.url.replace(site.origin, ""),
        links: page.links.map((url) => url.replace(site.origin, "")),
      };
    };
    for (const path of ["/replace", "/load", "/fetched"])
      expect(await at(path)).to.deep.equal({ redirects: [`${path} /new`], url: "/new", links: ["/new-link"] });
    expect(await at("/form")).to.deep.equal({ redirects: ["/form /new?"], url: "/new?", links: ["/new-link"] });
    for (const path of ["/download", "/state"])
      expect(await at(path)).to.deep.equal({ redirects: [], url: path, links: ["/old-link"] });
  });

  it("finds links that come late, and those that come when a reader has scrolled to them", async () => {
    const site = await serve({
      "/": `<!DOCTYPE html><title>Late</title><p id="soon"></p><div style="height: 5000px"></div><p id="below">x</p>
        <script>
          setTimeout(() => { soon.innerHTML = '<a href="/soon">x</a>'; }, 1_000);
          new IntersectionObserver(([seen]) => {
            if (seen.isIntersecting) below.innerHTML = '<a href="/below">x</a>';
          }).observe(below);
        </script>`,
    });
    const { links } = await fetchPage(site.url);
    expect(links).to.deep.equal([`${site.origin}/soon`, `${site.origin}/below`]);
  });

  it("names where a page leads that cannot be reached there", async () => {
    const site = await serve({
      "/script": '<!DOCTYPE html><script>location = "/closed"</script>',
      "/refresh": '<!DOCTYPE html><meta http-equiv="refresh" content="0; url=/closed">',
      "/closed": (request) => void request.socket.destroy(),
    });
    for (const path of ["/script", "/refresh"]) {
      const error = await failure(fetchPage(`${site.origin}${path}`));
      expect(error).to.be.instanceOf(PageError).and.include({ code: "unreachable" });
      expect(String(error))
        .to.include(`${site.origin}/closed`)
        .and.not.match(/chrome-error|Protocol/);
    }
  });

  it("returns the links of the rendered page, and the source as sent", async () => {
    const source = `<!DOCTYPE html><html lang="en"><head><title>Links</title><base href="/folder/">
      <link rel="Canonical alternate" href="../canonical"></head><body>
      <a href="first#top">1</a><a href="mailto:a@example.com">no</a><a>none</a><a href="http://[bad">bad</a>
      <map name="m"><area href="/second" alt=""></map><svg><a href="drawn"></a></svg><div id="host"></div><p id="late"></p>
      <a href="first">again</a><a href="https://example.org/x?a=1&amp;b=2">out</a>
      <script>
        host.attachShadow({ mode: "open" }).innerHTML = '<a href="shadow">s</a>';
        onload = async () => { late.innerHTML = await (await fetch("/links")).text() };
      </script></body></html>`;
    const site = await serve({ "/": source, "/links": { body: '<a href="late">l</a>', delayMs: 100 } });
    expect(await fetchPage(site.url)).to.deep.equal({
      url: site.url,
      redirects: [],
      notices: [],
      status: 200,
      contentType: "text/html; charset=utf-8",
      kind: "html",
      document: {
        source,
        contentType: "text/html; charset=utf-8",
        encoding: { name: "utf-8", from: "header" },
      },
      canonical: `${site.origin}/canonical`,
      links: [
        `${site.origin}/folder/first`,
        "http://[bad",
        `${site.origin}/second`,
        `${site.origin}/folder/drawn`,
        `${site.origin}/folder/shadow`,
        `${site.origin}/folder/late`,
        "https://example.org/x?a=1&b=2",
      ],
      signIn: { weight: 0, actions: [], isEmpty: false },
    });
  });

  it("returns links that are too long to be resolved as they are, too long to be visited", async () => {
    const site = await serve({
      "/": `<!DOCTYPE html><title>x</title><p id="p"></p><script>
      for (const start of ["/", location.href]) {
        const link = p.appendChild(document.createElement("a"));
        link.setAttribute("href", start + "x".repeat(9_000 + p.childElementCount));
      }</script>`,
    });
    const scope = { host: new URL(site.url).host, exclusions: [] };
    const { links } = await fetchPage(site.url);
    expect(links).to.have.length(2);
    for (const link of links) expect(judgeUrl(link, scope)).to.include({ kind: "skip", reason: "trap" });
  });

  it("decodes the source like a browser", async () => {
    const bytes = (text: string) => Buffer.from(text, "latin1");
    const site = await serve({
      "/header": { headers: { "content-type": "text/html; charset=windows-1251" }, body: bytes("<p>\xcf\xf0\xe8</p>") },
      "/meta": {
        headers: { "content-type": "text/html" },
        body: bytes("<meta charset=windows-1251><p>\xcf\xf0\xe8</p>"),
      },
      "/bom": { headers: { "content-type": "text/html" }, body: Buffer.from("\ufeff<p>При</p>", "utf16le") },
    });
    for (const [from, name] of [
      ["header", "windows-1251"],
      ["meta", "windows-1251"],
      ["bom", "utf-16le"],
    ]) {
      const { document } = await fetchPage(`${site.origin}/${from}`);
      expect(document?.source, from).to.match(/<p>При<\/p>$/);
      expect(document?.encoding).to.deep.equal({ name, from });
    }
  });

  it("follows redirects and the page's own navigations, and calls beforeRequest for each", async () => {
    const site = await serve({
      "/": { status: 301, headers: { location: "/second" } },
      "/second": '<!DOCTYPE html><title>2</title><script>location.replace("/third#part")</script>',
      "/third": "<!DOCTYPE html><title>3</title><a href=/fourth>4</a>",
    });
    const asked: string[] = [];
    const page = await fetchPage(site.url, {
      beforeRequest: async (url) => {
        asked.push(url);
      },
    });
    expect(page).to.deep.include({
      url: `${site.origin}/third`,
      redirects: [site.url, `${site.origin}/second`],
      links: [`${site.origin}/fourth`],
    });
    expect(asked).to.deep.equal([site.url, `${site.origin}/second`, `${site.origin}/third`]);
  });

  it("rejects with the error of beforeRequest, and requests nothing more", async () => {
    const site = await serve({ "/": { status: 302, headers: { location: "/away" } }, "/away": "<p>" });
    const refusal = new PageError("off_site", "refused by the test");
    const beforeRequest = async (url: string): Promise<void> => {
      if (url.endsWith("/away")) throw refusal;
    };
    expect(await failure(fetchPage(site.url, { beforeRequest }))).to.equal(refusal);
    expect(site.requests.map(({ path }) => path)).to.deep.equal(["/"]);
  });

  const leads: [name: string, script: string][] = [
    ["of two seconds", 'setTimeout(() => { location = "/new" }, 2000)'],
    ["that is text", `setTimeout("location.href = '/new'", 1500)`],
    [
      "whose function is named",
      'function go() { window.location.replace("/new") } onload = () => setTimeout(go, 1000)',
    ],
    [
      "that submits a form",
      'const form = document.createElement("form"); form.action = "/new?"; document.documentElement.append(form); setTimeout(() => form.submit(), 500)',
    ],
  ];
  for (const [name, script] of leads)
    it(`follows a script that leads on by a timer ${name}`, async () => {
      const site = await serve({
        "/": `<!DOCTYPE html><title>Old</title><a href="/no">x</a><script>${script}</script>`,
        "/new": "<!DOCTYPE html><title>New</title>",
      });
      const fetched = await fetchPage(site.url);
      expect(fetched.url).to.match(/\/new\??$/);
      expect(fetched.redirects).to.deep.equal([site.url]);
    });

  it("waits for no timers that are late, whatever they do", async () => {
    const site = await serve({
      "/": `<!DOCTYPE html><title>Here</title><script>
        setTimeout(() => { document.title = location.href + (location == "x") }, 4000); setTimeout(() => { location = "/new" }, 6000)</script>`,
    });
    const before = performance.now();
    expect(await fetchPage(site.url)).to.include({ url: site.url });
    expect(site.requests.map(({ path }) => path)).to.deep.equal(["/"]);
    expect(performance.now() - before).to.be.below(limitOf(4));
  });

  it("returns `other` for everything that is not a page: error statuses, other types, downloads", async () => {
    const site = await serve({
      "/sitemap.xml": { headers: { "content-type": "application/xml" }, body: "<urlset></urlset>" },
      "/zip": { headers: { "content-type": "application/zip" }, body: "PK" },
      "/moved": { status: 302, headers: { location: "/sitemap.xml" } },
    });
    const other = { kind: "other", links: [] };
    expect(await fetchPage(`${site.origin}/gone`)).to.deep.include({ ...other, status: 404 });
    expect(await fetchPage(`${site.origin}/sitemap.xml`)).to.deep.include({ ...other, contentType: "application/xml" });
    expect(await fetchPage(`${site.origin}/zip`)).to.deep.include({ ...other, status: 200 });
    expect(await fetchPage(`${site.origin}/moved`)).to.deep.include({
      ...other,
      url: `${site.origin}/sitemap.xml`,
      redirects: [`${site.origin}/moved`],
    });
  });

  it("fails for pages that cannot be loaded, and continues", async () => {
    const closed = await serveSite({});
    await closed.close();
    const site = await serve({
      "/broken": (request) => void request.socket.destroy(),
      "/": "<!DOCTYPE html><title>fine</title>",
    });
    const codes = await Promise.all(
      [closed.url, `${site.origin}/broken`, "http://no-such-host.invalid/", "http://10.0.0.1/"].map(
        async (url) => ((await failure(fetchPage(url))) as PageError).code,
      ),
    );
    expect(codes).to.deep.equal(["unreachable", "unreachable", "dns_error", "blocked_address"]);
    expect((await fetchPage(site.url)).kind).to.equal("html");
  });

  it("says what of a page was missing at its time limit", async () => {
    const site = await serve({
      "/silent": () => {},
      "/dripping": (_request, response) => {
        response.writeHead(200, { "content-type": "text/html" }).write("<p>beginning");
      },
    });
    // On a busy machine it lasts up to three times as long: still less than the proxy waits for a server.
    const hasty = await createDynamicFetcher({ ...settings, spec: reportSpec({ pageTimeoutSeconds: 2 }) });
    try {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
      const fails = async (path: string, detail: RegExp) =>
        detail.test(String(await failure(hasty.fetch(`${site.origin}/${path}`, options))));
      // On a busy machine the time may be over before the page is requested.
      await Promise.all([
        eventually(() => fails("silent", /\/silent did not respond within (2 s|6 s by the clock .*)\.$/)),
        eventually(() =>
          fails("dripping", /\/dripping responded, but .* not complete after (2 s|6 s by the clock .*)\.$/),
        ),
      ]);
    } finally {
      await hasty.close();
    }
  });

  it("ends a page that hangs at its time limit, and continues", async () => {
    const site = await serve({
      "/endless": "<script>while (true);</script>",
      "/": "<!DOCTYPE html><title>fine</title>",
    });
    const hasty = await createDynamicFetcher({ ...settings, spec: reportSpec({ pageTimeoutSeconds: 2 }) });
    try {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {} };
      expect(await failure(hasty.fetch(`${site.origin}/endless`, options))).to.have.property("code", "timeout");
      // On a busy machine even a good page may exceed its time limit once.
      await eventually(async () => (await hasty.fetch(site.url, options).catch(() => undefined))?.kind === "html");
    } finally {
      await hasty.close();
    }
  });
});
