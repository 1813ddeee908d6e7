import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch } from "../../../src/net/guarded-fetch.ts";
import type { TlsTrust } from "../../../src/net/tls-trust.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { createAuthority } from "../../support/certificates.ts";
import { type Routes, type Site, serveSite, type Tls } from "../../support/site.ts";
import { eventually, limitOf } from "../../support/wait.ts";

/** Browser and crawler accept, and show, the same certificates. */
describe("TLS", function () {
  this.timeout(limitOf(30));
  const authority = createAuthority();
  const opened: { close: () => Promise<unknown> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const serve = async (routes: Routes, tls: Tls): Promise<Site> => {
    const site = await serveSite(routes, "127.0.0.1", tls);
    opened.push(site);
    return site;
  };
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const policyWith = (trust: Partial<TlsTrust>) => ({
    ...addressPolicy(["127.0.0.0/8"]),
    resolve,
    tls: { authorities: [], clientCertificates: new Map(), insecureHosts: new Set<string>(), ...trust },
  });
  const log = createLogger("error", {});
  const browserWith = async (trust: Partial<TlsTrust>): Promise<Browser> => {
    const browser = await openBrowser({ chromePath: undefined, policy: policyWith(trust), log, device: defaultDevice });
    opened.push(browser);
    return browser;
  };
  const titleIn = (browser: Browser, url: string): Promise<string> =>
    browser.withTab({ signal: new AbortController().signal, timeLimitMs: 20_000 }, async (tab) => {
      await tab.load(url, { beforeRequest: async () => {}, checkResponse: () => {} });
      const html = await tab.html(100_000);
      return /<title>([^<]*)/.exec(html)?.[1] ?? html;
    });
  const fetchWith = async (trust: Partial<TlsTrust>, url: string): Promise<string> => {
    const http = createGuardedFetch(policyWith(trust));
    try {
      const options = { signal: new AbortController().signal, beforeRequest: async () => {}, maxBytes: () => 100_000 };
      return /<title>([^<]*)/.exec(String((await http.get(url, options)).body))?.[1] ?? "";
    } finally {
      await http.close();
    }
  };
  const failureOf = (work: Promise<unknown>): Promise<PageError> =>
    work.then(
      () => expect.fail("nothing failed"),
      (error) => {
        expect(error).to.be.instanceOf(PageError);
        return error;
      },
    );
  const named = (site: Site, host: string): string => site.url.replace("127.0.0.1", host);

  const client = createAuthority("Clients");
  const asksForCertificate = (names: readonly string[]): Tls => ({
    ...authority.issue(names),
    ca: client.ca,
    requestCert: true,
    rejectUnauthorized: true,
  });

  it("accepts the certificates of a given authority, by name and by address, in both", async () => {
    const site = await serve({ "/": "<title>Own</title>" }, authority.issue(["shop.example.test", "127.0.0.1"]));
    const trust = { authorities: [authority.ca] };
    const browser = await browserWith(trust);
    for (const host of ["shop.example.test", "127.0.0.1"]) {
      expect(await titleIn(browser, named(site, host)), host).to.equal("Own");
      expect(await fetchWith(trust, named(site, host)), host).to.equal("Own");
    }
  });

  it("refuses what a given authority has not signed, or not for this name, or not for today", async () => {
    const trust = { authorities: [authority.ca] };
    const browser = await browserWith(trust);
    const stranger = createAuthority("Authority of a test");
    for (const [why, issued, host, said] of [
      ["stranger", stranger.issue(["shop.example.test"]), "shop.example.test", /./],
      ["name", authority.issue(["other.example.test"]), "shop.example.test", /does not match|ALTNAME/i],
      ["address", authority.issue(["shop.example.test"]), "127.0.0.1", /does not match|ALTNAME/i],
      ["expired", authority.issue(["shop.example.test"], -1), "shop.example.test", /expired/i],
    ] as const) {
      const site = await serve({ "/": "<title>Wrong</title>" }, issued);
      for (const error of [
        await failureOf(titleIn(browser, named(site, host))),
        await failureOf(fetchWith(trust, named(site, host))),
      ]) {
        expect(error.code, `${why}: ${error.message}`).to.equal("tls_error");
        expect(error.message, why).to.match(said);
      }
      expect(site.requests, why).to.have.length(0);
    }
  });

  it("does not verify the certificates of the hosts that are named, and of no other", async () => {
    const site = await serve({ "/": "<title>Unknown</title>" }, createAuthority().issue(["x.test"]));
    const { port } = new URL(site.url);
    const browser = await browserWith({ insecureHosts: new Set([`shop.example.test:${port}`, "127.0.0.1"]) });
    const trust = { insecureHosts: new Set([`shop.example.test:${port}`, "127.0.0.1"]) };
    for (const host of ["shop.example.test", "127.0.0.1"]) {
      expect(await titleIn(browser, named(site, host)), host).to.equal("Unknown");
      expect(await fetchWith(trust, named(site, host)), host).to.equal("Unknown");
    }
    for (const host of ["other.example.test", "sub.shop.example.test"]) {
      expect(await failureOf(titleIn(browser, named(site, host))), host).to.have.property("code", "tls_error");
      expect(await failureOf(fetchWith(trust, named(site, host))), host).to.have.property("code", "tls_error");
    }
  });

  it("shows a client certificate for pages of its own host, and not for one that this redirects to", async () => {
    const shown: string[] = [];
    const site: Site = await serve(
      {
        "/away": (_request, response) =>
          void response.writeHead(302, { location: named(site, "other.example.test") }).end(),
        "/": `<title>Other</title><script>fetch("//shop.example.test:" + location.port + "/secret", { mode: "no-cors" })</script>`,
        "/own": `<title>Own</title><img src="/secret" alt="">`,
        "/secret": (request, response) => {
          shown.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString() ?? "nobody");
          response.end("<title>Secret</title>");
        },
        "/back": (_request, response) =>
          void response.writeHead(302, { location: `${named(site, "shop.example.test")}secret` }).end(),
      },
      { ...asksForCertificate(["shop.example.test", "other.example.test"]), rejectUnauthorized: false },
    );
    const trust = {
      authorities: [authority.ca],
      clientCertificates: new Map([["shop.example.test", client.issue(["Ada"])]]),
    };
    const browser = await browserWith(trust);
    const own = named(site, "shop.example.test");
    expect(await titleIn(browser, `${own}own`)).to.equal("Own");
    await eventually(() => shown.length === 1);
    expect(await titleIn(browser, `${own}away`)).to.equal("Other");
    await eventually(() => shown.length === 2);
    expect(shown).to.deep.equal(["Ada", "nobody"]);
    const http = createGuardedFetch(policyWith(trust));
    opened.push(http);
    const options = { signal: new AbortController().signal, beforeRequest: async () => {}, maxBytes: () => 100_000 };
    await http.get(`${own}secret`, { ...options, from: [`${own}own`] });
    await http.get(`${own}secret`, { ...options, from: [named(site, "other.example.test")] });
    await http.get(`${named(site, "other.example.test")}back`, options);
    expect(shown.slice(2)).to.deep.equal(["Ada", "nobody", "nobody"]);
  });

  it("shows a client certificate to its host, and to no other", async () => {
    const shown: string[] = [];
    const site = await serve(
      {
        "/": (request, response) => {
          const { subject } = (request.socket as TLSSocket).getPeerCertificate();
          shown.push(`${request.headers.host?.split(":")[0]} ${subject?.CN ?? "nobody"}`);
          response.end("<title>Closed</title>");
        },
      },
      { ...asksForCertificate(["shop.example.test", "other.example.test"]), rejectUnauthorized: false },
    );
    const trust = {
      authorities: [authority.ca],
      clientCertificates: new Map([["shop.example.test", client.issue(["Ada"])]]),
    };
    const browser = await browserWith(trust);
    for (const host of ["shop.example.test", "other.example.test"]) {
      await titleIn(browser, named(site, host));
      await fetchWith(trust, named(site, host));
    }
    expect(shown).to.deep.equal([
      "shop.example.test Ada",
      "shop.example.test Ada",
      "other.example.test nobody",
      "other.example.test nobody",
    ]);
  });

  it("says that a host refuses the client certificate, or wants one that nobody has given", async () => {
    const site = await serve({ "/": "<title>Closed</title>" }, asksForCertificate(["shop.example.test"]));
    const wrong = new Map([["shop.example.test", createAuthority("Strangers").issue(["Eve"])]]);
    for (const clientCertificates of [wrong, new Map()]) {
      const trust = { authorities: [authority.ca], clientCertificates };
      const browser = await browserWith(trust);
      // Node's servers close the connection, and send no alert.
      for (const error of [
        await failureOf(titleIn(browser, named(site, "shop.example.test"))),
        await failureOf(fetchWith(trust, named(site, "shop.example.test"))),
      ])
        expect(error.code, error.message).to.be.oneOf(["tls_error", "unreachable"]);
    }
    expect(site.requests).to.have.length(0);
  });

  it("goes on with HTTP/2 and keep-alive, WebSockets, and large and slow bodies where it is ended", async () => {
    const versions: string[] = [];
    const connections = new Set<unknown>();
    const script = `<title>wait</title><script type="module">
      const sizes = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await (await fetch("/big?" + n)).text()).length));
      const slow = await (await fetch("/slow")).text();
      const echo = await new Promise((resolve) => {
        const socket = new WebSocket("wss://" + location.host + "/socket");
        socket.onopen = () => socket.send("hello");
        socket.onmessage = ({ data }) => resolve(data);
        socket.onerror = () => resolve("no socket");
      });
      document.title = new Set(sizes).size + " " + sizes[0] + " " + slow + " " + echo;
      document.body.append("done");
    </script><body></body>`;
    const site = await serve(
      {
        "/": script,
        "/big": (request, response) => {
          versions.push(request.httpVersion);
          connections.add((request as { stream?: { session?: unknown } }).stream?.session ?? request.socket);
          response.end("x".repeat(300_000));
        },
        "/slow": async (_request, response) => {
          for (const part of ["sl", "o", "w"]) {
            response.write(part);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          response.end();
        },
      },
      { ...authority.issue(["shop.example.test"]), http2: true },
    );
    site.server.on("upgrade", (request, socket: Duplex) => {
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n" +
          `sec-websocket-accept: ${createHash("sha1").update(key).digest("base64")}\r\n\r\n`,
      );
      // A frame of text with five bytes; that of a client is masked.
      socket.once("data", (frame: Buffer) =>
        socket.write(
          Buffer.from([0x81, 5, ...frame.subarray(6, 11).map((byte, at) => byte ^ (frame[2 + (at % 4)] ?? 0))]),
        ),
      );
    });
    const browser = await browserWith({ authorities: [authority.ca] });
    const title = await browser.withTab({ signal: new AbortController().signal, timeLimitMs: 30_000 }, async (tab) => {
      const loaded = await tab.load(named(site, "shop.example.test"), {
        beforeRequest: async () => {},
        checkResponse: () => {},
      });
      expect(loaded).to.be.an("object");
      const world = await tab.createWorld(tab.mainFrameId);
      return eventually(async () => {
        const now = await tab.call(world, () => document.title);
        return now !== "wait" && now;
      });
    });
    expect(title).to.equal("1 300000 slow hello");
    expect(new Set(versions)).to.deep.equal(new Set(["2.0"]));
    expect(connections.size).to.equal(1);
  });
});
