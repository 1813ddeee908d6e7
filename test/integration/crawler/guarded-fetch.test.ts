import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect } from "chai";
import { PageError } from "../../../src/domain/failure.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from "../../../src/net/guarded-fetch.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const MEGABYTES = 1_000_000;

describe("guarded fetch", () => {
  let http: GuardedFetch;
  const closers: (() => Promise<void>)[] = [];

  before(() => {
    http = createGuardedFetch(addressPolicy(["127.0.0.0/8"]));
  });
  after(() => http.close());
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function site(routes: Routes): Promise<Site> {
    const served = await serveSite(routes);
    closers.push(served.close);
    return served;
  }

  /** A server that sends arbitrary bytes. */
  async function rawServer(answer: (socket: Socket, connection: number) => void): Promise<string> {
    let connections = 0;
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      const connection = ++connections;
      socket.on("data", () => answer(socket, connection));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  function get(url: string, options: Partial<GuardedFetchOptions> = {}, fetcher = http) {
    return fetcher.get(url, {
      signal: new AbortController().signal,
      beforeRequest: async () => {},
      maxBytes: () => 10 * MEGABYTES,
      ...options,
    });
  }

  async function failure(fetched: Promise<unknown>): Promise<{ code: string; detail: string }> {
    const error = await fetched.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof PageError)) throw new Error(`expected a PageError, got ${error}`);
    return error.failure;
  }

  it("closes kept connections without asking for the stack of an error, which takes long in a bundle", async () => {
    const { url } = await site({ "/": "a page" });
    const own = createGuardedFetch(addressPolicy(["127.0.0.0/8"]));
    await get(url, {}, own);
    const { prepareStackTrace } = Error;
    const asked: string[] = [];
    Error.prepareStackTrace = (error) => String(asked.push(String(error)));
    try {
      await own.close();
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
    }
    expect(asked).to.deep.equal([]);
  });

  describe("addresses", () => {
    const refused = ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "10.0.0.1"];
    for (const host of [...refused, "169.254.169.254", "168.63.129.16", "[fd00::1]", "0.0.0.0"])
      it(`refuses ${host} without a connection`, async () => {
        const { url, requests } = await site({ "/": "secret" });
        const strict = createGuardedFetch(addressPolicy([]));
        closers.push(strict.close);
        const { port } = new URL(url);
        const { code, detail } = await failure(get(`http://${host}:${port}/`, {}, strict));
        expect(code).to.equal("blocked_address");
        expect(detail).to.include("not a public address");
        expect(requests).to.deep.equal([]);
      });

    it("checks again on every redirect", async () => {
      const { url } = await site({ "/": { status: 302, headers: { location: "http://169.254.169.254/latest" } } });
      const { code, detail } = await failure(get(url));
      expect(code).to.equal("blocked_address");
      expect(detail).to.include("169.254.169.254");
    });

    for (const url of ["ftp://127.0.0.1/", "file:///etc/passwd", "http://user:secret@127.0.0.1/"])
      it(`does not fetch ${url}`, async () => {
        expect((await failure(get(url))).code).to.equal("invalid_response");
      });
  });

  describe("redirects", () => {
    it("follows five, asking before each request", async () => {
      const routes: Routes = { "/5": "there" };
      for (let hop = 0; hop < 5; hop++)
        routes[`/${hop}`] = { status: 301 + (hop % 3), headers: { location: `/${hop + 1}#x` } };
      const { origin } = await site(routes);
      const asked: string[] = [];
      const response = await get(`${origin}/0`, { beforeRequest: async (url) => void asked.push(url) });
      expect(response.url).to.equal(`${origin}/5`);
      expect(response.body?.toString()).to.equal("there");
      expect(response.redirects).to.deep.equal([0, 1, 2, 3, 4].map((hop) => `${origin}/${hop}`));
      expect(asked).to.deep.equal([...response.redirects, response.url]);
    });

    it("gives up after five redirects", async () => {
      const { url } = await site({
        "*": (request, response) => {
          response.writeHead(302, { location: `${request.url}x` }).end();
        },
      });
      const { code, detail } = await failure(get(url));
      expect(code).to.equal("too_many_redirects");
      expect(detail).to.include("redirects too often").and.include(`${url} → ${url}x`);
    });

    it("recognises a circle", async () => {
      const { url, origin, requests } = await site({
        "/": { status: 302, headers: { location: "/a" } },
        "/a": { status: 302, headers: { location: "/" } },
      });
      const { code, detail } = await failure(get(url));
      expect(code).to.equal("too_many_redirects");
      expect(detail).to.include(`in a loop: ${url} → ${origin}/a → ${url}`);
      expect(requests).to.have.length(2);
    });

    it("does not follow one to another scheme or to an invalid URL", async () => {
      for (const location of ["javascript:alert(1)", "file:///etc/passwd", "http://a:b@127.0.0.1/", "http://[oops"]) {
        const { url } = await site({ "/": { status: 302, headers: { location } } });
        expect((await failure(get(url))).code, location).to.equal("invalid_response");
      }
    });

    it("understands a location that is not escaped", async () => {
      const { url, origin } = await site({
        "/": { status: 302, headers: { location: Buffer.from("/ä").toString("latin1") } },
        "/%C3%A4": "there",
      });
      expect((await get(url)).url).to.equal(`${origin}/%C3%A4`);
    });

    it("drops credentials on the way to another origin", async () => {
      const other = await site({ "/": "there" });
      const first = await site({
        "/": { status: 302, headers: { location: "/same" } },
        "/same": { status: 302, headers: { location: other.url } },
      });
      await get(first.url, { secretHeaders: { authorization: "Basic eDp5", "x-canary": "c" } });
      expect(first.requests.map(({ headers }) => headers.authorization)).to.deep.equal(["Basic eDp5", "Basic eDp5"]);
      expect(other.requests[0]?.headers).not.to.have.any.keys("authorization", "x-canary");
    });

    it("passes on an error of beforeRequest, and sends no request", async () => {
      const { url, requests } = await site({ "/": "x" });
      const refusal = new Error("not this one");
      const thrown = await get(url, { beforeRequest: () => Promise.reject(refusal) }).catch((error: unknown) => error);
      expect(thrown).to.equal(refusal);
      expect(requests).to.deep.equal([]);
    });
  });

  describe("sizes", () => {
    const text = Buffer.from("<p>wörld".repeat(1_000));
    const codings: Record<string, Buffer> = {
      gzip: gzipSync(text),
      "x-gzip": gzipSync(text),
      deflate: deflateSync(text),
      "DEFLATE ": deflateRawSync(text),
      br: brotliCompressSync(text),
      zstd: zstdCompressSync(text),
      "gzip, br": brotliCompressSync(gzipSync(text)),
      identity: text,
    };
    for (const [coding, body] of Object.entries(codings))
      it(`decodes ${coding}`, async () => {
        const { url } = await site({ "/": { headers: { "content-encoding": coding }, body } });
        expect((await get(url)).body?.equals(text)).to.equal(true);
      });

    it("accepts the beginning of a body that ends too early", async () => {
      const { url } = await site({
        "/": { headers: { "content-encoding": "gzip" }, body: gzipSync(text).subarray(0, -12) },
      });
      expect((await get(url)).body?.toString()).to.match(/^<p>wörld/);
    });

    const bomb = Buffer.alloc(100 * MEGABYTES);
    for (const [coding, pack] of Object.entries({
      gzip: gzipSync,
      br: brotliCompressSync,
      deflate: deflateSync,
      zstd: zstdCompressSync,
    }))
      it(`stops a ${coding} bomb at the limit`, async () => {
        const { url } = await site({
          "/": {
            headers: { "content-encoding": coding },
            body: coding === "br" ? pack(bomb.subarray(0, 20 * MEGABYTES)) : pack(bomb),
          },
        });
        const { code, detail } = await failure(get(url));
        expect(code).to.equal("too_large");
        expect(detail).to.include("larger than 10 MB");
      });

    it("does not decode three encodings, nor unknown ones", async () => {
      for (const coding of ["gzip, gzip, gzip", "compress", "constructor"]) {
        const { url } = await site({ "/": { headers: { "content-encoding": coding }, body: "x" } });
        expect((await failure(get(url))).code, coding).to.equal("invalid_response");
      }
    });

    it("stops a body that never ends", async () => {
      const { url } = await site({
        "/": (_request, response) => {
          const chunk = Buffer.alloc(256_000, 32);
          const more = (): void => {
            while (!response.destroyed && response.write(chunk));
          };
          response.on("drain", more);
          more();
        },
      });
      expect((await failure(get(url))).code).to.equal("too_large");
    });

    it("does not read a body that is announced as too large, or that is not wanted", async () => {
      const { url } = await site({ "/": { headers: { "content-length": "11000000" }, body: "x" } });
      expect((await failure(get(url))).code).to.equal("too_large");
      const response = await get(url, { maxBytes: () => 0 });
      expect(response.status).to.equal(200);
      expect(response.body).to.equal(undefined);
    });
  });

  describe("connections", () => {
    it("names the reason: no server, no such host, no TLS, no HTTP", async () => {
      const { url, close } = await serveSite({ "/": "x" });
      expect((await failure(get(url.replace("http:", "https:")))).code).to.equal("tls_error");
      await close();
      const unreachable = await failure(get(url));
      expect(unreachable.code).to.equal("unreachable");
      expect(unreachable.detail).to.include(url).and.include("ECONNREFUSED");
      const unknown = await failure(get("http://no-such-host.invalid/"));
      expect(unknown.code).to.equal("dns_error");
      expect(unknown.detail).to.include("http://no-such-host.invalid/");
      const nonsense = await rawServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
      expect((await failure(get(nonsense))).code).to.equal("invalid_response");
    });

    it("retries once when a connection is closed without a response, and counts that as a request", async () => {
      const url = await rawServer((socket, connection) => {
        if (connection === 1) socket.destroy();
        else socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
      });
      let asked = 0;
      const response = await get(url, { beforeRequest: async () => void asked++ });
      expect(response.body?.toString()).to.equal("hi");
      expect(asked).to.equal(2);
      const never = await rawServer((socket) => socket.destroy());
      expect((await failure(get(never))).code).to.equal("unreachable");
    });

    it("keeps the connection after HEAD, whatever the length of what GET would give", async () => {
      const served = await site({ "*": { headers: { "content-length": String(10 * MEGABYTES) } } });
      let connections = 0;
      served.server.on("connection", () => (connections += 1));
      const none = { method: "HEAD", maxBytes: () => 0 } as const;
      for (const path of "abcdef") expect(await get(served.url + path, none)).to.have.property("status", 200);
      // The next request may be there before the connection is free, as with GET.
      expect([connections <= 2, served.requests.length]).to.deep.equal([true, 6]);
    });

    it("does not take a body that a server sends after HEAD for the next response", async () => {
      for (const status of ["200 OK", "404 Not Found"]) {
        const closed = Promise.withResolvers<void>();
        const url = await rawServer((socket, connection) => {
          if (connection > 1) return void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
          socket.write(`HTTP/1.1 ${status}\r\nconnection: keep-alive\r\ncontent-length: 4\r\n\r\nbody`);
          socket.on("close", () => closed.resolve());
        });
        await get(url, { method: "HEAD", maxBytes: () => 0 });
        await closed.promise;
        expect((await get(url)).body?.toString(), status).to.equal("hi");
      }
    });

    it("does not count the wait before a repeated request as the page's time", async () => {
      const url = await rawServer((socket, connection) => {
        if (connection === 1) socket.destroy();
        else socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
      });
      const { now } = performance;
      let asked = 0;
      const beforeRequest = async () => {
        asked += 1;
        // An hour passes in no time.
        if (asked === 2) performance.now = () => now.call(performance) + 3_600_000;
      };
      try {
        expect(await get(url, { beforeRequest })).to.have.property("status", 200);
      } finally {
        performance.now = now;
      }
      expect(asked).to.equal(2);
    });

    it("ends when the caller aborts it", async () => {
      const stop = new AbortController();
      const { url } = await site({ "/": () => stop.abort(new Error("enough")) });
      const thrown = await get(url, { signal: stop.signal }).catch((error: unknown) => error);
      expect(thrown).to.equal(stop.signal.reason);
    });

    it("limits the time for the whole response, however busy the server looks", async () => {
      const hasty = createGuardedFetch(addressPolicy(["127.0.0.0/8"]), { timeoutMs: 200 });
      closers.push(hasty.close);
      const silent = await rawServer(() => {});
      const dripping = await rawServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
        const timer = setInterval(() => socket.write("x"), 20);
        socket.on("close", () => clearInterval(timer));
      });
      const { url: circling } = await site({
        "*": { status: 302, headers: { location: "/y" }, delayMs: 150 },
      });
      // On a busy machine the time may be over before the response begins, or be granted again: then once more.
      const timesOut = (url: string, detail: RegExp) =>
        eventually(async () => {
          const failed = await failure(get(url, {}, hasty));
          return failed.code === "timeout" && detail.test(failed.detail);
        });
      await timesOut(silent, /^http:.* did not respond in time/);
      await timesOut(circling, /^http:.* did not respond in time/);
      await timesOut(dripping, /^http:.* responded with 200, but its response was not complete in time \(\d+ bytes/);
    });

    it("can cut a body that is too large, a compressed one up to 10 MB", async () => {
      const { url, origin } = await site({
        "/": (_request, response) => void response.end("0123456789"),
        "/streamed": (_request, response) => {
          response.write("01234");
          response.end("56789");
        },
        "/identity": { headers: { "content-encoding": "identity" }, body: "0123456789" },
        "/gzip": { headers: { "content-encoding": "gzip" }, body: gzipSync("0123456789".repeat(100)) },
        "/bomb": { headers: { "content-encoding": "gzip" }, body: gzipSync("0123456789".repeat(1_000_001)) },
      });
      const cut = { maxBytes: () => 7, tooLarge: "cut" as const };
      for (const one of [url, `${origin}/streamed`, `${origin}/identity`, `${origin}/gzip`])
        expect(String((await get(one, cut)).body), one).to.equal("0123456");
      expect((await failure(get(`${origin}/bomb`, cut))).code).to.equal("too_large");
    });

    it("skips early hints", async () => {
      const url = await rawServer((socket) =>
        socket.end("HTTP/1.1 103 Early Hints\r\nlink: </s>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"),
      );
      expect((await get(url)).body?.toString()).to.equal("hi");
    });
  });
});
