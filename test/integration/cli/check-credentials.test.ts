import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { expect } from "chai";
import { readProc } from "../../support/read-proc.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Route, type Routes, type Site, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const SECRET = "t0ken-of-the-preview";
const environment = { PREVIEW_TOKEN: SECRET };

const page = (body: string) =>
  `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title></head><body><main><h1>A page</h1>${body}</main></body></html>`;

/** Responds to requests that are let in, and with 403 to others. */
const guarded =
  (letIn: (request: IncomingMessage) => boolean, body: string): Route =>
  (request, response) => {
    const open = letIn(request);
    response.writeHead(open ? 200 : 403, { "content-type": "text/html" }).end(open ? body : page("<p>No</p>"));
  };
const siteFor = (letIn: (request: IncomingMessage) => boolean): Routes => ({
  "/": guarded(letIn, page('<p><a href="/inside">in</a></p>')),
  "/inside": guarded(letIn, page("<p>Inside</p>")),
});

describe("check of a site that does not open to everybody", () => {
  let sandbox: Sandbox;
  const sites: Site[] = [];

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });
  after(async () => {
    await sandbox.close();
  });

  const serve = async (routes: Routes) => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  const check = async (args: readonly string[], variables: Record<string, string> = environment) =>
    sandbox.start(["check", ...args], variables).ended;

  const header = (request: IncomingMessage) => request.headers["x-preview"] === SECRET;
  const cookie = (request: IncomingMessage) => /(^|; )sid=t0ken-of-the-preview(;|$)/.test(request.headers.cookie ?? "");
  const agent = (request: IncomingMessage) => request.headers["user-agent"] === "PreviewBot/1.0";
  const login = `Basic ${Buffer.from(`ada:${SECRET}`).toString("base64")}`;
  const password = ({ headers }: IncomingMessage) => headers.authorization === login;

  const doors: [string, (request: IncomingMessage) => boolean, string[]][] = [
    ["a header", header, ["--header", "X-Preview: $PREVIEW_TOKEN"]],
    ["a cookie", cookie, ["--cookie", "theme=dark", "--cookie", "sid=$PREVIEW_TOKEN"]],
    ["a user agent", agent, ["--user-agent", "PreviewBot/1.0"]],
    ["a password", password, ["--basic-auth", "ada"]],
  ];
  const variables = { ...environment, SITE_PASSWORD: SECRET };
  const opened = /^No issues found\.\n\n[\s\S]*? · (\d) pages · HTML: 0 errors/;

  for (const [what, letIn, args] of doors)
    it(`opens with ${what} alone`, async () => {
      const routes = siteFor(letIn);
      const site = await serve(letIn === password ? withChallenge(routes) : routes);
      const { code, stdout, stderr } = await check([site.url, ...args], variables);
      expect(opened.exec(stdout)?.[1], stdout + stderr).to.equal("2");
      expect(code).to.equal(0);
      expect(stdout + stderr).not.to.include(SECRET);
    });

  it("opens with all of them in a browser, with its accessibility", async () => {
    const links = doors.map((_, at) => `<a href="/${at}">${at}</a>`).join(" ");
    const pages = doors.map(([what, letIn], at) => [`/${at}`, guarded(letIn, page(`<p>By ${what}</p>`))]);
    const routes: Routes = { "/": guarded(header, page(`<p>${links}</p>`)), ...Object.fromEntries(pages) };
    const site = await serve(withChallenge(routes));
    const args = [...doors.flatMap(([, , given]) => given), "--dynamic", "--a11y"];
    const { code, stdout, stderr } = await check([site.url, ...args], variables);
    expect(opened.exec(stdout)?.[1], stdout + stderr).to.equal("5");
    expect(code).to.equal(0);
    expect(stdout + stderr).not.to.include(SECRET);
  });

  /** A browser sends a password only when it is asked for. */
  function withChallenge(routes: Routes): Routes {
    const challenging =
      (route: Route | undefined): Route =>
      async (request, response) => {
        if (request.headers.authorization === login && typeof route === "function") return route(request, response);
        response.writeHead(401, { "www-authenticate": 'Basic realm="preview"' }).end();
      };
    return Object.fromEntries(Object.entries(routes).map(([at, route]) => [at, challenging(route)]));
  }

  it("says how it stays closed without", async () => {
    const site = await serve(siteFor(header));
    const { code, stderr } = await check([site.url]);
    expect(stderr).to.match(/Could not check .*403/);
    expect(code).to.equal(2);
  });

  it("takes headers, cookies and a user agent from a configuration, and prints no value of them", async () => {
    const site = await serve(siteFor((request) => header(request) && cookie(request) && agent(request)));
    const config = path.join(sandbox.folder, "preview.yaml");
    await writeFile(
      config,
      `targets: [${site.url}]\nheaders: { X-Preview: $PREVIEW_TOKEN }\ncookies: { sid: ${SECRET} }\nuserAgent: PreviewBot/1.0\n`,
    );
    const checked = await check(["--config", config]);
    expect(checked.stdout, checked.stderr).to.match(/^No issues found\.\n\n[\s\S]*? · 2 pages/);
    const foreign = await serve(siteFor(() => true));
    const elsewhere = await check([foreign.url, "--config", config]);
    expect(elsewhere.stderr).to.include(
      `The --header, --cookie in ${config} apply to its own targets and are not sent to ${new URL(foreign.url).host}`,
    );
    expect(elsewhere.code).to.equal(0);
    expect(JSON.stringify(foreign.requests)).not.to.include(SECRET);
    const printed = await check(["--config", config, "--print-config"]);
    expect(printed.stdout).to.include("X-Preview: $PREVIEW_TOKEN").and.include("sid:").and.not.include(SECRET);
    expect(printed.code).to.equal(0);
  });

  it("leaves secrets in no environment, no command line, and nothing that it writes", async () => {
    const held: { end(text: string): void }[] = [];
    const site = await serve({
      "/": page('<p><a href="/held">held</a></p><p id="a">a</p><p id="a">b</p>'),
      "/held": (_, response) => void held.push(response),
    });
    const markdown = path.join(sandbox.folder, "summary.md");
    const sarif = path.join(sandbox.folder, "findings.sarif");
    const program = sandbox.start(
      [
        ...["check", site.url, "--header", "X-Preview: $PREVIEW_TOKEN", "--cookie", `sid=\${PREVIEW_TOKEN}s`, "--json"],
        ...["--basic-auth", "ada", "--markdown", markdown, "--sarif", sarif],
      ],
      { ...environment, SITE_PASSWORD: `${SECRET}-password`, LOG_LEVEL: "debug" },
    );
    await eventually(() => held.length > 0);
    for (const { pid, command } of sandbox.processes()) {
      const variables = readProc(pid, "environ");
      expect(`${command} ${variables}`.includes(SECRET), command).to.equal(false);
    }
    for (const response of held) response.end(page("<p>At last</p>"));
    const { code, stdout, stderr } = await program.ended;
    expect(code, stderr).to.equal(1);
    const written = [stdout, stderr, await readFile(markdown, "utf8"), await readFile(sarif, "utf8")];
    for (const text of written) expect(text).not.to.include(SECRET);
    expect(written[2])
      .to.match(/^#+ .*\n/m)
      .and.include(site.origin);
    expect(site.requests.map(({ headers }) => headers["x-preview"])).to.include(SECRET);
  });

  for (const [args, message] of [
    [["--header", "X-Preview: $NOWHERE"], /^--header X-Preview uses \$NOWHERE, which is not set in the environment/],
    [["--header", "Host: $PREVIEW_TOKEN"], /^--header number 1: Host cannot be set: it belongs to the connection/],
    [["--header", "Authorization: $PREVIEW_TOKEN", "--basic-auth", "ada"], /cannot be set beside a user name/],
    [["--basic-auth", "ada"], /^--basic-auth needs a password: set SITE_PASSWORD in the environment\.$/m],
  ] as const)
    it(`does not begin with a mistake: ${args.join(" ")}`, async () => {
      const site = await serve({ "*": page("") });
      const { code, stdout, stderr } = await check([site.url, ...args]);
      expect(stderr).to.match(message).and.not.include(SECRET);
      expect([code, stdout, site.requests]).to.deep.equal([2, "", []]);
    });

  it("sends nothing of it to another host that the site redirects to", async () => {
    const other = await serve({ "*": page("") });
    const site = await serve({
      "/": page('<p><a href="/away">away</a></p>'),
      "/away": { status: 302, headers: { location: other.url.replace("127.0.0.1", "localhost") } },
    });
    const args = ["--header", "X-Preview: $PREVIEW_TOKEN", "--cookie", "sid=$PREVIEW_TOKEN", "--dynamic", "--a11y"];
    await check([site.url, ...args, "--fail-on", "never"]);
    expect(JSON.stringify(other.requests)).not.to.include(SECRET);
    expect(JSON.stringify(site.requests)).to.include(SECRET);
  });
});
