import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../src/browser/browser.ts";
import { defaultDevice } from "../../src/browser/devices.ts";
import { createDynamicFetcher } from "../../src/crawler/dynamic-fetcher.ts";
import { createStaticFetcher } from "../../src/crawler/static-fetcher.ts";
import { credentialsFor, type SiteCredentials } from "../../src/domain/headers/site-credentials.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { withCredentials } from "../../src/net/with-credentials.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { reportSpec } from "../support/builders.ts";
import { type Routes, type Site, serveSite } from "../support/site.ts";
import { eventually } from "../support/wait.ts";
import { type BrowserVector, browserVectors } from "./browser-vectors.ts";

const CANARY = "c4n4ry-1n-4-h34d3r";
const policy = addressPolicy(["127.0.0.0/8"]);
const log = createLogger("error", {});
log.silent = true;
const options = { signal: new AbortController().signal, beforeRequest: async () => {} };

const secretsOf = (site: Pick<Site, "origin">): SiteCredentials => ({
  host: new URL(site.origin).host,
  headers: [
    { name: "X-Canary", value: CANARY },
    { name: "Authorization", value: `Bearer ${CANARY}` },
    { name: "Cookie", value: `sid=${CANARY}` },
  ],
});

/** Hosts that the credentials are not for: another name, and another port of the same name. */
for (const address of ["127.0.0.2", "127.0.0.1"])
  describe(`the headers and cookies of a site's credentials, in a browser whose page reaches ${address} on another port`, () => {
    const routes: Routes = {};
    const hits = new Map<string, IncomingHttpHeaders>();
    let other: Server;
    let site: Site;
    let browser: Browser;
    let host = "";

    before(async () => {
      const remember = (path: string | undefined, headers: IncomingHttpHeaders) => hits.set(path ?? "", headers);
      other = createServer((request, response) => {
        remember(request.url, request.headers);
        response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end();
      });
      other.on("upgrade", (request, socket) => {
        remember(request.url, request.headers);
        socket.destroy();
      });
      await new Promise<void>((resolve) => other.listen(0, address, resolve));
      host = `${address}:${(other.address() as { port: number }).port}`;
      site = await serveSite(routes);
      const credentials = secretsOf(site);
      browser = await openBrowser({ chromePath: undefined, log, device: defaultDevice, policy, credentials });
    });
    after(async () => {
      await browser.close();
      await site.close();
      other.closeAllConnections();
      await new Promise((resolve) => other.close(resolve));
    });

    const visit = async (vector: BrowserVector, path: string, until: () => Promise<unknown>) => {
      const fill = (text: string) => text.replaceAll("THERE", `http://${host}${path}`).replaceAll("HOST", host);
      const filled = JSON.parse(
        fill(JSON.stringify({ headers: {}, routes: {}, ...vector })),
      ) as Required<BrowserVector>;
      for (const name of Object.keys(routes)) delete routes[name];
      const headers = { "content-type": "text/html", ...filled.headers };
      Object.assign(routes, { ...filled.routes, "/": { headers, body: `<!DOCTYPE html>${filled.html}` } });
      await browser.withTab({ signal: new AbortController().signal, timeLimitMs: 250_000 }, async (tab) => {
        await tab.load(site.url, { beforeRequest: async () => {}, checkResponse: () => {} }).catch(() => {});
        await until();
      });
    };

    for (const [index, vector] of browserVectors.entries())
      if (!vector.unused)
        it(`do not leave with ${vector.name}`, async () => {
          const path = `/${index}`;
          const from = site.requests.length;
          await visit(vector, path, () => eventually(() => hits.has(path)));
          expect(JSON.stringify(hits.get(path))).not.to.include(CANARY);
          const [page] = site.requests.slice(from);
          // Otherwise there would be nothing that could leave.
          expect(page?.headers).to.include({ "x-canary": CANARY, cookie: `sid=${CANARY}` });
        });
  });

describe("the headers and cookies of a site's credentials", () => {
  const sites: Site[] = [];
  const serve = async (routes: Routes) => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });
  const named = (site: Site, name: string) => site.origin.replace("127.0.0.1", name);

  /** A fetcher that is not a browser's, and a browser's. */
  const fetchers = {
    "by HTTP": async (startingUrl: string, credentials: SiteCredentials) =>
      createStaticFetcher(withCredentials(createGuardedFetch(policy), credentialsFor(startingUrl, credentials))),
    "in a browser": async (startingUrl: string, credentials: SiteCredentials) =>
      createDynamicFetcher({ chromePath: undefined, policy, log, spec: reportSpec({ startingUrl }), credentials }),
  };

  for (const [how, open] of Object.entries(fetchers)) {
    it(`are not kept on redirects to another host or port, ${how}`, async () => {
      const other = await serve({ "*": "<!DOCTYPE html><title>Elsewhere</title>" });
      const site = await serve({
        "/": { status: 302, headers: { location: "/next" } },
        "/next": { status: 302, headers: { location: named(other, "localhost") } },
        "/port": { status: 302, headers: { location: other.url } },
      });
      const fetcher = await open(site.url, secretsOf(site));
      try {
        for (const path of ["/", "/port"]) await fetcher.fetch(site.origin + path, options);
      } finally {
        await fetcher.close();
      }
      expect(other.requests.map(({ path }) => path)).to.include("/");
      expect(JSON.stringify(other.requests)).not.to.include(CANARY);
      for (const { headers } of site.requests.filter(({ path }) => path !== "/favicon.ico"))
        expect(headers).to.include({ "x-canary": CANARY, cookie: `sid=${CANARY}` });
    });

    it(`are not sent in clear for a site that starts at https, ${how}`, async () => {
      const site = await serve({ "*": "<!DOCTYPE html><title>In clear</title>" });
      const fetcher = await open(site.url.replace("http:", "https:"), secretsOf(site));
      try {
        await fetcher.fetch(site.url, options);
      } finally {
        await fetcher.close();
      }
      expect(site.requests.length).to.be.greaterThan(0);
      expect(JSON.stringify(site.requests)).not.to.include(CANARY);
    });

    it(`are not sent to a host that only has the same name, ${how}`, async () => {
      const site = await serve({ "*": "<!DOCTYPE html><title>Another port</title>" });
      const fetcher = await open(site.url, { ...secretsOf(site), host: "127.0.0.1" });
      try {
        await fetcher.fetch(site.url, options);
      } finally {
        await fetcher.close();
      }
      expect(JSON.stringify(site.requests)).not.to.include(CANARY);
    });
  }

  it("come with all that a page loads from its own host: styles, scripts, images, frames, fetches and workers", async () => {
    const type = (name: string, body = "") => ({ headers: { "content-type": name }, body });
    const site = await serve({
      "/": `<!DOCTYPE html><title>t</title><link rel="stylesheet" href="/style"><script src="/script"></script>
        <img src="/image" alt=""><iframe src="/frame"></iframe><script>fetch("/fetched"); new Worker("/worker")</script>`,
      "/style": type("text/css"),
      "/script": type("text/javascript"),
      "/worker": type("text/javascript", 'fetch("/from-worker")'),
      "*": "",
    });
    const fetcher = await fetchers["in a browser"](site.url, secretsOf(site));
    try {
      await fetcher.fetch(site.url, options);
    } finally {
      await fetcher.close();
    }
    const asked = site.requests.filter(({ path }) => path !== "/favicon.ico");
    expect(asked.map(({ path }) => path)).to.include.members(
      ["", "style", "script", "image", "frame", "fetched", "worker", "from-worker"].map((name) => `/${name}`),
    );
    for (const { path, headers } of asked)
      expect(headers, path).to.include({ "x-canary": CANARY, cookie: `sid=${CANARY}` });
  });

  it("are cookies that scripts see and the site can change, for the visit of one page", async () => {
    const site = await serve({
      "/": {
        headers: { "set-cookie": "sid=renewed" },
        body: '<!DOCTYPE html><title>t</title><script>fetch("/seen?" + document.cookie).then(() => document.cookie = "own=1")</script>',
      },
      "*": "<!DOCTYPE html><title>t</title>",
    });
    const fetcher = await fetchers["in a browser"](site.url, secretsOf(site));
    try {
      await fetcher.fetch(site.url, options);
      await fetcher.fetch(`${site.origin}/next`, options);
    } finally {
      await fetcher.close();
    }
    const cookies = Object.fromEntries(site.requests.map(({ path, headers }) => [path, headers.cookie]));
    expect(cookies).to.include({ "/": `sid=${CANARY}`, "/seen?sid=renewed": "sid=renewed" });
    expect(cookies["/next"]).to.equal(`sid=${CANARY}`);
  });
});
