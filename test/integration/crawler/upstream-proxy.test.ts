import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { type Browser, openBrowser } from "../../../src/browser/browser.ts";
import { defaultDevice } from "../../../src/browser/devices.ts";
import { PageError } from "../../../src/domain/failure.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../src/net/guarded-fetch.ts";
import { startProxy } from "../../../src/net/proxy.ts";
import { reportPolicy } from "../../../src/net/report-policy.ts";
import { openTunnel, readProxy } from "../../../src/net/upstream-proxy.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { type ForwardProxy, startForwardProxy } from "../../support/forward-proxy.ts";
import { connectTo } from "../../support/proxy-client.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

/** Names of these tests lead nowhere, or to private addresses, from this machine. */
const known: Record<string, string> = {
  "intranet.example.test": "10.1.2.3",
  "public.example.test": "93.184.216.34",
  localhost: "127.0.0.1",
};
const resolve = async (name: string) => {
  const address = known[name];
  if (address === undefined) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
  return [{ address, family: 4 }];
};

describe("A proxy behind our own", function () {
  this.timeout(limitOf(30));
  let proxy: ForwardProxy;
  let site: Site;
  const opened: { close: () => Promise<unknown> }[] = [];

  before(async () => {
    proxy = await startForwardProxy("ada:s3cret");
    site = await serveSite({
      "/": "<title>Inside</title>",
      "/away": { status: 302, headers: { location: "http://10.0.0.1/" } },
    });
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    proxy.asked.length = 0;
  });
  after(async () => {
    await proxy.close();
    await site.close();
  });

  const policyWith = async (httpProxy: string, noProxy: string[] = []) => {
    const closed = { allowedPrivateCidrs: [], deniedCidrs: [], allowLocalhost: false };
    const settings = { ...closed, httpProxy, httpsProxy: httpProxy, noProxy };
    return { ...(await reportPolicy("http://example.com/", settings, resolve)), resolve };
  };
  const clients = async (url = proxy.url, noProxy?: string[]): Promise<[GuardedFetch, Browser]> => {
    const policy = await policyWith(url, noProxy);
    const http = createGuardedFetch(policy);
    const log = createLogger("error", {});
    const browser = await openBrowser({ chromePath: undefined, policy, log, device: defaultDevice });
    opened.push(http, browser);
    return [http, browser];
  };
  const options = { signal: new AbortController().signal, beforeRequest: async () => {}, maxBytes: () => 100_000 };
  const bothFail = async ([http, browser]: [GuardedFetch, Browser], url: string): Promise<PageError[]> => {
    const visit = browser.withTab({ signal: options.signal, timeLimitMs: 20_000 }, (tab) =>
      tab.load(url, { beforeRequest: async () => {}, checkResponse: () => {} }),
    );
    return Promise.all(
      [http.get(url, options), visit].map((work) =>
        work.then(
          () => expect.fail(`${url} was reached`),
          (error) => {
            expect(error, url).to.be.instanceOf(PageError);
            return error;
          },
        ),
      ),
    );
  };
  const port = () => new URL(site.url).port;

  it("resolves what this machine cannot, for crawler and browser alike", async () => {
    const [http, browser] = await clients();
    const url = `http://only-there.example.test:${port()}/`;
    expect(String((await http.get(url, options)).body)).to.equal("<title>Inside</title>");
    const title = await browser.withTab({ signal: options.signal, timeLimitMs: 20_000 }, async (tab) => {
      await tab.load(url, { beforeRequest: async () => {}, checkResponse: () => {} });
      return tab.html(1_000);
    });
    expect(title).to.include("Inside");
    expect(new Set(proxy.asked.slice(0, 2))).to.deep.equal(new Set([`GET ${url}`]));
    expect(site.requests.at(-1)?.headers).to.not.have.property("proxy-authorization");
  });

  it("is asked for no address that the report may not reach, in any spelling, by name or by redirect", async () => {
    const both = await clients();
    for (const host of [
      ...["10.0.0.1", "169.254.169.254", "0x7f.1", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "127.0.0.1", "localhost"],
      ...["intranet.example.test", "intranet", "metadata.google.internal", "printer.local"],
    ])
      for (const scheme of ["http", "https"])
        for (const { code, message } of await bothFail(both, `${scheme}://${host}:${port()}/`))
          expect(code, `${scheme}://${host}: ${message}`).to.equal("blocked_address");
    expect(proxy.asked).to.deep.equal([]);
    const redirected = await bothFail(both, `http://public.example.test:${port()}/away`);
    expect(redirected[0]).to.have.property("code", "blocked_address");
    expect(proxy.asked.filter((asked) => asked.includes("10.0.0.1"))).to.deep.equal([]);
  });

  it("is passed by for what NO_PROXY names, which is reached under the usual rules", async () => {
    const both = await clients(proxy.url, [".example.test"]);
    const [direct] = await bothFail(both, `http://only-there.example.test:${port()}/`);
    expect(direct).to.have.property("code", "dns_error");
    expect(proxy.asked).to.deep.equal([]);
  });

  it("that wants a password, is gone, or does not answer, is named without its password", async () => {
    const { host } = new URL(proxy.url);
    for (const scheme of ["http", "https"])
      for (const { code, message } of await bothFail(
        await clients(`http://ada:hunter2@${host}`),
        `${scheme}://public.example.test/`,
      )) {
        expect(code, message).to.equal("unreachable");
        expect(message).to.include(
          `the proxy ${host} (HTTP_PROXY, HTTPS_PROXY) responded with 407 Proxy Authentication Required`,
        );
        expect(message).to.not.match(/hunter2/);
      }
    const gone = await startForwardProxy();
    await gone.close();
    for (const scheme of ["http", "https"])
      for (const { code, message } of await bothFail(await clients(gone.url), `${scheme}://public.example.test/`)) {
        expect(code, message).to.equal("unreachable");
        expect(message).to.include(
          `the proxy ${new URL(gone.url).host} (HTTP_PROXY, HTTPS_PROXY) cannot be used (ECONNREFUSED)`,
        );
      }
    const silent = await startSilent();
    opened.push(silent);
    const error = await openTunnel(readProxy("HTTPS_PROXY", silent.url), "a.example:443", 100).catch((e) => e);
    expect(error).to.include({ code: "timeout" });
    expect(error.message).to.include("did not respond in time");
  });

  it("may close a connection that it opened before anybody uses it", async () => {
    const silent = await startSilent();
    opened.push(silent);
    const tunnel = openTunnel(readProxy("HTTPS_PROXY", silent.url), "a.example:443");
    const socket = await silent.asked();
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    const connection = await tunnel;
    const closed = new Promise((resolve) => connection.once("close", resolve));
    connection.resume();
    socket.resetAndDestroy();
    await closed;
  });

  it("keeps no connection for a browser that left while it was opened, and blames no server", async () => {
    const silent = await startSilent();
    const ours = await startProxy(await policyWith(silent.url));
    opened.push(silent, ours);
    const browser = connect(ours.port, "127.0.0.1").on("error", () => {});
    browser.write(connectTo(ours, "a.example.test:443"));
    const socket = await silent.asked();
    browser.resetAndDestroy();
    // When it has responded to another one, it knows that this one has left.
    const other = connect(ours.port, "127.0.0.1", () => other.write(connectTo(ours, "10.0.0.1:443")));
    await once(other.resume(), "end");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    await closed;
    expect(ours.failureOf("https://a.example.test/")).to.equal(undefined);
  });
});

/** A proxy that does not respond by itself. */
async function startSilent() {
  const server: Server = createServer();
  const asked = Promise.withResolvers<Socket>();
  server.on("connection", (socket) => {
    socket.on("error", () => {}).resume();
    socket.once("data", () => asked.resolve(socket));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: () => asked.promise, close: async () => void server.close() };
}
