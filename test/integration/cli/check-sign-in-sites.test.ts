import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { bodyOf, html, PASSWORD, page, USER } from "../../support/members-sites.ts";
import { siteOfProvider, startProvider } from "../../support/oidc-site.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

/** Sites that people sign in to, in the ways that there are besides a form (check-sign-in.test.ts). */
describe("check of a site", function () {
  this.timeout(limitOf(60));
  let sandbox: Sandbox;
  const opened: { close: () => Promise<void> }[] = [];

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  after(() => sandbox.close());

  const serve = async (routes: Routes): Promise<Site> => {
    const site = await serveSite(routes);
    opened.push(site);
    return site;
  };
  const check = async (url: string, steps: unknown, args: readonly string[] = []) => {
    const file = path.join(sandbox.folder, "sign-in.json");
    await writeFile(file, JSON.stringify(steps));
    return sandbox.start(["check", url, "--sign-in", file, "--verbose", ...args], {}).ended;
  };
  const cookieOf = (header = "", name = "") => new RegExp(`(?:^|; )${name}=([^;]+)`).exec(header)?.[1];

  it("whose sign-in has a page for the name and one for the password", async () => {
    const site = await serve({
      "/robots.txt": { status: 404 },
      "/login": async (request, response) => {
        if (request.method !== "POST")
          return html(
            response,
            page("Who", '<form method="post"><label>E-mail <input name="user"></label><button>Next</button></form>'),
          );
        const user = new URLSearchParams(await bodyOf(request)).get("user") ?? "";
        response
          .writeHead(303, { location: "/password", "set-cookie": `who=${encodeURIComponent(user)}; Path=/` })
          .end();
      },
      "/password": async (request, response) => {
        const form =
          '<form method="post"><label>Password <input type="password" name="password"></label><button>Sign in</button></form>';
        if (request.method !== "POST") return html(response, page("Password", form));
        const isRight =
          decodeURIComponent(cookieOf(request.headers.cookie, "who") ?? "") === USER &&
          new URLSearchParams(await bodyOf(request)).get("password") === PASSWORD;
        if (!isRight) return html(response, page("Password", `<p>Wrong</p>${form}`), 403);
        response.writeHead(303, { location: "/", "set-cookie": "session=1; Path=/" }).end();
      },
      "*": (request, response) => {
        if (cookieOf(request.headers.cookie, "session") !== "1")
          return void response.writeHead(303, { location: "/login" }).end();
        html(response, page("In", '<p id="a">x</p><p id="a">y</p><a href="/one">One</a> <a href="/two">Two</a>'));
      },
    });
    const { stdout, stderr } = await check(site.url, [
      { type: "navigate", url: `${site.origin}/login` },
      { type: "change", selector: "aria/E-mail", value: USER },
      { type: "click", selector: "text/Next", assertedEvents: [{ type: "navigation" }] },
      { type: "change", selector: "[type=password]", value: PASSWORD },
      { type: "click", selector: "button" },
    ]);
    expect(stdout, stderr).to.match(/Complete: 3 pages checked/);
    expect(stdout).to.include("duplicate-id  html, 3 elements on 3 pages");
  });

  it("that locks an account after five failures, without locking it", async () => {
    let failures = 0;
    const form =
      '<form method="post"><input name="user" aria-label="E-mail"><input type="password" name="password" aria-label="Password"><button>Sign in</button></form>';
    const site = await serve({
      "/robots.txt": { status: 404 },
      "/login": async (request, response) => {
        if (request.method === "POST") failures += 1;
        html(response, page("Sign in", failures >= 5 ? "<p>Your account is locked.</p>" : form));
      },
      "*": (_request, response) => void response.writeHead(303, { location: "/login" }).end(),
    });
    const { code, stdout, stderr } = await check(
      site.url,
      [
        { type: "navigate", url: `${site.origin}/login` },
        { type: "change", selector: "[type=password]", value: "wrong" },
        { type: "click", selector: "button" },
      ],
      ["--a11y", "--links"],
    );
    expect(code, stdout + stderr).to.equal(2);
    expect(stdout + stderr).to.include("still asks to sign in");
    expect(failures).to.be.within(1, 3);
  });

  it("whose sign-in is an OpenID Connect provider on another host", async () => {
    let issuer = "";
    const site = await serve(siteOfProvider(() => issuer, page));
    const provider = await startProvider(`${site.origin}/callback`);
    opened.push(provider);
    issuer = provider.issuer;
    const { stdout, stderr } = await check(site.url, {
      steps: [
        { type: "navigate", url: site.url },
        { type: "change", selector: "[name=login]", value: "ada" },
        { type: "change", selector: "[name=password]", value: PASSWORD },
        { type: "click", selector: "button[type=submit]", assertedEvents: [{ type: "navigation" }] },
        { type: "click", selector: "text/Continue" },
      ],
      signed_in_when: { cookie: "session" },
      origins: [new URL(issuer).origin],
    });
    expect(stdout, stderr).to.match(/Complete: 3 pages checked/);
    expect(stdout).to.include("duplicate-id  html, 3 elements on 3 pages");
  });

  it("that is up before its name is in DNS, for crawler and browser alike", async () => {
    const hosts = new Set<string | undefined>();
    const site = await serve({
      "/robots.txt": { status: 404 },
      "*": (request, response) => {
        hosts.add(request.headers.host);
        html(response, page("New", '<img src="/x.png"><a href="/next">Next</a>'));
      },
    });
    const port = new URL(site.url).port;
    const { stdout, stderr } = await sandbox.start(
      ["check", `http://shop.example.test:${port}/`, "--a11y", "--resolve", `shop.example.test:${port}:127.0.0.1`],
      {},
    ).ended;
    expect(stdout, stderr).to.match(/Complete: 2 pages checked/);
    expect(stdout).to.include("image-alt  a11y critical, 2 elements on 2 pages");
    expect([...hosts]).to.deep.equal([`shop.example.test:${port}`]);
  });
});
