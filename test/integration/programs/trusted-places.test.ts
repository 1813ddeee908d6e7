import { chmod, chown, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const NOBODY = 65_534;
const PAGE =
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A</title></head><body><h1>A</h1></body></html>';

describe("Programs", () => {
  let sandbox: Sandbox;
  const inFolder = (...names: string[]) => path.join(sandbox.folder, ...names);
  const isThere = (file: string) =>
    readFile(file).then(
      () => true,
      () => false,
    );
  before(async () => {
    sandbox = await openSandbox();
  });
  after(() => sandbox.close());

  it("run no configuration of a folder that others may write to, and check without it", async () => {
    await mkdir(inFolder("shared", "dist"), { recursive: true });
    await writeFile(inFolder("shared", "dist", "index.html"), PAGE);
    const script = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(inFolder("owned"))}, "");`;
    await writeFile(inFolder("shared", "site-validator.config.js"), `${script} export default { targets: ["/"] };`);
    await chmod(inFolder("shared"), 0o1777);
    const { code, stderr } = await sandbox.start(["check", "./dist"], {}, { cwd: inFolder("shared") }).ended;
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(
      /^The configuration ".*shared\/site-validator\.config\.js" is not read: ".*shared" can be written by others \(owner \d+, mode 1777\)\./,
    );
    expect(await isThere(inFolder("owned"))).to.equal(false);
  });

  for (const program of ["check-html", "standalone"])
    it(`do not use a cache folder that others may write to: ${program}`, async () => {
      const cache = inFolder(`cache-${program}`);
      await mkdir(cache);
      await chmod(cache, 0o777);
      const environment = { CACHE_DIR: cache, DATA_DIR: inFolder("unused"), PORT: "0" };
      const { code, stderr } = await sandbox.start([program, "x.html"], environment).ended;
      expect(stderr).to.match(
        /^The cache folder ".*" is not used, .*: ".*" can be written by others \(owner \d+, mode 0777\)\. Set CACHE_DIR to /,
      );
      expect(code).to.equal(2);
    });

  it("show their help although others may write to the cache folder", async () => {
    await mkdir(inFolder("cache-help"));
    await chmod(inFolder("cache-help"), 0o777);
    const { code, stdout } = await sandbox.start(["--help"], { CACHE_DIR: inFolder("cache-help") }).ended;
    expect(stdout).to.match(/^Usage: /);
    expect(code).to.equal(0);
  });

  it("have a temporary cache where others may write to the default one, and remove it at their end", async function () {
    await mkdir(inFolder("cache-home"));
    await chmod(inFolder("cache-home"), 0o777);
    await writeFile(inFolder("page.html"), PAGE);
    const program = path.join(ROOT, "src/main/index.ts");
    const env = { CACHE_DIR: "", XDG_CACHE_HOME: inFolder("cache-home") };
    // Root's default is outside of this sandbox. For root, settle-cache.test.ts has the same on another folder.
    if (process.getuid?.() === 0) {
      console.warn("    NOT RUN: root's default cache folder is outside of this sandbox");
      return this.skip();
    }
    const command: [string, string] = [process.execPath, program];
    const { code, stderr } = await sandbox.start(["check-html", inFolder("page.html")], env, { command }).ended;
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/^The cache folder ".*" is not used, .*mode 0777\)\. Set CACHE_DIR to .*a temporary one/);
    expect(await sandbox.leftFiles()).to.deep.equal([]);
    expect(await readdir(inFolder("cache-home"))).to.deep.equal([]);
  });

  it("do not use a data folder, or a token in it, that others may have written", async function () {
    const dataDir = inFolder("data");
    await mkdir(dataDir);
    await chmod(dataDir, 0o777);
    const start = () => sandbox.start(["standalone"], { DATA_DIR: dataDir, PORT: "0" }).ended;
    expect((await start()).stderr).to.match(/^The data folder ".*data" is not used, .*mode 0777\)\. Set DATA_DIR to /);
    if (process.getuid?.() !== 0) {
      console.warn("    NOT RUN: only root can give a file to another user");
      return this.skip();
    }
    await chmod(dataDir, 0o711);
    await writeFile(path.join(dataDir, "secret-key"), "planted-planted-planted");
    await chown(path.join(dataDir, "secret-key"), NOBODY, NOBODY);
    const { code, stderr } = await start();
    expect(stderr).to.match(/The secret in ".*secret-key" is not used, .*belongs to another user \(owner 65534/);
    expect(code).to.equal(2);
  });

  it("are not run by a Node of a folder above the package", async () => {
    const package_ = inFolder("above", "site-validator");
    const planted = inFolder("above", "node_modules", `node-${process.platform}-${process.arch}`);
    await mkdir(path.join(planted, "bin"), { recursive: true });
    await writeFile(path.join(planted, "package.json"), "{}");
    await writeFile(path.join(planted, "bin", "node"), `#!/bin/sh\ntouch ${inFolder("node-was-run")}\n`, {
      mode: 0o755,
    });
    await mkdir(package_);
    await writeFile(path.join(package_, "package.json"), '{"type":"module"}');
    await cp(path.join(ROOT, "bin"), path.join(package_, "bin"), { recursive: true });
    const file = path.join(package_, "bin", "site-validator.js");
    await writeFile(file, (await readFile(file, "utf8")).replace("major: 22", "major: 999"));
    const { code, stderr } = await sandbox.start([], {}, { command: [process.execPath, file] }).ended;
    expect(stderr).to.match(/needs Node 999\.\d+ or newer\..* the npm package node-\S+ that has one is not installed/);
    expect(code).to.equal(2);
    expect(await isThere(inFolder("node-was-run"))).to.equal(false);
  });
});
