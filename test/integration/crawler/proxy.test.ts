import { request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { type FilteringProxy, startProxy } from "../../../src/net/proxy.ts";
import { createAuthority } from "../../support/certificates.ts";
import { connectTo, passFor, shownTo } from "../../support/proxy-client.ts";
import { type Site, serveSite } from "../../support/site.ts";

describe("the browser's proxy", () => {
  let open: FilteringProxy;
  let closed: FilteringProxy;
  let site: Site;
  let echo: Server;
  let connections = 0;

  before(async () => {
    open = await startProxy(addressPolicy(["127.0.0.0/8", "::1/128", "0.0.0.0/32"]));
    closed = await startProxy(addressPolicy([]));
    site = await serveSite({
      "/": { headers: { "set-cookie": ["a=1", "b=2"], "x-name": "value" }, body: "hello" },
      "/break": (request) => void request.socket.destroy(),
      "/nonsense": (request) => void request.socket.end("this is not HTTP\r\n\r\n"),
      "/echo": async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        response.end(
          JSON.stringify({ method: request.method, headers: request.headers, body: String(Buffer.concat(chunks)) }),
        );
      },
    });
    echo = createServer((socket: Socket) => {
      connections += 1;
      socket.on("error", () => {});
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await open.close();
    await closed.close();
    await site.close();
    await new Promise((resolve) => echo.close(resolve));
  });

  const echoPort = (): number => (echo.address() as AddressInfo).port;

  it("forwards requests and responses without the headers that are meant for the proxy", async () => {
    const answer = await through(open, site.url);
    expect(answer).to.include({ status: 200, body: "hello" });
    expect(answer.headers["set-cookie"]).to.deep.equal(["a=1", "b=2"]);
    const posted = await through(open, `${site.origin}/echo`, {
      method: "POST",
      headers: { "proxy-connection": "keep-alive", accept: "text/html" },
      body: "some text",
    });
    const seen = JSON.parse(posted.body) as { method: string; headers: Record<string, string>; body: string };
    expect(seen).to.include({ method: "POST", body: "some text" });
    expect(seen.headers).to.include({ accept: "text/html", host: new URL(site.url).host });
    expect(seen.headers).to.not.have.any.keys("proxy-connection", "proxy-authorization");
  });

  it("lets nobody in without a pass: other users of this machine get 407, and nothing is connected", async () => {
    const before = [site.requests.length, connections];
    const wrong = `Basic ${Buffer.from("browser:guessed").toString("base64")}`;
    for (const shown of ["", wrong, passFor(closed).authorization]) {
      const answer = await through(open, site.url, { headers: { "proxy-authorization": shown } });
      expect(answer.status, shown).to.equal(407);
      expect(answer.headers["proxy-authenticate"]).to.match(/^Basic realm=/);
      const line = shown && `proxy-authorization: ${shown}\r\n`;
      expect(await tunnel(open, `127.0.0.1:${echoPort()}`, "", line), shown).to.match(/^HTTP\/1\.1 407 /);
    }
    expect([site.requests.length, connections]).to.deep.equal(before);
    const pass = open.admit();
    const headers = { "proxy-authorization": pass.authorization };
    expect((await through(open, site.url, { headers })).status).to.equal(200);
    pass.end();
    expect((await through(open, site.url, { headers })).status).to.equal(407);
  });

  it("opens only the WebSockets that are expected where they come by a way of their own, and nothing else without a pass", async () => {
    const pass = open.admit();
    const expected: string[] = [];
    const rules = await pass.separateSockets(async (url) => {
      expected.push(url.host);
      return expected.length > 1;
    });
    const port = Number(/socks=http:\/\/127\.0\.0\.1:(\d+)/.exec(rules)?.[1]);
    const sockets = { ...open, port };
    const target = `127.0.0.1:${echoPort()}`;
    const before = connections;
    expect(await tunnel(sockets, target, "", "")).to.match(/^HTTP\/1\.1 403 /);
    expect(connections).to.equal(before);
    expect(await tunnel(sockets, target, "any bytes", "")).to.match(/ 200 .*any bytes$/s);
    expect(expected).to.deep.equal([target, target]);
    const answer = await through(sockets, site.url, { headers: { "proxy-authorization": "" } });
    expect(answer.status).to.equal(407);
    expect(await tunnel(sockets, `127.0.0.1:${port}`, "", "")).to.match(/ 502 /);
    pass.end();
    expect(await tunnel(sockets, target, "", "")).to.equal("");
  });

  it("rejects addresses that are not allowed, by name and by number, and says why", async () => {
    const { port } = new URL(site.url);
    const before = site.requests.length;
    for (const host of [
      "127.0.0.1",
      "localhost",
      "2130706433",
      "0x7f.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0.0.0.0",
      "169.254.169.254",
      "10.0.0.1",
    ]) {
      const url = `http://${host}:${port}/`;
      expect((await through(closed, url)).status, host).to.be.oneOf([403, 502]);
      expect(closed.failureOf(new URL(url).href), host).to.have.property("code", "blocked_address");
      expect(await tunnel(closed, `${host}:${port}`), host).to.match(/^HTTP\/1\.1 (403|502) /);
    }
    expect(site.requests.length).to.equal(before);
  });

  it("opens tunnels to allowed addresses for any protocol: TLS, WebSockets", async () => {
    const answer = await tunnel(open, `127.0.0.1:${echoPort()}`, "any bytes");
    expect(answer).to.equal("HTTP/1.1 200 Connection Established\r\n\r\nany bytes");
  });

  it("never connects to itself, under any name", async () => {
    for (const host of ["127.0.0.1", "localhost", "127.0.0.2", "0.0.0.0"]) {
      const url = `http://${host}:${open.port}/`;
      expect((await through(open, url)).status, host).to.be.oneOf([403, 502]);
      expect(await tunnel(open, `${host}:${open.port}`, "GET http://a/ HTTP/1.1\r\n\r\n"), host).to.not.contain(
        " 200 ",
      );
    }
  });

  it("reports why the last request to a server failed, until one succeeds", async () => {
    const gone = await serveSite({});
    await gone.close();
    expect((await through(open, gone.url)).status).to.equal(502);
    expect(open.failureOf(gone.url)).to.have.property("code", "unreachable");
    expect((await through(open, `${site.origin}/break`)).status).to.equal(502);
    expect(open.failureOf(`${site.origin}/break#part`)).to.have.property("code", "unreachable");
    await through(open, `${site.origin}/nonsense`);
    expect(open.failureOf(`${site.origin}/nonsense`)).to.have.property("code", "invalid_response");
    await through(open, "http://no-such-host.invalid/");
    expect(open.failureOf("http://no-such-host.invalid/")).to.have.property("code", "dns_error");
    expect(open.failureOf(site.url)).to.equal(undefined);
    await tunnel(open, new URL(gone.url).host);
    expect(open.failureOf(gone.url.replace("http:", "https:"))).to.have.property("code", "unreachable");
  });

  it("blames no server for a browser that leaves", async () => {
    const asked = Promise.withResolvers<Socket>();
    const silent = createServer((socket: Socket) => {
      socket.on("error", () => {});
      socket.once("data", () => asked.resolve(socket));
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const browser = connect(open.port, "127.0.0.1", () =>
      browser.write(`GET ${url} HTTP/1.1\r\nhost: a\r\nproxy-authorization: ${passFor(open).authorization}\r\n\r\n`),
    );
    browser.on("error", () => {});
    const socket = await asked.promise;
    const left = new Promise((resolve) => socket.once("close", resolve));
    browser.destroy();
    await left;
    await through(open, site.url);
    expect(open.hasReceived(url)).to.equal(true);
    expect(open.failureOf(url)).to.equal(undefined);
    await new Promise((resolve) => silent.close(resolve));
  });

  it("blames no server for a browser that does not speak TLS well", async () => {
    const tls = { authorities: [], clientCertificates: new Map(), insecureHosts: new Set(["127.0.0.1"]) };
    const ending = await startProxy({ ...addressPolicy(["127.0.0.0/8"]), tls });
    const secure = await serveSite({}, "127.0.0.1", createAuthority().issue(["127.0.0.1"]));
    try {
      const { host } = new URL(secure.url);
      const answer = await tunnel(ending, host, "\x16\x03\x01\x00\x05hello");
      expect(answer).to.match(/^HTTP\/1\.1 200 /);
      expect(ending.hasReceived(secure.url)).to.equal(true);
      expect(ending.failureOf(secure.url)).to.equal(undefined);
    } finally {
      await ending.close();
      await secure.close();
    }
  });

  it("asks once more when a server closes a connection that was idle, unless that may do something twice", async () => {
    const asked: string[] = [];
    const raw = createServer((socket: Socket) => {
      socket.on("error", () => {});
      let requests = 0;
      socket.on("data", (data) => {
        asked.push(`${data}`.split(" ", 1)[0] ?? "");
        requests += 1;
        // Each connection gives one response.
        if (requests > 1) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 5\r\n\r\nhello");
      });
    });
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    const proxy = await startProxy(addressPolicy(["127.0.0.0/8"]));
    const { port } = raw.address() as AddressInfo;
    const ask = (method: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const target = {
          port: proxy.port,
          path: `http://127.0.0.1:${port}/`,
          method,
          headers: shownTo(proxy),
          agent: false,
        };
        const sent = httpRequest(target, (response) => response.resume().on("end", () => resolve(response.statusCode)));
        sent.on("error", reject).end(method === "POST" ? "x" : undefined);
      });
    try {
      expect([await ask("GET"), await ask("GET")]).to.deep.equal([200, 200]);
      expect(asked).to.deep.equal(["GET", "GET", "GET"]);
      expect([await ask("GET"), await ask("POST")]).to.deep.equal([200, 502]);
    } finally {
      await proxy.close();
      raw.close();
    }
  });

  it("forwards headers that are named like members of JavaScript objects", async () => {
    const raw = createServer((socket: Socket) => {
      socket.on("error", () => {});
      socket.once("data", () =>
        socket.end(
          "HTTP/1.1 200 OK\r\nconstructor: a\r\ntoString: b\r\n__proto__: c\r\n__proto__: d\r\n" +
            "set-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 5\r\n\r\nhello",
        ),
      );
    });
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    try {
      const answer = await through(open, `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`);
      expect(answer).to.include({ status: 200, body: "hello" });
      expect(answer.rawHeaders.slice(0, 12)).to.deep.equal(
        "constructor a toString b __proto__ c __proto__ d set-cookie a=1 set-cookie b=2".split(" "),
      );
      expect(await through(open, site.url)).to.include({ status: 200, body: "hello" });
    } finally {
      await new Promise((resolve) => raw.close(resolve));
    }
  });

  it("responds with 400 to a request that is not for a proxy", async () => {
    for (const url of ["/", "ftp://example.com/", "http://user:password@example.com/"]) {
      expect((await through(open, url)).status, url).to.equal(400);
    }
    const before = connections;
    for (const target of ["no-port", "a:99999", "", `user@127.0.0.1:${echoPort()}`]) {
      expect(await tunnel(open, target), target).to.not.contain(" 200 ");
    }
    expect(connections).to.equal(before);
  });
});

type Answer = { status: number; headers: Record<string, unknown>; rawHeaders: string[]; body: string };

function through(
  proxy: FilteringProxy,
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest({
    host: "127.0.0.1",
    port: proxy.port,
    path: url,
    method: options.method ?? "GET",
    headers: { host: "ignored", ...shownTo(proxy), ...options.headers },
  });
  request.once("error", reject);
  request.once("response", async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const { statusCode: status = 0, headers, rawHeaders } = response;
    resolve({ status, headers, rawHeaders, body: String(Buffer.concat(chunks)) });
  });
  request.end(options.body);
  return promise;
}

/** Everything that a tunnel returns until it ends, or until it has returned what was sent. */
function tunnel(proxy: FilteringProxy, target: string, send = "", shown?: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = "";
  const socket = connect(proxy.port, "127.0.0.1", () =>
    socket.write(
      (shown === undefined ? connectTo(proxy, target) : `CONNECT ${target} HTTP/1.1\r\n${shown}\r\n`) + send,
    ),
  );
  socket.on("data", (chunk) => {
    received += String(chunk);
    if (send && received.endsWith(send)) socket.destroy();
  });
  socket.on("error", () => {});
  socket.once("close", () => resolve(received));
  return promise;
}
