import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { expect } from "chai";
import { bodyOf, html, PASSWORD, page, USER } from "../../support/members-sites.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const FAULTY = '<img src="data:,">';
const form = page(
  "Sign in",
  `<form method="post" action="/login"><p><label>E-mail <input id="user" name="user"></label></p>
  <p><label>Password <input id="password" name="password" type="password"></label></p><button>Sign in</button></form>`,
);

type Members = {
  /** What a member sees; undefined for what is not there. */
  pages: (path: string) => string | undefined;
  /** Called with each request of a member. @returns whether it was answered */
  onVisit?: (path: string, session: string, response: ServerResponse) => boolean;
  /** Called before the answer to each try to sign in. @returns whether it was answered */
  onTry?: (tries: number, response: ServerResponse) => Promise<boolean> | boolean;
  /** A sign-in ends all sessions before it. */
  onlyOne?: boolean;
};

/** A site for members, which counts tries to sign in and sessions. */
async function serveMembers({ pages, onVisit, onTry, onlyOne = false }: Members) {
  const alive = new Set<string>();
  const counts = { tries: 0, signIns: 0 };
  const sessionOf = ({ headers }: IncomingMessage) => /(?:^|; )sid=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? "";
  const site = await serveSite({
    "/robots.txt": { status: 404 },
    "/login": async (request, response) => {
      if (request.method !== "POST") return html(response, form);
      const given = new URLSearchParams(await bodyOf(request));
      counts.tries += 1;
      if (await onTry?.(counts.tries, response)) return;
      if (given.get("user") !== USER || given.get("password") !== PASSWORD) return html(response, form);
      counts.signIns += 1;
      if (onlyOne) alive.clear();
      alive.add(`s${counts.signIns}`);
      response.writeHead(303, { location: "/", "set-cookie": `sid=s${counts.signIns}; Path=/; HttpOnly` }).end();
    },
    "*": (request, response) => {
      const [session, { pathname }] = [sessionOf(request), new URL(request.url ?? "", "http://any")];
      if (!alive.has(session)) return void response.writeHead(303, { location: "/login" }).end();
      if (onVisit?.(pathname, session, response)) return;
      const content = pages(pathname);
      html(response, content ?? page("Not found", ""), content === undefined ? 404 : 200);
    },
  });
  return { site, counts, end: (session: string) => alive.delete(session) };
}

const links = (count: number) => Array.from({ length: count }, (_, n) => `<a href="/p/${n}">Page ${n}</a>`).join(" ");
const members =
  (count: number, more = "") =>
  (at: string) =>
    at === "/"
      ? page("Start", more + links(count))
      : /^\/p\/\d+$/.test(at)
        ? page(`Page ${at}`, FAULTY + more)
        : undefined;

/** Each with a whole report by crawler, links and Chromium: how often somebody signs in, and that no page is lost. */
describe("a report has one session", function () {
  this.timeout(limitOf(90));
  let sandbox: Sandbox;
  const sites: Site[] = [];

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });
  after(() => sandbox.close());

  const serve = async (given: Members) => {
    const served = await serveMembers(given);
    sites.push(served.site);
    return served;
  };
  const check = async (site: Site, args: readonly string[] = [], password = PASSWORD, given?: unknown) => {
    const file = path.join(sandbox.folder, "sign-in.json");
    const steps = [
      { type: "navigate", url: `${site.origin}/login` },
      { type: "change", selector: "#user", value: USER },
      { type: "change", selector: "#password", value: password },
      { type: "click", selector: "button", assertedEvents: [{ type: "navigation" }] },
    ];
    await writeFile(file, JSON.stringify(given ?? steps));
    const all = ["check", site.url, "--sign-in", file, "--verbose", "--a11y", "--links", "--max-pages", "0", ...args];
    const { stdout, stderr, code } = await sandbox.start(all, {}).ended;
    return { stdout, code, all: stdout + stderr };
  };

  it("that a server's slow answer does not end, nor a server that has faults at first", async () => {
    const { site, counts } = await serve({
      pages: members(6),
      onTry: async (tries, response) => {
        if (tries > 1) await new Promise((resolve) => setTimeout(resolve, 20_000));
        else html(response, page("Sorry", "Try later"), 503);
        return tries === 1;
      },
    });
    const { stdout, all } = await check(site);
    expect(stdout, all).to.match(/Complete: 7 pages checked/);
    expect(stdout).to.include("image-alt  a11y critical, 6 elements on 6 pages");
    expect(counts).to.deep.equal({ tries: 2, signIns: 1 });
  });

  it("that is not tried for again when the site has refused it: accounts get locked", async () => {
    const { site, counts } = await serve({ pages: members(6) });
    const { all, code } = await check(site, ["--sign-in-tries", "5"], "wrong");
    expect(code, all).to.equal(2);
    expect(all).to.match(/still asks to sign in.* This was try 1 of 5, by the crawler at .*accounts get locked/);
    expect(counts).to.deep.equal({ tries: 1, signIns: 0 });
  });

  for (const [what, link, goesTo] of [
    ["an icon without a text", '<a href="/x9"><svg width="9" height="9"><path d="M0 0h9"/></svg></a>', "the form"],
    ["an image", '<a href="/x9"><img src="data:," alt="Door"></a>', "a good-bye"],
    // It has the name of a form, which is visited last.
    ["a form", '<a href="/things/new">Again</a>', "the form"],
  ] as const)
    it(`that an address without a name ends by ${what} once, and leads to ${goesTo}`, async () => {
      const { site, counts, end } = await serve({
        pages: members(32, link),
        onVisit: (at, session, response) => {
          if (!link.includes(`"${at}"`)) return false;
          end(session);
          if (goesTo === "the form") response.writeHead(303, { location: "/login" }).end();
          else html(response, page("Good-bye", "<p>See you.</p>"));
          return true;
        },
      });
      const { stdout, all } = await check(site);
      for (const kind of ["html", "a11y"])
        expect(stdout, all).to.match(
          /(?:img\/alt {2}html|image-alt {2}a11y critical), (?:32|64) elements on 32 pages/,
          kind,
        );
      expect(stdout)
        .to.include("A visit to an address ended the session")
        .and.include(site.origin + /href="([^"]*)/.exec(link)?.[1]);
      expect(stdout).not.to.match(/\/p\/\d+\n.*login_required/);
      expect(counts.signIns).to.be.within(2, 8);
    });

  it("where a sign-in ends the session before it, and each ends after some requests", async () => {
    const used = new Map<string, number>();
    const served = await serve({
      onlyOne: true,
      pages: members(20),
      onVisit: (_path, session) => {
        used.set(session, (used.get(session) ?? 0) + 1);
        if ((used.get(session) ?? 0) > 30) served.end(session);
        return false;
      },
    });
    const { stdout, all } = await check(served.site);
    expect(stdout, all).to.match(/Complete: 21 pages checked/);
    expect(stdout).not.to.include("ended the session");
  });

  it("whose token is in IndexedDB, localStorage or sessionStorage alone", async () => {
    const open = `const open = () => new Promise((done) => { const r = indexedDB.open("auth", 3);
      r.onupgradeneeded = () => r.result.createObjectStore("tokens", { keyPath: "id" }).createIndex("at", "at");
      r.onsuccess = () => done(r.result.transaction("tokens", "readwrite").objectStore("tokens")); });`;
    const read = {
      "/db": `${open} const get = async () => new Promise(async (done) => { const r = (await open()).get("me");
        r.onsuccess = () => done(r.result?.at instanceof Date && r.result.token); });`,
      "/local": "const get = async () => localStorage.token;",
      "/tab": "const get = async () => sessionStorage.token;",
    };
    const app = (script: string) =>
      page(
        "App",
        `<main></main><script>${script} get().then((token) => {
          if (!token) location.href = "/login";
          else fetch("/api", { headers: { authorization: token } }).then((r) => r.text()).then((t) => { document.querySelector("main").innerHTML = t; }); });</script>`,
      );
    const site = await serveSite({
      "/robots.txt": { status: 404 },
      "/login": page(
        "Sign in",
        `<form><label>E-mail <input id="user"></label> <label>Password <input id="password" type="password"></label><button>Sign in</button></form>
        <script>${open} document.querySelector("form").onsubmit = (event) => { event.preventDefault(); (async () => {
          localStorage.token = sessionStorage.token = "good";
          const put = (await open()).put({ id: "me", at: new Date(), token: "good" });
          put.onsuccess = () => { location.href = "/"; }; })(); };</script>`,
      ),
      "/api": (request, response) =>
        request.headers.authorization === "good"
          ? html(response, `${FAULTY}<a href="/db">db</a> <a href="/local">local</a> <a href="/tab">tab</a>`)
          : void response.writeHead(401).end(),
      "/": app(read["/db"]),
      ...Object.fromEntries(Object.entries(read).map(([at, script]) => [at, app(script)])),
    });
    sites.push(site);
    const { stdout, all } = await check(site, ["--dynamic"]);
    expect(stdout, all).to.include("image-alt  a11y critical, 4 elements on 4 pages");
    expect(all).not.to.include("login_required");
  });

  it("that outlives the browser in which somebody signs in, when that is killed meanwhile", async () => {
    const { site, counts } = await serve({
      pages: members(6),
      onTry: async (tries) => {
        if (tries > 1) return false;
        for (const { pid, command } of sandbox.processes())
          if (/--remote-debugging-pipe/.test(command)) process.kill(pid, "SIGKILL");
        return false;
      },
    });
    const { stdout, all } = await check(site);
    expect(stdout, all).to.match(/Complete: 7 pages checked/);
    expect(counts.signIns).to.be.within(1, 2);
  });
});
