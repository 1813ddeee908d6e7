import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import type { ExportedFinding } from "../../src/domain/export/exported.ts";
import { CACHE } from "../support/cache.ts";
import { serveSite } from "../support/site.ts";
import { eventually, limitOf } from "../support/wait.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const PAGE = '<!doctype html>\n<html lang="en"><title>Bakery</title>\n<p><center>Bread</center></p></html>\n';

describe("The bundle of the programs", function () {
  this.timeout(limitOf(60));

  /** A copy of this checkout, to edit and to break; its packages are links. */
  let checkout: string;
  let parent: string;
  /** The folder of the bundle that the next start uses, if any. */
  let current: () => string | undefined;

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), "sv-bundle-"));
    checkout = path.join(parent, "checkout");
    await mkdir(checkout);
    for (const name of ["bin", "packages", "src", "guides", "package.json"])
      await cp(path.join(ROOT, name), path.join(checkout, name), { recursive: true });
    await mkdir(path.join(checkout, "node_modules"));
    for (const name of await readdir(path.join(ROOT, "node_modules")))
      if (!name.startsWith(".") && name !== "html-conformance")
        await symlink(path.join(ROOT, "node_modules", name), path.join(checkout, "node_modules", name));
    await symlink("../packages/html-conformance", path.join(checkout, "node_modules/html-conformance"));
    ({ findBundle: current } = await import(pathToFileURL(path.join(checkout, "src/bundle/find.js")).href));
  });

  afterEach(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }));

  it("is made beside the first start, and the next one runs it", async () => {
    expect(await start("--help")).to.include("PROGRAM");
    await eventually(() => current() !== undefined);
    expect(ranFrom(current())).to.equal(false);
    expect(await start("--help")).to.include("PROGRAM");
    expect(ranFrom(current())).to.equal(true);
  });

  it("finds the same errors as the sources, with processes that have no rights", async () => {
    const page = path.join(checkout, "page.html");
    await writeFile(page, PAGE);
    const check = (engine: string) =>
      start("check-html", page, "--html-engine", engine, "--format", "json").catch(({ stdout }) => stdout as string);
    for (const engine of ["conformance", "html-validate"]) {
      await rm(path.join(checkout, "build"), { recursive: true, force: true });
      await rm(path.join(checkout, "node_modules/esbuild"), { force: true });
      const bySources = await check(engine);
      await symlink(path.join(ROOT, "node_modules/esbuild"), path.join(checkout, "node_modules/esbuild"));
      await build();
      expect(await check(engine), engine).to.equal(bySources);
      expect([ranFrom(current()), bySources.includes("center")], engine).to.deep.equal([true, true]);
      // Beside that start.
      await eventually(async () => (await snapshotsOf(current())).length === 2 || undefined);
      expect(await check(engine), `${engine}, from a snapshot`).to.equal(bySources);
    }
  });

  it("gets snapshots of engines' processes beside the next start, once", async () => {
    const folder = await build();
    expect(await snapshotsOf(folder)).to.deep.equal([]);
    await start("--help");
    await eventually(async () => (await snapshotsOf(folder)).length === 2 || undefined);
    const [made = ""] = await snapshotsOf(folder);
    await rm(path.join(folder, made));
    await addSnapshots();
    expect(await snapshotsOf(folder)).to.have.lengthOf(1);
  });

  it("gets no snapshots of sources that are edited meanwhile", async () => {
    const folder = await build();
    const adding = addSnapshots();
    await eventually(() => existsSync(path.join(folder, "checker/engines/html/conformance-worker.js.cjs")));
    await appendFile(path.join(checkout, "src/main/uninstall.ts"), "// edited\n");
    await adding;
    expect(await snapshotsOf(folder)).to.deep.equal([]);
  });

  it("finds in an image, where nothing can make one, what the sources find", async () => {
    const site = await serveSite({ "/": PAGE });
    const folder = path.join(checkout, "bundle");
    // An image is made without them.
    const { packages } = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8"));
    const optional = Object.keys(packages).filter((name) => packages[name].optional && !name.includes("esbuild"));
    expect(optional).to.include("node_modules/pg-cloudflare");
    for (const name of optional.filter((name) => !name.includes("@")))
      await rm(path.join(checkout, name), { force: true });
    await run(process.execPath, [path.join(checkout, "src/bundle/build.js"), folder], { cwd: checkout });
    await rm(path.join(checkout, "node_modules/esbuild"));
    // Not check-html, whose processes may read each file. The sources are not those of the copy: processes without rights
    // cannot follow the links to its packages.
    const check = async (file: string, engine: string) => {
      const args = ["check", site.url, "--html-engine", engine, "--json", "--fail-on", "never"];
      const { findings } = JSON.parse(await startFile(file, ...args));
      return (findings as ExportedFinding[]).map((finding) => ({ ...finding, first_seen_at: undefined }));
    };
    try {
      for (const engine of ["conformance", "html-validate"]) {
        const bySources = await check(path.join(ROOT, "src/main/index.ts"), engine);
        expect(bySources.map(({ html }) => html).join(), engine).to.include("center");
        // Its processes run from the bundle, too: the sources of their modules are not there.
        await rename(path.join(checkout, "src/checker"), path.join(parent, "checker"));
        expect(await check(path.join(folder, "main/index.js"), engine), engine).to.deep.equal(bySources);
        await rename(path.join(parent, "checker"), path.join(checkout, "src/checker"));
      }
    } finally {
      await site.close();
    }
  });

  it("is not used when a source was edited, even if size and time of the file are as before", async () => {
    await build();
    const file = path.join(checkout, "src/main/index.ts");
    const { atime, mtime } = await stat(file);
    await writeFile(file, (await readFile(file, "utf8")).replace("the HTTP API", "the EDITED 1"));
    await utimes(file, atime, mtime);
    expect(await start("--help")).to.include("the EDITED 1");
    await eventually(() => current() !== undefined);
    expect(await start("--help")).to.include("the EDITED 1");
    expect(ranFrom(current())).to.equal(true);
  });

  it("is not used when npm has changed the packages", async () => {
    const list = path.join(checkout, "node_modules/.package-lock.json");
    await writeFile(list, "{}");
    await build();
    await writeFile(list, '{"packages":{}}');
    expect(current()).to.equal(undefined);
  });

  it("is not used, and made again, when a part of it is missing or cut off", async () => {
    const main = async () => path.join(await build(), "main/index.js");
    const damages: Record<string, () => Promise<void>> = {
      "a file that is cut off": async () => writeFile(await main(), "im"),
      "a file that is missing": async () => rm(await main()),
      "a list that is no JSON": async () =>
        writeFile(path.join(path.dirname(await build()), "current.json"), '{"modules":'),
    };
    for (const [name, damage] of Object.entries(damages)) {
      await damage();
      expect(current(), name).to.equal(undefined);
      expect(await start("--help"), name).to.include("PROGRAM");
      await eventually(() => current() !== undefined);
      // The next one is made only after this one's lock is gone.
      await eventually(() => !existsSync(path.join(checkout, "build/bundles/building")));
    }
  });

  it("is not there without esbuild, and the programs run from the sources", async () => {
    await rm(path.join(checkout, "node_modules/esbuild"));
    expect(await start("--help")).to.include("PROGRAM");
    await runBuild();
    for (const folder of ["build", "node_modules/.cache"])
      expect(existsSync(path.join(checkout, folder)), folder).to.equal(false);
  });

  it("is not made by an esbuild of a folder above, where others may leave one", async () => {
    await rm(path.join(checkout, "node_modules/esbuild"));
    const planted = path.join(parent, "node_modules/esbuild");
    await mkdir(planted, { recursive: true });
    await writeFile(path.join(planted, "package.json"), '{"main":"./index.cjs"}');
    const mark = path.join(parent, "was-run");
    await writeFile(path.join(planted, "index.cjs"), `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");`);
    expect(await start("--help")).to.include("PROGRAM");
    await runBuild();
    expect(existsSync(mark)).to.equal(false);
  });

  it("is not used if others may write to it", async () => {
    await build();
    const folder = current() ?? expect.fail("There is no bundle.");
    for (const open of [folder, path.dirname(folder)]) {
      await chmod(open, 0o777);
      expect(current()).to.equal(undefined);
      await chmod(open, 0o755);
      expect(current()).to.equal(folder);
    }
  });

  it("is made by one of several processes that begin at once, and nothing else is left", async () => {
    await Promise.all([runBuild(), runBuild(), runBuild()]);
    const folder = current() ?? expect.fail("There is no bundle.");
    expect((await readdir(path.dirname(folder))).sort()).to.deep.equal([path.basename(folder), "current.json"].sort());
  });

  it("removes bundles that nobody has used for a day", async () => {
    const old = await build();
    const aDayAgo = new Date(Date.now() - 25 * 3_600_000);
    await utimes(old, aDayAgo, aDayAgo);
    await writeFile(path.join(checkout, "src/main/uninstall.ts"), "export async function main() {}\n");
    expect([existsSync(await build()), existsSync(old)]).to.deep.equal([true, false]);
  });

  it("names the sources and their lines in stack traces", async () => {
    const file = path.join(checkout, "src/main/uninstall.ts");
    await writeFile(
      file,
      "type Bread = string;\n\nexport async function main(): Promise<void> {\n  const bread: Bread = 'stale';\n  throw new Error(bread);\n}\n",
    );
    await build();
    const error = await start("uninstall").catch(({ stderr }: { stderr: string }) => stderr);
    expect(error)
      .to.match(/Error: stale\n {4}at \S+ .*/)
      .and.include(`${file}:5:9`);
  });

  it("loads nothing of Node and of packages that nobody asked for", async () => {
    await writeFile(
      path.join(checkout, "src/main/uninstall.ts"),
      'import { get } from "node:http";\nimport { createLogger } from "../telemetry/log.ts";\n' +
        "export async function main() {\n  createLogger('info', {});\n" +
        "  process.stdout.write([typeof get, ...(process as any).moduleLoadList].join());\n}\n",
    );
    const folder = await build();
    const loaded = await start("uninstall");
    // Its facade for `import` would load all of fetch and WebSocket.
    expect(loaded)
      .to.include("function,")
      .and.match(/NativeModule http(,|$)/)
      .and.not.include("internal/deps/undici");
    const chunks = await readdir(path.join(folder, "chunks"));
    const texts = await Promise.all(chunks.map((name) => readFile(path.join(folder, "chunks", name), "utf8")));
    expect(texts.some((text) => text.includes("winston:create-logger"))).to.equal(true);
    expect(texts.some((text) => text.includes("so-ric/colorspace/dist"))).to.equal(false);
    // Without it, Node reads each module twice to find out what it is.
    expect(JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"))).to.deep.equal({ type: "module" });
  });

  /** In this process: one of its own has a low priority. */
  async function build(): Promise<string> {
    const { buildBundle } = await import(pathToFileURL(path.join(checkout, "src/bundle/build.js")).href);
    await buildBundle();
    return current() ?? expect.fail("There is no bundle.");
  }

  async function addSnapshots(): Promise<void> {
    await (await import(pathToFileURL(path.join(checkout, "src/bundle/build.js")).href)).addSnapshots();
  }

  function runBuild() {
    return run(process.execPath, [path.join(checkout, "src/bundle/build.js")], { cwd: checkout });
  }

  function start(...args: string[]): Promise<string> {
    return startFile(path.join(checkout, "bin/run.js"), ...args);
  }

  async function startFile(file: string, ...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH ?? "", CACHE_DIR: CACHE };
    return (await run(process.execPath, [file, ...args], { env, timeout: limitOf(60) })).stdout;
  }
});

async function snapshotsOf(folder = ""): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".snapshot"));
}

/** Whether its code was compiled. */
function ranFrom(folder: string | undefined): boolean {
  return folder !== undefined && existsSync(path.join(folder, "compiled"));
}
