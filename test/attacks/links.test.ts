import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { expect } from "chai";
import { foundLinks, reportOfLinks } from "../support/check-links.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type Route, type Routes, type Site, serveSite } from "../support/site.ts";
import { limitOf } from "../support/wait.ts";

const page = (body: string): string => `<!DOCTYPE html><html lang="en"><title>t</title>${body}</html>`;
const links = (urls: readonly string[]): string => urls.map((url) => `<a href="${url}"></a>`).join("");
const numbers = (length: number): number[] => Array.from({ length }, (_, n) => n);
const css = (body: string): Route => ({ headers: { "content-type": "text/css" }, body });
/** Redirects to the address in its query. */
const out: Route = (request, response) => {
  response.writeHead(302, { location: decodeURIComponent(request.url?.split("?")[1] ?? "") }).end();
};
const to = (url: string): string => `/out?${encodeURIComponent(url)}`;

describe("Link checks of a hostile site", function () {
  this.timeout(limitOf(60));
  let database: TestDatabase;
  const closing: (() => Promise<unknown>)[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const serve = async (routes: Routes, address?: string): Promise<Site> => {
    const site = await serveSite(routes, address);
    closing.push(site.close);
    return site;
  };
  /** A server that writes what it likes. @returns its origin */
  const serveBytes = async (onConnection: (socket: Socket) => void): Promise<string> => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", resolve));
    closing.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    const address = server.address();
    return `http://127.0.0.2:${typeof address === "object" ? address?.port : ""}`;
  };
  const check = async (site: Site, options: Parameters<typeof reportOfLinks>[2] = {}, spec = {}) =>
    foundLinks(
      database,
      await reportOfLinks(database, { startingUrl: site.url, pageTimeoutSeconds: 1, ...spec }, options),
    );
  const rules = (found: Awaited<ReturnType<typeof check>>) => found.map(({ rule }) => rule);

  it("do not ask a host more often because others redirect to it", async () => {
    const victim = await serve({ "*": "" }, "127.0.0.2");
    const others = [await serve({ "/out": out }, "127.0.0.3"), await serve({ "/out": out }, "127.0.0.4")];
    const targets = numbers(4).flatMap((n) => ["", ...others.map(({ origin }) => origin)].map((by) => ({ by, n })));
    const site = await serve({
      "/": page(links(targets.map(({ by, n }) => by + to(`${victim.origin}/${n}?${by.length}${by.at(-6)}`)))),
      "/out": out,
    });
    await check(site);
    const times = victim.requests.map(({ at }) => at);
    expect(new Set(victim.requests.map(({ path }) => path)).size, "each is asked once").to.equal(times.length);
    expect(times.length).to.be.above(6);
    // In the mean: what comes late to a busy machine is close to the next. Of each host by itself it would be less than 100.
    expect(((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1)).to.be.above(140);
  });

  it("do not count all ports of a host as hosts of their own", async () => {
    const victims = [await serve({ "*": "" }, "127.0.0.2"), await serve({ "*": "" }, "127.0.0.2")];
    const site = await serve({
      "/": page(links(victims.flatMap(({ origin }) => numbers(3).map((n) => `${origin}/${n}`)))),
    });
    await check(site);
    const times = victims.flatMap(({ requests }) => requests.map(({ at }) => at)).toSorted((a, b) => a - b);
    expect(times.length).to.equal(6);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).to.be.above(800);
  });

  it("do not blame the site for the hosts to which it redirects", async () => {
    const busy = await serve({ "*": { status: 429 } }, "127.0.0.2");
    const dead = numbers(12).map((n) => to(`http://127.0.0.3:9/${n}`));
    const head = '<link rel="stylesheet" href="/s.css">';
    const site = await serve({
      "/": page(head + links([...dead, to(`${busy.origin}/`)])),
      "/s.css": css("a { b: url(/late.png) }"),
      ...{ "/out": out, "/late.png": "" },
    });
    const found = await check(site, {}, { maxPages: 1 });
    expect(found.filter(({ message }) => message.includes("/late.png"))).to.deep.equal([]);
    // Asked when all links have been: what a sheet names comes after them.
    expect(site.requests.at(-1)?.path).to.equal("/late.png");
    expect(found.filter(({ rule }) => rule === "unverified-link").map(({ message }) => message)).to.include(
      `The link to ${site.origin}${to(`${busy.origin}/`)} could not be verified: ${busy.origin}/ responds with 429 Too Many Requests, as some servers do to programs.`,
    );
  });

  it("do not follow a redirect to what ends the session, or is excluded", async () => {
    const site = await serve({
      "/": page('<img src="/a.png"><img src="/b.png">'),
      "/a.png": { status: 302, headers: { location: "/logout" } },
      "/b.png": { status: 302, headers: { location: "/secret" } },
    });
    const credentials = { host: new URL(site.url).host, username: "u", password: "p" };
    expect(await check(site, { credentials }, { exclusions: ["/secret"] })).to.deep.equal([]);
    expect(site.requests.map(({ path }) => path))
      .to.include("/b.png")
      .and.not.include.oneOf(["/logout", "/secret"]);
  });

  it("do not accuse what only this client cannot request", async () => {
    const long = `/?${"x".repeat(2_500)}`;
    const other = await serve({ "/out": out, "*": "" }, "127.0.0.2");
    const given = [long, to("mailto:a@b.example"), to("http://u:p@127.0.0.2/"), `/long`].map(
      (path) => other.origin + path,
    );
    const toLong: Route = { status: 302, headers: { location: long } };
    const withLong = await serve({ "/out": out, "/long": toLong, "*": "" }, "127.0.0.3");
    const site = await serve({ "/": page(links([...given, `${withLong.origin}/long`])) });
    expect(await check(site)).to.deep.equal([]);
  });

  it("do not ask private addresses, by redirect or by name", async () => {
    const hidden = await serve({ "*": "" }, "127.0.0.9");
    const byName = await serve({ "*": "" }, "127.0.0.1");
    const other = await serve({ "/out": out }, "127.0.0.3");
    const { port } = new URL(byName.url);
    const site = await serve(
      { "/": page(links([other.origin + to(hidden.url), hidden.url, `http://localhost:${port}/`])) },
      "127.0.0.2",
    );
    const found = await check(site, { cidrs: ["127.0.0.2/31"] });
    expect(rules(found)).to.deep.equal(new Array(3).fill("unverified-link"));
    expect([...hidden.requests, ...byName.requests]).to.deep.equal([]);
  });

  it("end at hosts that hang, drip, never end their headers, or redirect for ever", async () => {
    const hangs = await serveBytes(() => {});
    const drips = await serveBytes((socket) => {
      const drops = `HTTP/1.1 200 OK\r\nx: ${"y".repeat(1_000)}`[Symbol.iterator]();
      const timer = setInterval(() => socket.write(drops.next().value ?? "y"), 50);
      socket.on("close", () => clearInterval(timer));
    });
    const headers = await serveBytes((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const more = (): void => {
        while (socket.writable && socket.write(`x: ${"y".repeat(1_000)}\r\n`));
      };
      socket.on("drain", more);
      more();
    });
    let hops = 0;
    const onward: Route = (_, response) => {
      hops += 1;
      response.writeHead(302, { location: `/${hops}` }).end();
    };
    const forEver = await serve({ "*": onward }, "127.0.0.3");
    const site = await serve({ "/": page(links([`${hangs}/`, `${drips}/`, `${headers}/`, forEver.url])) });
    const found = await check(site);
    expect(rules(found)).to.deep.equal([...new Array(3).fill("broken-external-link"), "unverified-link"]);
    const why = found.map(({ message }) => message.replace(/^.* (?:is broken|could not be verified): /, ""));
    expect(why).to.deep.equal([
      ...["it does not respond in time.", "it does not respond in time."],
      "its server's response is not valid HTTP.",
      "it redirects too often, or in a loop, but a browser may get there.",
    ]);
    expect(hops).to.be.at.most(12);
  });

  it("believe GET where HEAD leads elsewhere within the host, hangs, or is not answered in HTTP", async () => {
    const onlyGet =
      (head: (response: ServerResponse) => void): Route =>
      (request: IncomingMessage, response) => {
        if (request.method === "HEAD") head(response);
        else response.end();
      };
    const other = await serve(
      {
        "/leads": onlyGet((response) => void response.writeHead(302, { location: "/gone" }).end()),
        "/hangs": onlyGet(() => {}),
        "/closes": onlyGet((response) => void response.destroy()),
        "/breaks": onlyGet((response) => void response.socket?.end("nonsense\r\n\r\n")),
      },
      "127.0.0.2",
    );
    // One limit of time for HEAD and GET each.
    const paths = ["/leads", "/hangs", "/closes", "/breaks"];
    const site = await serve({ "/": page(links(paths.map((path) => other.origin + path))) });
    expect(await check(site)).to.deep.equal([]);
  });

  it("ask once for what one style sheet names, however often a page names the sheet", async () => {
    const named = numbers(1_000).map((n) => `/i${n}.png`);
    const site = await serve({
      "/": page('<link rel=stylesheet href="/s.css">'.repeat(5_000)),
      "/s.css": css(named.map((url) => `a{b:url(${url})}`).join("")),
      "*": (request, response) =>
        void response.writeHead(named.includes(request.url ?? "") && request.url !== "/i7.png" ? 200 : 404).end(),
    });
    const found = await check(site);
    expect(found.map(({ message }) => message)).to.deep.equal([
      `The image ${site.origin}/i7.png, which the style sheet ${site.origin}/s.css names, is broken: it responds with 404 Not Found.`,
    ]);
    expect(site.requests.filter(({ path }) => path === "/s.css").length).to.equal(1);
  });

  it("do not go round in style sheets that import each other, and believe no address that is cut", async () => {
    const room = 2_000_000 - "a{b:url(/there.p".length;
    const site = await serve({
      "/": page('<link rel=stylesheet href="/a.css"><link rel=stylesheet href="/large.css">'),
      "/a.css": css('@import "/b.css";'),
      "/b.css": css('@import "/a.css"; @import "/b.css";'),
      "/large.css": css(`${'@import "/b.css";'.padEnd(room)}a{b:url(/there.png)}`),
      "/there.png": "",
    });
    expect(await check(site)).to.deep.equal([]);
    const asked = site.requests.map(({ path }) => path).filter((path) => path.endsWith(".css"));
    expect(asked.toSorted()).to.deep.equal(["/a.css", "/b.css", "/large.css"]);
  });
});
