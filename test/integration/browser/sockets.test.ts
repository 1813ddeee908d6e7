// 15 s of processor time: each of twelve visits has a browser of its own, since who is signed in is a setting of a browser.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { createActRule } from "../../../src/domain/acts/rule.ts";
import type { SiteCredentials } from "../../../src/domain/headers/site-credentials.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { readPageSteps } from "../../../src/schema/steps.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { createAuthority } from "../../support/certificates.ts";
import { type Routes, type Site, serveSite, type Tls } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

/** What a page sends over a socket may change something in somebody's name, and so may opening it. */
describe("WebSockets of pages", function () {
  this.timeout(limitOf(60));
  const opened: { close: () => Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  type Live = Site & {
    /** The path of each socket that was opened, and what was sent over it. */
    sockets: string[];
  };

  /** A site whose sockets are counted, also those over HTTP/2. */
  const serveLive = async (routes: Routes, tls?: Tls): Promise<Live> => {
    const site = await serveSite(routes, "127.0.0.1", tls);
    const sockets: string[] = [];
    site.server.on("upgrade", ({ headers, url = "" }: IncomingMessage, socket: Duplex) => {
      sockets.push(url);
      socket.on("error", () => {});
      const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n" +
          `sec-websocket-accept: ${createHash("sha1").update(key).digest("base64")}\r\n\r\n`,
      );
    });
    site.server.on("connect", ({ url }: Http2ServerRequest, { stream }: Http2ServerResponse) => {
      sockets.push(`${url} by HTTP/2`);
      stream.on("error", () => {});
      stream.respond({ ":status": 200 });
    });
    opened.push(site);
    return Object.assign(site, { sockets });
  };

  const openIn = async (site: Site, spec: Partial<ReportSpec>, credentials: SiteCredentials | undefined) => {
    const tls = { authorities: [], clientCertificates: new Map(), insecureHosts: new Set(["127.0.0.1"]) };
    const browser = await openBrowser({
      ...{ chromePath: undefined, log: createLogger("error", {}), device: defaultDevice, credentials },
      policy: { ...addressPolicy(["127.0.0.0/8"]), ...(site.origin.startsWith("https:") && { tls }) },
      acts: createActRule(reportSpec({ startingUrl: site.url, ...spec }), { credentials }),
    });
    opened.push(browser);
    return browser;
  };
  type Seen = { stopped: string[]; html: string };
  const visit = (browser: Browser, url: string, steps: readonly unknown[] = []): Promise<Seen> =>
    browser.withTab({ signal: new AbortController().signal, timeLimitMs: limitOf(25) }, async (tab) => {
      await tab.load(url, { beforeRequest: async () => {}, checkResponse: () => {} });
      const read = readPageSteps({ steps });
      if (steps.length > 0) await tab.perform("steps" in read ? read.steps : []);
      await eventually(async () => (await tab.find({ text: "all has been tried" })) === undefined);
      return { stopped: tab.stopped(), html: await tab.html(10_000) };
    });
  const cookie = ({ url }: Site): SiteCredentials => ({
    host: new URL(url).host,
    headers: [{ name: "Cookie", value: "session=ok" }],
  });

  const script = (body: string) => ({ headers: { "content-type": "text/javascript" }, body });
  const here = '(location.origin || "").replace("http", "ws")';
  /** Opens a socket at each path from each place where a page may; says when all has been answered. */
  const everywhere: Routes = {
    "/": `<!DOCTYPE html><title>Live</title><p id="said">…</p>
      <script>
        const waiting = new Set(["/page", "/srcdoc", "/blank", "/frame", "/worker", "/nested", "/blob", "/of-frame"]);
        const done = (path) => { waiting.delete(path); if (waiting.size === 0) said.textContent = "all has been tried"; };
        window.tryOut = (Socket, path, again) => {
          const socket = new Socket(${here} + path);
          socket.onopen = () => { socket.send("change"); done(path); };
          socket.onerror = () => { done(path); if (again) tryOut(Socket, again); };
        };
        const start = (from, address) => { new from.Worker(address).onmessage = ({ data }) => done(data); };
        tryOut(WebSocket, "/page", "/again");
        const blank = document.body.appendChild(document.createElement("iframe")).contentWindow;
        tryOut(blank.WebSocket, "/blank");
        start(window, "/worker.js");
        start(window, "/nesting.js");
        start(blank, "/of-frame.js");
        start(window, URL.createObjectURL(new Blob(['const base = "' + ${here} + '";' + ${JSON.stringify(inWorker("/blob", "base"))}])));
      </script>
      <iframe srcdoc="<script>parent.tryOut(WebSocket, '/srcdoc')</script>"></iframe><iframe src="/frame"></iframe>`,
    "/frame": `<script>parent.tryOut(WebSocket, "/frame")</script>`,
    "/worker.js": script(inWorker("/worker", here)),
    "/of-frame.js": script(inWorker("/of-frame", here)),
    "/nesting.js": script('new Worker("/nested.js").onmessage = ({ data }) => postMessage(data)'),
    "/nested.js": script(inWorker("/nested", here)),
  };
  function inWorker(path: string, base: string): string {
    return `const socket = new WebSocket(${base} + "${path}"); socket.onopen = socket.onerror = () => postMessage("${path}");`;
  }
  const tries = ["/blank", "/blob", "/frame", "/nested", "/of-frame", "/page", "/srcdoc", "/worker"];

  const schemes: { by: string; tls?: Tls }[] = [
    { by: "http" },
    { by: "https", tls: createAuthority().issue(["127.0.0.1"]) },
    {
      by: "https with sockets over HTTP/2",
      tls: { ...createAuthority().issue(["127.0.0.1"]), http2: true, settings: { enableConnectProtocol: true } } as Tls,
    },
  ];
  for (const { by, tls } of schemes) {
    it(`are refused to the site where somebody is signed in, by ${by}: of pages, frames and workers; the page is there`, async () => {
      const site = await serveLive(everywhere, tls);
      const { stopped, html } = await visit(await openIn(site, {}, cookie(site)), site.url);
      expect(site.sockets).to.deep.equal([]);
      expect(html).to.contain("all has been tried");
      const live = site.origin.replace("http", "ws");
      for (const path of ["/page", "/srcdoc", "/blank", "/frame"])
        expect(stopped).to.include(`WebSocket ${live}${path}`);
      expect(stopped).to.include(`WebSockets of workers to ${new URL(site.url).host}`);
    });

    it(`are opened as ever where nobody is, by ${by}`, async () => {
      const site = await serveLive(everywhere, tls);
      const { stopped } = await visit(await openIn(site, {}, undefined), site.url);
      expect(stopped).to.deep.equal([]);
      const paths = site.sockets.map((one) => one.replace(" by HTTP/2", ""));
      expect(paths.toSorted()).to.deep.equal(tries);
    });
  }

  const two = (port: string): Routes => ({
    "/": `<!DOCTYPE html><title>Two</title><p id="said">…</p><button onclick="add('/clicked')">Open</button><script>
      let left = 2;
      const add = (path, where = ${here}) => {
        const socket = new WebSocket(where + path);
        socket.onopen = socket.onerror = () => { left -= 1; if (left === 0) said.textContent = "all has been tried"; };
      };
      ${port}
    </script>`,
  });

  it("are opened where allow_posts says that they only read, and beside them no other", async () => {
    for (const { tls } of schemes) {
      const site = await serveLive(two('add("/live/websocket"); setTimeout(() => add("/editor"), 300)'), tls);
      const allowPosts = [tls ? `${site.origin.replace("http", "ws")}/live/**` : "/live/**"];
      const { stopped } = await visit(await openIn(site, { allowPosts }, cookie(site)), site.url);
      expect(site.sockets.map((one) => one.replace(" by HTTP/2", ""))).to.deep.equal(["/live/websocket"]);
      expect(stopped).to.deep.equal([`WebSocket ${site.origin.replace("http", "ws")}/editor`]);
    }
  });

  it("are opened by a step that says so, and with visit_actions", async () => {
    const site = await serveLive(two("left = 1"));
    const steps = [{ type: "click", selectors: [["button"]] }];
    await visit(await openIn(site, {}, cookie(site)), site.url, steps);
    expect(site.sockets).to.deep.equal(["/clicked"]);
    const all = await serveLive(two('add("/one"); add("/two")'));
    expect((await visit(await openIn(all, { visitActions: true }, cookie(all)), all.url)).stopped).to.deep.equal([]);
    expect(all.sockets).to.have.members(["/one", "/two"]);
  });

  it("are refused to others, too: what a page tells them of the session, nobody sees", async () => {
    const other = await serveLive({});
    const there = other.origin.replace("http://127.0.0.1", "ws://localhost");
    const site = await serveLive(two(`add("/own"); add("/feed", "${there}")`));
    const { stopped } = await visit(await openIn(site, {}, cookie(site)), site.url);
    expect([site.sockets, other.sockets]).to.deep.equal([[], []]);
    expect(stopped).to.have.members([`WebSocket ${site.origin.replace("http", "ws")}/own`, `WebSocket ${there}/feed`]);
  });
});
