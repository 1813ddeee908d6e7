import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, link, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { type ServedFolder, serveFolder } from "../../../../src/cli/check/targets/serve-folder.ts";
import { pathsIn, placeIn, sarifOfFiles, withoutOrigin } from "../../../../src/cli/check/targets/served-pages.ts";
import { stream, textOf } from "../../../support/cli.ts";

/** A copy of a file, or of a link itself. */
async function copyEntry(from: string, to: string): Promise<void> {
  const target = await readlink(from).catch(() => undefined);
  if (target === undefined) await writeFile(to, await readFile(from));
  else await symlink(target, to);
}

const origin = "http://127.0.0.1:40001";
const fileOf = (url: string) =>
  ({ [`${origin}/about`]: "dist/about.html", [`${origin}/a`]: "dist/a b#c.html", [`${origin}/x`]: "/x/y.html" })[url];
const served = { origin, fileOf };

describe("pages of a folder", () => {
  it("are named by their files, or by their paths where there is none", () => {
    const place = placeIn(served);
    expect(place(`${origin}/about`)).to.equal("dist/about.html");
    expect(place(`${origin}/gone?a=1`)).to.equal("/gone?a=1");
    expect(place("https://example.com/")).to.equal("https://example.com/");
    expect(pathsIn(served)(`${origin}/gone responded with 404, ${origin}/ too`)).to.equal(
      "/gone responded with 404, / too",
    );
  });

  it("are named without their address however a text is cut", async () => {
    const text = `<a href="${origin}/about">${origin}/</a> http://127.0.0.1:4000 ${origin.slice(0, -1)}`;
    for (let size = 1; size <= text.length; size++) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
      expect(await textOf(withoutOrigin(stream(pieces), served))).to.equal(
        `<a href="/about">/</a> http://127.0.0.1:4000 ${origin.slice(0, -1)}`,
      );
    }
  });

  it("are files in SARIF, as URIs, from the working directory where they are below it", async () => {
    const result = (uri: string) => ({ locations: [{ physicalLocation: { artifactLocation: { uri } } }] });
    const results = ["about", "a", "x", "gone", "./"].map(result);
    const log = { runs: [{ results, properties: { startingUrl: `${origin}/` } }] };
    const text = await textOf(sarifOfFiles(stream([JSON.stringify(log)]), served));
    const run = JSON.parse(text).runs[0];
    type Result = ReturnType<typeof result>;
    expect(run.results.map(({ locations: [one] }: Result) => one?.physicalLocation.artifactLocation.uri)).to.deep.equal(
      ["dist/about.html", "dist/a%20b%23c.html", pathToFileURL("/x/y.html").href, "gone", "./"],
    );
    expect(run.properties).to.deep.equal({ startingUrl: "/" });
  });
});

describe("a folder that is served", () => {
  let folder: string;
  let site: ServedFolder | undefined;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-served-"));
    await mkdir(path.join(folder, "dist", "docs"), { recursive: true });
    for (const name of ["index.html", "about.html", "docs/index.html", "404.html", "a b.html", "style.css", ".env"])
      await writeFile(path.join(folder, "dist", name), `content of ${name}`);
    await writeFile(path.join(folder, "secret.html"), "secret");
  });
  afterEach(async () => {
    await site?.close();
    site = undefined;
  });
  after(() => rm(folder, { recursive: true }));

  const serve = async (basePath = "/") => {
    site = await serveFolder(path.join(folder, "dist"), basePath);
    return site;
  };
  /** The path as it is: clients that parse URLs would resolve its dots. */
  async function get({ origin: address }: ServedFolder, name: string) {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request(address, { path: name, agent: false }, resolve).once("error", reject).end(),
    );
    response.setEncoding("utf8");
    return { status: response.statusCode, headers: response.headers, body: await textOf(response) };
  }

  it("has clean URLs, and knows the files of those that were asked for", async () => {
    const { fileOf: file, url, ...rest } = await serve();
    const all = { fileOf: file, url, ...rest };
    for (const [name, expected] of [
      ["/", "index.html"],
      ["/index.html", "index.html"],
      ["/about", "about.html"],
      ["/about.html", "about.html"],
      ["/about?x=1", "about.html"],
      ["/docs/", "docs/index.html"],
      ["/a%20b", "a b.html"],
    ] as const) {
      expect(await get(all, name)).to.include({ status: 200, body: `content of ${expected}` });
      expect(file(all.origin + name)).to.equal(path.join(folder, "dist", expected));
    }
    expect(await get(all, "/docs"))
      .to.deep.include({ status: 301 })
      .and.nested.include({ "headers.location": "/docs/" });
    expect((await get(all, "/about")).headers["content-type"]).to.match(/^text\/html/);
    expect(file(`${all.origin}/never`)).to.equal(undefined);
    expect(file("https://example.com/about")).to.equal(undefined);
  });

  it("says which document each response is, whatever it is called", async () => {
    await link(path.join(folder, "dist", "a b.html"), path.join(folder, "dist", "z.html"));
    await symlink("about.html", path.join(folder, "dist", "linked.html"));
    await writeFile(path.join(folder, "dist", "50% & #1?.html"), "x");
    const all = await serve("/base");
    for (const [location, ...names] of [
      ["/base/", "/base/", "/base/index.html", "/base/?x=1"],
      ["/base/about.html", "/base/about", "/base/about.html?v=2", "/base/linked.html"],
      ["/base/docs/", "/base/docs/", "/base/docs/index.html"],
      ["/base/a%20b.html", "/base/a%20b", "/base/z", "/base/z.html"],
      ["/base/50%25%20&%20%231%3F.html", "/base/50%25%20%26%20%231%3F.html"],
    ])
      for (const name of names) expect((await get(all, name)).headers["content-location"], name).to.equal(location);
    expect((await get(all, "/base/gone")).headers).not.to.have.property("content-location");
  });

  it("says which document a file with several names is, although a folder in it cannot be read", async () => {
    const inDist = (name: string) => path.join(folder, "dist", name);
    await mkdir(inDist("closed"));
    await writeFile(inDist("first.html"), "x");
    await link(inDist("first.html"), inDist("second.html"));
    const all = await serve();
    await chmod(folder, 0o755);
    await chmod(inDist("closed"), 0o000);
    const user = process.geteuid?.() ?? 1;
    // Root may read everything.
    if (user === 0) process.seteuid?.(65_534);
    try {
      for (const name of ["/second", "/first.html"])
        expect((await get(all, name)).headers["content-location"], name).to.equal("/first.html");
    } finally {
      if (user === 0) process.seteuid?.(user);
      await chmod(inDist("closed"), 0o700);
    }
  });

  it("has 404.html for what is not there, with status 404", async () => {
    const all = await serve();
    for (const name of ["/gone", "/about/more", "/404x.html"])
      expect(await get(all, name)).to.include({ status: 404, body: "content of 404.html" });
    await rm(path.join(folder, "dist", "404.html"));
    expect(await get(all, "/gone")).to.include({ status: 404, body: "Not Found\n" });
    await writeFile(path.join(folder, "dist", "404.html"), "content of 404.html");
  });

  it("does not serve what is outside of the folder, or hidden in it", async () => {
    const all = await serve();
    for (const name of [
      ...["/../secret.html", "/..%2fsecret.html", "/%2e%2e/secret.html", "/docs/../../secret", "/..%5csecret.html"],
      ...["//secret.html", "/.env", "/%00", "/about%00.html", "/%"],
    ]) {
      const { status, body } = await get(all, name);
      expect(status, name).to.be.within(400, 499);
      expect(body, name).not.to.match(/^secret|\.env/);
    }
  });

  describe("with links", () => {
    const inDist = (...names: string[]) => path.join(folder, "dist", ...names);
    const outside = "a symbolic link that leads out of the folder";
    before(async () => {
      await mkdir(path.join(folder, "dist-2"));
      await mkdir(path.join(folder, "elsewhere"));
      for (const name of ["dist-2", "elsewhere"]) await writeFile(path.join(folder, name, "index.html"), "secret");
      for (const [name, target] of Object.entries({
        ...{ "out.html": "../secret.html", "absolute.html": "/etc/hostname", "twice.html": "out.html" },
        ...{ "beside.html": "../dist-2/index.html", out: "../elsewhere", self: ".", up: "..", root: "/" },
        ...{
          "in.html": "about.html",
          "back.html": "../dist/about.html",
          "loop.html": "loop2.html",
          "loop2.html": "loop.html",
        },
        ...{ "git.html": ".git/config", "env.html": ".env", hidden: ".git", "deep.html": "docs/.hidden/x.html" },
        ...{ "gone.html": "nowhere.html", "null.html": "/dev/zero", docs2: "docs" },
      }))
        await symlink(target, inDist(name));
      for (const hidden of [".git", "docs/.hidden"]) await mkdir(inDist(hidden));
      for (const hidden of [".git/config", ".git/x.html", "docs/.hidden/x.html"])
        await writeFile(inDist(hidden), "secret");
      await promisify(execFile)("mkfifo", [inDist("pipe.html")]);
      const socket = createServer().listen(inDist("socket.html"));
      await once(socket, "listening");
      // A socket's file stays where its listener does not end in order.
      await rename(inDist("socket.html"), inDist("kept.html"));
      socket.close();
    });

    for (const [name, reason] of [
      ...["/out.html", "/out", "/absolute.html", "/twice", "/beside", "/null.html", "/out/", "/up/secret.html"],
      ...["/root/etc/passwd", "/self/out.html", "/docs2/../out.html?x=1"],
    ]
      .map((one) => [one, outside] as const)
      .concat([
        ...["/git.html", "/env", "/deep", "/hidden/x"].map((one) => [
          one,
          "a symbolic link that leads to a hidden file",
        ]),
        ["/loop.html", "a symbolic link that leads to itself"],
        ["/pipe.html", "neither a file nor a folder"],
        ["/kept", "neither a file nor a folder"],
      ] as never))
      it(`leaves out ${name}, and says why`, async () => {
        const all = await serve();
        const { status, body, headers } = await get(all, name);
        if (name.includes("..")) return expect(status).to.equal(404);
        expect([status, body]).to.deep.equal([200, `Left out: ${reason}\n`]);
        expect(headers["content-type"]).to.match(/^text\/plain/);
        expect(all.leftOut().map((one) => [one.url, one.reason])).to.deep.equal([[name, reason]]);
        expect(all.leftOut()[0]?.file).to.match(/dist\//);
        expect(all.fileOf(all.origin + name)).to.equal(undefined);
      });

    it("serves what links within it lead to", async () => {
      const all = await serve();
      for (const name of ["/in", "/back.html", "/self/about", "/self/self/in.html"])
        expect(await get(all, name), name).to.include({ status: 200, body: "content of about.html" });
      expect(await get(all, "/docs2/")).to.include({ status: 200, body: "content of docs/index.html" });
      expect((await get(all, "/gone.html")).status).to.equal(404);
      expect(all.leftOut()).to.deep.equal([]);
    });

    it("has no 404.html by a link out of it", async () => {
      await rename(inDist("404.html"), inDist("kept-404.html"));
      await symlink("../secret.html", inDist("404.html"));
      try {
        expect(await get(await serve(), "/nowhere")).to.include({ status: 404, body: "Not Found\n" });
      } finally {
        await rename(inDist("kept-404.html"), inDist("404.html"));
      }
    });

    it("serves nothing of a file that becomes a link while it is asked for", async () => {
      await mkdir(inDist("a"));
      await writeFile(inDist("a", "page.html"), "mine");
      const all = await serve();
      let running = true;
      // A folder and a file change between what is inside and what is outside, as fast as this machine can.
      const swap = (async () => {
        await symlink("../secret.html", inDist("link"));
        await writeFile(inDist("file"), "mine");
        for (; running; ) {
          for (const from of ["link", "file"]) {
            await copyEntry(inDist(from), inDist("next"));
            await rename(inDist("next"), inDist("swapped.html"));
          }
          await rename(inDist("a"), inDist("b"));
          await symlink("../elsewhere", inDist("a"));
          await rm(inDist("a"));
          await rename(inDist("b"), inDist("a"));
        }
      })();
      const seen = new Set<string>();
      try {
        for (let count = 0; count < 600; count++)
          for (const name of ["/swapped.html", "/a/page.html", "/a/index.html"]) seen.add((await get(all, name)).body);
      } finally {
        running = false;
        await swap;
      }
      expect([...seen].filter((body) => body.includes("secret"))).to.deep.equal([]);
      expect([...seen]).to.include("mine");
    });
  });

  for (const [basePath, base] of [
    ["/docs", "/docs/"],
    ["/a/b/", "/a/b/"],
    ["/v1.0 (new)*", "/v1.0%20(new)*/"],
    ["/:x", "/:x/"],
  ] as const)
    it(`begins at its base path, and has nothing beside it: ${basePath}`, async () => {
      const all = await serve(basePath);
      expect(all.url).to.equal(all.origin + base);
      expect(await get(all, base)).to.include({ status: 200, body: "content of index.html" });
      expect(await get(all, `${base}about`)).to.include({ status: 200, body: "content of about.html" });
      expect(all.fileOf(`${all.url}about`)).to.equal(path.join(folder, "dist", "about.html"));
      expect(await get(all, base.slice(0, -1))).to.include({ status: 301 });
      expect(await get(all, `${base}docs`)).to.nested.include({ "headers.location": `${base}docs/` });
      expect(await get(all, "/about")).to.include({ status: 404, body: "content of 404.html" });
    });

  it("is named from the working directory where it is below it", async () => {
    const link = path.join("node_modules", ".cache", `served-${process.pid}`);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(folder, "dist"), link);
    try {
      site = await serveFolder(path.resolve(link), "/");
      await get(site, "/about");
      expect(site.fileOf(`${site.origin}/about`)).to.equal(path.join(link, "about.html"));
    } finally {
      await rm(link);
    }
  });
});
