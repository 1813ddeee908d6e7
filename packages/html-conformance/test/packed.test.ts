import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { loadConformance } from "../comparison/engine.ts";
import { readSample } from "../comparison/record.ts";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const blocks = (markdown: string, language: string) =>
  Array.from(markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")), ([, code = ""]) => code);

describe("The packed html-conformance, in an empty folder", () => {
  let folder: string;
  let files: string[];
  let readme: string;
  /** The Node of the machine, which may be an older one, and the one that runs this. */
  let nodes: string[];

  before(async function () {
    folder = await mkdtemp(path.join(tmpdir(), "html-conformance-"));
    readme = await readFile(path.join(PACKAGE, "README.md"), "utf8");
    const { stdout } = await run(process.execPath, [path.join(PACKAGE, "scripts/pack.ts"), folder]);
    const tarball = stdout.trim();
    files = (await run("tar", ["-tzf", tarball])).stdout.trim().split("\n");
    // Nobody's scripts are forbidden here: there are none.
    await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
    const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts=false", tarball];
    const failure = await run("npm", install, { cwd: folder }).catch(({ stderr }: { stderr: string }) => stderr);
    const reason =
      typeof failure === "string" &&
      /code (ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENOTCACHED|E5\d\d)/.exec(failure)?.[1];
    if (reason) {
      console.warn(`    NOT RUN: the packed package, since the registry does not answer here (${reason}).`);
      return this.skip();
    }
    expect(failure).not.to.be.a("string");
    const plain = (await run("sh", ["-c", "command -v node"], { env: { ...process.env, PATH: withoutPackages() } }))
      .stdout;
    nodes = [...new Set([process.execPath, plain.trim()])].filter(Boolean);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function withoutPackages(): string {
    const all = (process.env.PATH ?? "").split(path.delimiter);
    return all.filter((name) => !name.includes("node_modules")).join(path.delimiter);
  }

  /** What a module in the folder prints, the same under all Nodes. */
  async function printed(code: string, args: string[] = []): Promise<string> {
    await writeFile(path.join(folder, "module.mjs"), code);
    const all = nodes.map((node) => {
      const { stdout, stderr, status } = spawnSync(node, [...args, "module.mjs"], {
        cwd: folder,
        encoding: "utf8",
        env: {},
      });
      expect([status, stderr], node).to.deep.equal([0, ""]);
      return stdout;
    });
    expect(new Set(all).size, nodes.join()).to.equal(args.length > 0 ? all.length : 1);
    return all[0] ?? "";
  }

  it("runs the lines of the README, with the result that stands there", async () => {
    const [code = ""] = blocks(readme, "js");
    const [result] = blocks(readme, "text");
    expect(code.trim().split("\n").length).to.be.at.most(11);
    expect(await printed(code)).to.equal(result);
  });

  it("has the grammar and its licence, JavaScript and types, and neither a jar nor a script", async () => {
    const names = files.map((name) => name.replace(/^package\//, ""));
    expect(names).to.include.members([
      ...["README.md", "LICENSE", "package.json", "docs/checks.md", "lib/index.js", "lib/index.d.ts", "lib/command.js"],
      ...["grammar/LICENSE", "grammar/html.json", "grammar/xhtml.json", "grammar/svg.json"],
    ]);
    expect(
      names.filter((name) => !/^(docs|grammar|lib)\/|^[^/]+$/.test(name) || /\.jar$|[^d]\.ts$/.test(name)),
    ).to.deep.equal([]);
    const manifest = JSON.parse(
      await readFile(path.join(folder, "node_modules/html-conformance/package.json"), "utf8"),
    );
    expect(manifest).not.to.have.any.keys(
      "scripts",
      "private",
      "devDependencies",
      "optionalDependencies",
      "workspaces",
    );
    const shown = await readFile(path.join(folder, "node_modules/html-conformance/README.md"), "utf8");
    expect(shown).to.include("## In tests").and.include("## Licence").and.not.include("](../");
    const installed = await readdir(path.join(folder, "node_modules"));
    expect(installed).to.include("parse5").and.not.include.members(["vnu-jar"]);
    expect(await readFile(path.join(folder, "node_modules/html-conformance/grammar/LICENSE"), "utf8"))
      .to.match(/^The grammars .* Nu Html Checker \d/)
      .and.include("Permission is hereby granted, free of charge");
  });

  it("finds in the recorded documents what the sources find", async () => {
    const { check } = await loadConformance();
    const sample = (await readSample()).map(({ source, contentType }) => ({
      source,
      contentType,
      url: "http://example.test/",
    }));
    await writeFile(path.join(folder, "sample.json"), JSON.stringify(sample));
    const found = await printed(
      'import { readFileSync } from "node:fs"; import { createChecker } from "html-conformance";\n' +
        'const checker = createChecker(); const all = JSON.parse(readFileSync("sample.json", "utf8"));\n' +
        "console.log(JSON.stringify(all.map(({ source, ...options }) => checker.check(source, options))));",
    );
    expect(JSON.parse(found)).to.deep.equal(sample.map(({ source, contentType }) => check(source, contentType)));
  });

  it("finds causes and fixes, under each Node", async () => {
    const found = await printed(
      'import { check } from "html-conformance";\n' +
        `const source = '<!DOCTYPE html><html lang=en><title>x</title><p><a href="/a>one</a> two</p><p class="b">three</p>';\n` +
        'console.log(check(source, { causes: "fixes" }).map(({ fix }) => fix?.title).join(""));',
    );
    expect(found).to.equal('insert " at 1:60\n');
  });

  it("has all that it exports", async () => {
    const { exports } = JSON.parse(await readFile(path.join(PACKAGE, "package.json"), "utf8"));
    const names = Object.keys(exports).filter((name) => name !== "./package.json");
    const code = names.map(
      (name) => `console.log(Object.keys(await import("html-conformance${name.slice(1)}")).length > 0);`,
    );
    expect(await printed(code.join("\n"))).to.equal("true\n".repeat(names.length));
  });

  it("runs the README's lines with chai", async () => {
    const [, code = ""] = blocks(readme, "js");
    expect(code).to.include('from "chai"');
    await symlink(fileURLToPath(new URL(".", import.meta.resolve("chai"))), path.join(folder, "node_modules/chai"));
    expect(await printed(code)).to.equal("");
    const wrong = code.replace("<p>Bread", "<center>Bread").replace("expect(", "try { expect(");
    expect(await printed(`${wrong}} catch (error) { console.log(error.message); }`)).to.include(
      "<center> is obsolete; use CSS instead. [obsolete-element]",
    );
  });

  it("runs the README's test of node:test", async () => {
    const [, , code = ""] = blocks(readme, "js");
    expect(code).to.include("node:test");
    expect(await printed(code, ["--test-reporter=tap"])).to.match(/^ok 1 - the bakery's page conforms$/m);
  });

  it("has a command", async () => {
    await writeFile(
      path.join(folder, "page.html"),
      "<!DOCTYPE html><html lang=en><title>x</title>\n<center>Bread</center>",
    );
    for (const node of nodes) {
      const command = path.join(folder, "node_modules/.bin/html-conformance");
      const { status, stdout } = spawnSync(node, [command, "page.html"], { cwd: folder, encoding: "utf8", env: {} });
      expect([status, stdout.split("\n")[0]]).to.deep.equal([
        1,
        "page.html:2:1: error: <center> is obsolete; use CSS instead. [obsolete-element]",
      ]);
    }
  });

  it("has types that a strict compiler reads without those of anything else", async () => {
    await mkdir(path.join(folder, "typed"));
    const typed =
      'import { check, type Message } from "html-conformance";\nexport const found: Message[] = check("<p>", { contentType: "text/html" });\n';
    await writeFile(path.join(folder, "typed/right.ts"), typed);
    await writeFile(path.join(folder, "typed/wrong.ts"), typed.replace("Message[]", "string[]"));
    const options = { noEmit: true, strict: true, module: "nodenext", target: "es2022", types: [], rootDir: "." };
    await writeFile(path.join(folder, "typed/tsconfig.json"), JSON.stringify({ compilerOptions: options }));
    const tsc = path.join(path.dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", "typed"], { cwd: folder, encoding: "utf8" });
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => /^\S/.test(line)),
    ).to.have.length(1);
    expect(stdout).to.match(/^typed\/wrong\.ts\(2,14\): error TS2322/);
  });

  it("says what to do where its grammar is missing", async () => {
    const own = path.join(folder, "node_modules/html-conformance/grammar");
    await rename(own, `${own}.away`);
    const said = await printed(
      'import { check } from "html-conformance";\ntry { check("<p>"); } catch (error) { console.log(error.message); }',
    );
    await rename(`${own}.away`, own);
    expect(said).to.match(
      /^The grammar \S+\/grammar\/html\.json of html-conformance cannot be read \(ENOENT.*\)\. Install the package again; /,
    );
  });
});
