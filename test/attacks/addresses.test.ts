import { request as httpRequest } from "node:http";
import { createServer, type Server } from "node:net";
import { expect } from "chai";
import { PageError } from "../../src/domain/failure.ts";
import { addressPolicy, isAllowedAddress } from "../../src/net/addresses.ts";
import { createGuardedFetch, type GuardedFetch } from "../../src/net/guarded-fetch.ts";
import { type FilteringProxy, startProxy } from "../../src/net/proxy.ts";
import { type NetworkSettings, reportPolicy } from "../../src/net/report-policy.ts";
import { shownTo } from "../support/proxy-client.ts";
import { type Routes, type Site, serveSite } from "../support/site.ts";
import { publicAddresses, refusedHosts } from "./addresses.ts";
import { redirects } from "./redirects.ts";

const settings = { allowedPrivateCidrs: [], deniedCidrs: [], allowLocalhost: true };
const options = { signal: new AbortController().signal, beforeRequest: async () => {}, maxBytes: () => 1_000 };

describe("addresses that are refused", () => {
  let http: GuardedFetch;
  let proxy: FilteringProxy;
  let canary: Server;
  let port = 0;
  let hits = 0;

  before(async () => {
    // As on one machine, for a report that starts at a public site.
    const policy = await reportPolicy("https://example.com/", settings);
    http = createGuardedFetch(policy);
    proxy = await startProxy(policy);
    canary = createServer((socket) => {
      hits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "::", resolve));
    ({ port } = canary.address() as { port: number });
  });
  after(async () => {
    await http.close();
    await proxy.close();
    await new Promise((resolve) => canary.close(resolve));
    console.log(`    ${refusedHosts.length} spellings, ${hits} canary hits`);
  });

  it("are spelled in more than 240 ways", () => expect(refusedHosts.length).to.be.greaterThan(240));

  for (const { name, host } of refusedHosts)
    it(`${name}: by the crawler and by the browser's proxy`, async () => {
      const url = `http://${host}:${port}/`;
      if (URL.canParse(url)) expect(await failureOf(http.get(url, options))).to.be.oneOf(refusals);
      for (const text of [url, URL.parse(url)?.href ?? url]) {
        // Node's client itself refuses some spellings in the line of a request.
        if (/[^\x21-\x7e]/.test(text)) continue;
        expect(await through(proxy, text), text).to.be.oneOf([400, 403, 502]);
      }
      const target = `${URL.parse(url)?.hostname ?? host}:${port}`;
      if (!/[^\x21-\x7e]/.test(target))
        expect(await connectThrough(proxy, target), target).to.be.oneOf([400, 403, 502]);
      expect(hits).to.equal(0);
    });

  for (const address of publicAddresses)
    it(`${address} is public`, () => expect(isAllowedAddress(address, addressPolicy([]))).to.equal(true));

  it("are all those that an operator denies, even if they are public or allowed", () => {
    const mapped = addressPolicy(["0.0.0.0/0", "::/0"], ["127.0.0.0/8", "0.0.0.0/32"]);
    for (const address of [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "0:0:0:0:0:ffff:127.9.9.9",
      "::ffff:0.0.0.0",
      "127.0.0.1",
    ])
      expect(isAllowedAddress(address, mapped), address).to.equal(false);
    expect(isAllowedAddress("::ffff:10.0.0.1", mapped)).to.equal(true);
    const policy = addressPolicy(["10.0.0.0/8"], ["8.8.8.0/24", "10.1.0.0/16", "2606:4700::/32"]);
    const allowed = (address: string) => isAllowedAddress(address, policy);
    expect(["8.8.8.8", "10.1.2.3", "2606:4700::1111"].map(allowed)).to.deep.equal([false, false, false]);
    expect(["8.8.4.4", "10.2.0.1", "2606:4800::1"].map(allowed)).to.deep.equal([true, true, true]);
  });
});

describe("redirects that are refused", () => {
  let site: Site;
  let secret: Site;
  let http: GuardedFetch;

  before(async () => {
    secret = await serveSite({ "*": "secret" });
    const target = new URL(secret.url);
    // 127.0.0.1 is where the fixture is; its neighbours stand for everything else on this machine.
    http = createGuardedFetch(addressPolicy(["127.0.0.1/32"]));
    const routes: Routes = {};
    for (const [index, { response }] of redirects(target.port).entries()) routes[`/${index}`] = response;
    site = await serveSite(routes);
  });
  after(async () => {
    await http.close();
    await site.close();
    await secret.close();
  });

  for (const [index, { name }] of redirects("1").entries())
    it(name, async () => {
      const ended = await http.get(`${site.origin}/${index}`, options).then(
        ({ redirects: followed }) => (followed.length === 0 ? "not followed" : "followed"),
        (error: unknown) => (error instanceof PageError ? error.code : String(error)),
      );
      expect(ended).to.be.oneOf(["not followed", ...refusals, "too_many_redirects"]);
      expect(secret.requests).to.deep.equal([]);
    });
});

describe("the private networks of a report", () => {
  const addresses = (...list: string[]) => list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const open = { ...settings, allowedPrivateCidrs: ["10.0.0.0/8", "127.0.0.0/8"] };
  const resolveTo =
    (...list: string[]) =>
    async () =>
      addresses(...list);
  const reach = async (start: string, given: NetworkSettings = open, resolve = resolveTo("93.184.215.14")) => {
    const policy = await reportPolicy(start, given, resolve);
    return { loopback: isAllowedAddress("127.0.0.1", policy), private: isAllowedAddress("10.0.0.1", policy) };
  };
  const closed = { loopback: false, private: false };

  it("are closed to a report that starts at a public site, even where the operator allows them", async () => {
    expect(await reach("https://example.com/")).to.deep.equal(closed);
    expect(await reach("http://93.184.215.14/")).to.deep.equal(closed);
    expect(await reach("http://127.0.0.1.example.com/")).to.deep.equal(closed);
  });

  it("are open to a report that starts there, by address or by name; loopback only to one that starts at loopback", async () => {
    expect(await reach("http://10.1.1.1/")).to.deep.equal({ loopback: false, private: true });
    expect(await reach("http://intranet/", open, resolveTo("10.1.1.1"))).to.deep.equal({
      loopback: false,
      private: true,
    });
    expect(await reach("http://127.0.0.1:8080/")).to.deep.equal({ loopback: true, private: true });
    expect(await reach("http://localhost/", settings)).to.deep.equal({ loopback: true, private: false });
    expect(await reach("http://[::1]/", settings)).to.deep.equal({ loopback: true, private: false });
  });

  it("are open to a guest's report as to its host's, except for loopback, whatever it starts at", async () => {
    const guests = { ...open, ofGuest: true };
    const only = { loopback: false, private: true };
    expect(await reach("http://10.1.1.1/", guests)).to.deep.equal(only);
    expect(await reach("http://intranet/", guests, resolveTo("10.1.1.1"))).to.deep.equal(only);
    for (const start of ["http://127.0.0.1:8080/", "http://localhost/", "http://a.localhost/", "http://[::1]/"]) {
      expect((await reach(start, guests, resolveTo("127.0.0.1"))).loopback, start).to.equal(false);
      expect(await reach(start, { ...settings, ofGuest: true }, resolveTo("127.0.0.1")), start).to.deep.equal(closed);
    }
    expect((await reach("http://here/", guests, resolveTo("127.0.0.1"))).loopback).to.equal(false);
  });

  it("are closed to a name that leads to public and private addresses, or to none", async () => {
    expect(await reach("http://mixed/", open, resolveTo("10.1.1.1", "93.184.215.14"))).to.deep.equal(closed);
    expect(await reach("http://none/", open, resolveTo())).to.deep.equal(closed);
    const gone = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    expect(await reach("http://gone/", open, gone)).to.deep.equal(closed);
  });

  it("are closed to a name that answers public first and loopback then, in the crawler and in the browser", async () => {
    const site = await serveSite({ "*": "secret" });
    const { port } = new URL(site.url);
    const start = `http://rebinding.example:${port}/`;
    let asked = 0;
    const resolve = async () => addresses(asked++ === 0 ? "93.184.215.14" : "127.0.0.1");
    const policy = { ...(await reportPolicy(start, open, resolve)), resolve };
    const http = createGuardedFetch(policy);
    const proxy = await startProxy(policy);
    try {
      expect(await failureOf(http.get(start, options))).to.equal("blocked_address");
      expect(await through(proxy, start)).to.equal(502);
      expect(await connectThrough(proxy, `rebinding.example:${port}`)).to.equal(502);
      expect(asked).to.be.greaterThan(3);
      expect(site.requests).to.deep.equal([]);
    } finally {
      await http.close();
      await proxy.close();
      await site.close();
    }
  });

  it("need a name to stay there: its pages may read private sites, so they may not come from elsewhere", async () => {
    let answer = addresses("10.1.1.1");
    const resolve = async () => answer;
    const policy = { ...(await reportPolicy("http://intranet/", open, resolve)), resolve };
    answer = addresses("93.184.215.14");
    const http = createGuardedFetch(policy);
    try {
      expect(await failureOf(http.get("http://intranet/", options))).to.equal("blocked_address");
    } finally {
      await http.close();
    }
  });
});

const refusals = ["blocked_address", "invalid_response", "dns_error"];

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no failure",
    (error: unknown) => (error instanceof PageError ? error.code : String(error)),
  );
}

/** The status that a proxy answers a request with. */
function through(proxy: FilteringProxy, url: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const request = httpRequest({
    host: "127.0.0.1",
    port: proxy.port,
    path: url,
    headers: { host: "ignored", ...shownTo(proxy) },
  });
  // Node's server closes the connection on what is not HTTP.
  request.once("error", () => resolve(400));
  request.once("response", (response) => resolve(response.resume().statusCode ?? 0));
  request.end();
  return promise;
}

function connectThrough(proxy: FilteringProxy, target: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = httpRequest({
    host: "127.0.0.1",
    port: proxy.port,
    method: "CONNECT",
    path: target,
    headers: shownTo(proxy),
  });
  request.once("error", reject);
  request.once("connect", (response, socket) => {
    socket.destroy();
    resolve(response.statusCode ?? 0);
  });
  request.end();
  return promise;
}
