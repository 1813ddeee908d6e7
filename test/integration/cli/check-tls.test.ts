import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { expect } from "chai";
import { createAuthority } from "../../support/certificates.ts";
import { startForwardProxy } from "../../support/forward-proxy.ts";
import { html, page } from "../../support/members-sites.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { type Routes, type Site, serveSite, type Tls } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

/** Whole reports of sites whose certificates are of no authority that everybody trusts. */
describe("check of a site with TLS of its own", function () {
  this.timeout(limitOf(60));
  const authority = createAuthority();
  let sandbox: Sandbox;
  const sites: { close: () => Promise<void> }[] = [];

  before(async () => {
    sandbox = await openSandbox();
  });
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });
  after(() => sandbox.close());

  const content = page("Own", '<img src="/x.png"><p id="a">x</p><p id="a">y</p><a href="/next">Next</a>');
  const serve = async (tls: Tls | undefined, routes: Routes = { "*": content }): Promise<Site> => {
    const site = await serveSite(
      { "/robots.txt": { status: 404 }, "/x.png": { status: 404 }, ...routes },
      "127.0.0.1",
      tls,
    );
    sites.push(site);
    return site;
  };
  const file = async (name: string, text: string): Promise<string> => {
    const where = path.join(sandbox.folder, name);
    await writeFile(where, text);
    return where;
  };
  const check = (url: string, args: readonly string[] = [], variables: Record<string, string> = {}) =>
    sandbox.start(["check", url, "--a11y", "--verbose", ...args], variables).ended;
  const expectWhole = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    expect(stdout, stderr).to.match(/Complete: 2 pages checked/);
    expect(stdout)
      .to.include("duplicate-id  html, 2 elements on 2 pages")
      .and.include("image-alt  a11y critical, 2 elements on 2 pages");
  };

  it("by an authority that is given on the command line, in the environment, or to Node", async () => {
    const ca = await file("ca.pem", authority.ca);
    const site = await serve(authority.issue(["127.0.0.1"]));
    expectWhole(await check(site.url, ["--ca", ca]));
    expectWhole(await check(site.url, [], { CA_FILES: ca }));
    expectWhole(await check(site.url, ["--dynamic"], { NODE_EXTRA_CA_CERTS: ca }));
    const { code, stdout, stderr } = await check(site.url);
    expect(code, stdout).to.equal(2);
    expect(stdout + stderr).to.include("TLS certificate or handshake was not accepted");
  });

  it("that asks for a client certificate, which no other host gets", async () => {
    const clients = createAuthority("Clients");
    const ada = clients.issue(["Ada"]);
    const seen = new Set<string>();
    const routes: Routes = {
      "*": (request, response) => {
        seen.add((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString() ?? "nobody");
        html(response, content);
      },
    };
    const tls: Tls = { ...authority.issue(["127.0.0.1"]), ca: clients.ca, requestCert: true };
    const site = await serve(tls, routes);
    const ca = await file("ca.pem", authority.ca);
    await file("ada.pem", ada.cert);
    await file("ada-key.pem", ada.key);
    const { host } = new URL(site.url);
    const config = await file(
      "own.yaml",
      `ca: ca.pem\nclientCert: ["${host}=ada.pem,ada-key.pem"]\ntargets: ["${site.url}"]\na11y: true\nverbose: true\n`,
    );
    expectWhole(await sandbox.start(["check", "--config", config], {}).ended);
    expect([...seen]).to.deep.equal(["Ada"]);

    const both = await file("both.pem", ada.cert + ada.key);
    seen.clear();
    expectWhole(await check(site.url, ["--ca", ca, "--client-cert", `127.0.0.1=${both}`]));
    expect([...seen]).to.deep.equal(["Ada"]);

    const elsewhere = await check(site.url, ["--ca", ca, "--client-cert", `shop.example.org=${both}`]);
    expect(elsewhere.code).to.equal(2);
    expect(elsewhere.stderr).to.include(
      "--client-cert has certificates for shop.example.org, and the target is on 127.0.0.1",
    );
  });

  it("whatever client certificates an operator or a configuration has for other hosts, and for a folder", async () => {
    const site = await serve(undefined);
    const ada = authority.issue(["Ada"]);
    const both = await file("others.pem", ada.cert + ada.key);
    expectWhole(await check(site.url, [], { CLIENT_CERTIFICATES: `shop.example.org=${both}` }));
    const config = await file("others.yaml", `clientCert: ["shop.example.org=others.pem"]\n`);
    expectWhole(await check(site.url, ["--config", config]));
    const folder = path.join(sandbox.folder, "site");
    await mkdir(folder);
    await writeFile(path.join(folder, "index.html"), content);
    const { stdout, stderr } = await check(folder, ["--client-cert", `shop.example.org=${both}`]);
    expect(stdout, stderr).to.match(/1 page checked/);
  });

  it("whose certificate is not verified because its host is named, and the report says so", async () => {
    const site = await serve(createAuthority().issue(["x.test"], -1));
    const result = await check(site.url, ["--insecure-tls", "127.0.0.1"]);
    expectWhole(result);
    expect(result.stdout).to.include("The TLS certificate of the site was not verified");
    const other = await check(site.url, ["--insecure-tls", "127.0.0.2"]);
    expect(other.code, other.stdout).to.equal(2);
  });

  it("that only a proxy reaches, which is told the password that no output has", async () => {
    const proxy = await startForwardProxy("ada:s3cret");
    sites.push(proxy);
    const ca = await file("ca.pem", authority.ca);
    const site = await serve(authority.issue(["shop.example.test"]));
    const plain = await serve(undefined);
    const variables = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    for (const { url } of [site, plain]) {
      const named = url.replace("127.0.0.1", "shop.example.test");
      const result = await check(named, ["--ca", ca], variables);
      expectWhole(result);
      expect(result.stdout + result.stderr).to.not.include("s3cret");
      expect(proxy.asked.join("\n")).to.include(new URL(named).host);
    }
    const wrong = { HTTPS_PROXY: proxy.url.replace("s3cret", "hunter2") };
    const refused = await check(site.url.replace("127.0.0.1", "shop.example.test"), ["--ca", ca], wrong);
    expect(refused.code).to.equal(2);
    expect(refused.stdout + refused.stderr)
      .to.include("responded with 407 Proxy Authentication Required")
      .and.not.include("hunter2");
  });

  it("says which file cannot be used, and why", async () => {
    const site = await serve(authority.issue(["127.0.0.1"]));
    const empty = await file("empty.pem", "nothing");
    for (const [args, said] of [
      [["--ca", empty], `The certificate authorities in ${empty} cannot be used: it has no certificate in PEM format.`],
      [["--ca", `${empty}.gone`], "ENOENT"],
      [["--client-cert", `127.0.0.1=${empty}`], `The client certificate in ${empty} cannot be used`],
      [["--client-cert", "shop"], "It must be a host with its files, such as shop.example.org=cert.pem,key.pem."],
      [["--insecure-tls", "https://a/"], "It must be a host, such as shop.example.org or shop.example.org:8443."],
    ] as const) {
      const { code, stderr } = await check(site.url, args);
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include(said);
    }
  });
});
