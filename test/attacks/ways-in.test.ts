// Long: about 130 ways, each tried by a frame of another host in a page of this machine, in a browser.
import { createServer, type Server } from "node:http";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../src/browser/browser.ts";
import { defaultDevice } from "../../src/browser/devices.ts";
import { signIn } from "../../src/browser/sign-in.ts";
import type { AddressPolicy } from "../../src/net/addresses.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { type NetworkSettings, reportPolicy } from "../../src/net/report-policy.ts";
import type { Step } from "../../src/schema/steps.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { createAuthority, type Issued } from "../support/certificates.ts";
import { type ForwardProxy, startForwardProxy } from "../support/forward-proxy.ts";
import { type Route, type Routes, type Site, serveSite } from "../support/site.ts";
import { eventually, limitOf } from "../support/wait.ts";
import { type BrowserVector, browserVectors } from "./browser-vectors.ts";
import { outsideVectors } from "./outside-vectors.ts";

/** A host of the Internet, as far as this machine knows. The operator's proxy leads to a server of these tests. */
const PUBLIC = "ads.example.test";

/** What asks in vain also for its own page, because nothing that pauses requests sees it. */
const LOST = new Set(["a shared worker", "a service worker", "importScripts of a service worker"]);

describe("ways into this machine, of a report that starts here", function () {
  this.timeout(limitOf(120));
  const hits: string[] = [];
  const sites: Site[] = [];
  let canary: Server;
  let host = "";
  let world: ForwardProxy;
  let issued: Issued;
  let browser: Browser;
  let policyFor: (url: string, settings?: Partial<NetworkSettings>) => Promise<AddressPolicy>;

  before(async () => {
    canary = createServer((request, response) => {
      hits.push(request.url ?? "");
      response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end("secret");
    });
    canary.on("upgrade", (request, socket) => {
      hits.push(request.url ?? "");
      socket.destroy();
    });
    canary.on("clientError", (_error, socket) => {
      hits.push("");
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    host = `127.0.0.1:${(canary.address() as { port: number }).port}`;
    world = await startForwardProxy();
    const authority = createAuthority();
    issued = authority.issue([PUBLIC]);
    const tls = { authorities: [authority.ca], clientCertificates: new Map(), insecureHosts: new Set<string>() };
    const resolve = async (name: string) => [
      { address: name.endsWith(".example.test") ? "93.184.216.34" : "127.0.0.1", family: 4 },
    ];
    policyFor = async (url, settings = {}) => ({
      ...(await reportPolicy(
        url,
        {
          ...{ allowedPrivateCidrs: [], deniedCidrs: [], allowLocalhost: true, tls },
          ...{ httpProxy: world.url, httpsProxy: world.url },
          ...settings,
        },
        resolve,
      )),
      resolve,
    });
    browser = await open(await policyFor("http://127.0.0.1/"));
  });
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
    hits.length = 0;
  });
  after(async () => {
    await browser?.close();
    await world.close();
    canary.closeAllConnections();
    await new Promise((resolve) => canary.close(resolve));
  });

  const open = (policy: AddressPolicy): Promise<Browser> =>
    openBrowser({ chromePath: undefined, log: createLogger("error", {}), device: defaultDevice, policy });
  const serve = async (routes: Routes, tls?: Issued): Promise<Site> => {
    const site = await serveSite(routes, "127.0.0.1", tls);
    sites.push(site);
    return site;
  };
  /** Serves the page of a vector that leads to a path of the canary. */
  const serveVector = async (vector: BrowserVector, path: string, tls?: Issued): Promise<string> => {
    const fill = (text: string) => text.replaceAll("THERE", `http://${host}${path}`).replaceAll("HOST", host);
    const filled = JSON.parse(fill(JSON.stringify({ headers: {}, routes: {}, ...vector }))) as Required<BrowserVector>;
    const page: Route = {
      headers: { "content-type": "text/html", ...filled.headers },
      body: `<!DOCTYPE html>${filled.html}`,
    };
    const site = await serve({ ...filled.routes, "/": page }, tls);
    return new URL(site.url).port;
  };
  const visit = async (url: string, until: () => Promise<unknown> = async () => {}, by = browser): Promise<unknown> =>
    by.withTab({ signal: new AbortController().signal, timeLimitMs: 60_000 }, async (tab) => {
      const loaded = await tab.load(url, { beforeRequest: async () => {}, checkResponse: () => {} }).then(
        () => undefined,
        (error: unknown) => error,
      );
      await until();
      return loaded;
    });
  const frames = (urls: readonly string[]): string => urls.map((url) => `<iframe src="${url}"></iframe>`).join("");
  const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
    items.length === 0 ? [] : [[...items.slice(0, size)], ...chunks(items.slice(size), size)];
  const named = (list: readonly BrowserVector[]) => list.map((vector, index) => ({ ...vector, path: `/way/${index}` }));

  for (const scheme of ["http", "https"] as const)
    for (const some of chunks(named([...browserVectors, ...outsideVectors]), 12))
      it(`are closed to a frame of another host (${scheme}): ${some.map(({ name }) => name).join(", ")}`, async () => {
        const tls = scheme === "https" ? issued : undefined;
        const ports = await Promise.all(some.map((vector) => serveVector(vector, vector.path, tls)));
        const page = await serve({ "/": frames(ports.map((port) => `${scheme}://${PUBLIC}:${port}/`)) });
        await visit(page.url, async () => {
          const asked = () => world.asked.join("\n");
          for (const port of ports) await eventually(() => asked().includes(`${PUBLIC}:${port}`));
        });
        // Whatever came late would be seen by now.
        await visit(page.url);
        expect(hits).to.deep.equal([]);
      });

  for (const some of chunks(named(browserVectors.filter(({ unused, name }) => !unused && !LOST.has(name))), 12))
    it(`are open to its own page beside such a frame: ${some.map(({ name }) => name).join(", ")}`, async () => {
      const stranger = await serve({ "/": "<title>Stranger</title>" });
      const ports = await Promise.all(some.map((vector) => serveVector(vector, vector.path)));
      const own = ports.map((port) => `http://127.0.0.1:${port}/`);
      const page = await serve({
        "/": `${frames([`http://${PUBLIC}:${new URL(stranger.url).port}/`])}<script>onload = () => document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(frames(own))})</script>`,
      });
      await visit(page.url, async () => {
        for (const { name, path } of some)
          await eventually(() => hits.includes(path)).catch(() => expect.fail(`${name} did not arrive`));
      });
    });

  const options = { signal: new AbortController().signal, beforeRequest: async () => {}, maxBytes: () => 1_000 };
  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "reached",
      (error: { code?: string }) => error.code,
    );
  const outside = (site: Site, path = "/") => `http://${PUBLIC}:${new URL(site.url).port}${path}`;

  it("end with a redirect of another host, for crawler and browser, and link checks know who names an address", async () => {
    const there = `http://${host}/redirected`;
    const stranger = await serve({ "/away": { status: 307, headers: { location: there } } });
    const page = await serve({ "/": { status: 302, headers: { location: outside(stranger, "/away") } } });
    const http = createGuardedFetch(await policyFor(page.url));
    try {
      expect(await codeOf(http.get(page.url, options))).to.equal("blocked_address");
      expect(await codeOf(http.get(outside(stranger, "/away"), options))).to.equal("blocked_address");
      expect(await codeOf(http.get(there, { ...options, from: [page.url, outside(stranger)] }))).to.equal(
        "blocked_address",
      );
      expect(await visit(page.url)).to.include({ code: "blocked_address" });
      expect(hits).to.deep.equal([]);
      expect(await codeOf(http.get(there, { ...options, from: [page.url] }))).to.equal("reached");
    } finally {
      await http.close();
    }
  });

  it("are told of: what a page asked for in vain is among what was left out", async () => {
    const stranger = await serve({ "/": `<img src="http://${host}/told" alt="">` });
    const page = await serve({ "/": frames([outside(stranger)]) });
    const refused = await browser.withTab({ signal: options.signal, timeLimitMs: 60_000 }, async (tab) => {
      await tab.load(page.url, { beforeRequest: async () => {}, checkResponse: () => {} });
      return tab.refused();
    });
    expect(refused).to.deep.equal([`GET http://${host}/told`]);
  });

  it("are closed to what strangers have written, but for the host and port that are named", async () => {
    const page = await serve({
      "/": `<img src="/own.png" alt=""><script>fetch("http://${host}/", { method: "POST", mode: "no-cors", body: "x" }); new WebSocket("ws://${host}/ws"); new Image().src = "http://localhost:" + location.port + "/by-name"</script>`,
    });
    const policy = await policyFor(page.url, { allowLocalhost: "start" });
    const own = await open(policy);
    const http = createGuardedFetch(policy);
    try {
      await visit(page.url, undefined, own);
      await visit(page.url, undefined, own);
      expect(page.requests.map(({ path }) => path))
        .to.include("/own.png")
        .and.not.include("/by-name");
      expect(await codeOf(http.get(`http://${host}/`, { ...options, from: [page.url] }))).to.equal("blocked_address");
      expect(hits).to.deep.equal([]);
    } finally {
      await http.close();
      await own.close();
    }
  });

  it("are open again when a sign-in comes back from another host to the host that is named, to its page alone", async () => {
    const attack = (path: string) => `<script>fetch("http://${host}${path}", { mode: "no-cors" })</script>`;
    const page: Site = await serve({
      "/login": (_request, response) =>
        void response.writeHead(302, { location: outside(provider, `/authorize?back=${page.origin}/back`) }).end(),
      "/back": `<p id="wait">…</p><iframe src="http://${PUBLIC}:1/"></iframe><script>fetch("/api").then(async (r) => { document.body.insertAdjacentHTML("beforeend", await r.text()) })</script>`,
      "/api": "<p id='account'>My account</p>",
    });
    const provider = await serve({
      "/authorize": `${attack("/by-provider")}<a id="go" href="/done">Go on</a><script>go.search = location.search</script>`,
      "/done": (request, response) =>
        void response
          .writeHead(302, { location: new URL(request.url ?? "", "http://a").searchParams.get("back") ?? "" })
          .end(),
    });
    const settings = { chromePath: undefined, log: createLogger("error", {}), policy: await policyFor(page.url) };
    const steps: Step[] = [
      { type: "navigate", url: `${page.origin}/login` },
      { type: "click", selectors: ["#go"] },
      { type: "waitForElement", selectors: ["#account"] },
    ];
    await signIn(
      settings,
      { steps, signedInWhen: { text: "My account" } },
      { limitMs: 60_000, signal: options.signal },
    );
    expect(page.requests.map(({ path }) => path)).to.include("/api");
    expect(hits).to.deep.equal([]);
    // A host that nobody has named stays closed.
    const elsewhere = [
      { type: "navigate", url: outside(provider, `/authorize?back=http://${host}/unnamed`) },
      { type: "click", selectors: ["#go"] },
      { type: "waitForElement", selectors: ["#account"], timeout: 500 },
    ] as const satisfies readonly Step[];
    expect(
      await codeOf(
        signIn(
          settings,
          { steps: [...elsewhere], signedInWhen: { text: "My account" } },
          { limitMs: 60_000, signal: options.signal },
        ),
      ),
    ).to.equal("sign_in_failed");
    expect(hits).to.deep.equal([]);
  });
});
