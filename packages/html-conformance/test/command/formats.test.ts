import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { writeGrammars } from "../../scripts/own-grammars.ts";

const COMMAND = fileURLToPath(new URL("../../src/command.ts", import.meta.url));
const VALID = '<!DOCTYPE html>\n<html lang="en"><title>Bakery</title>\n';
const TYPO = `${VALID}<p><a href="/a>one</a> two</p>\n<p class="b">three</p>\n<p>a &copy b</p>\n`;

describe("The command html-conformance, for programs and in a tree of files,", () => {
  let folder: string;
  before(async () => {
    await writeGrammars();
    folder = await mkdtemp(path.join(tmpdir(), "html-conformance-"));
    await mkdir(path.join(folder, "site", "news"), { recursive: true });
    const files = {
      "site/index.html": `${VALID}<p>x\n`,
      "site/news/a, b: 100%.html": TYPO,
      "site/notes.txt": "<p>",
      "hostile.html": `${VALID}<p \n::error::x="##[error]\u001b">`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    await symlink("/etc", path.join(folder, "site", "etc"));
  });
  after(() => rm(folder, { recursive: true }));

  const run = (args: string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
      ...{ cwd: folder, input, encoding: "utf8" },
    });
    return { status, stdout, stderr };
  };

  it("checks the files of a folder by the ends of their names, and says which links it leaves out", () => {
    const { status, stdout, stderr } = run(["--format", "json", "site"]);
    const files = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).file);
    expect(files).to.deep.equal(["site/index.html", "site/news/a, b: 100%.html"]);
    expect(stderr).to.equal("html-conformance: Left out: site/etc, a symbolic link in a folder.\n");
    expect(status).to.equal(1);
  });

  it("annotates a mistake once, with what it removes, in commands that no name and no page ends", () => {
    const lines = run(["--format", "github", "site"]).stdout.trimEnd().split("\n");
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(
      /^::error file=site\/news\/a%2C b%3A 100%25\.html,line=3,endLine=3,col=15,endColumn=15,title=likely-mistake::.*%0AInsert " at 3:15: \d findings go\.$/,
    );
    for (const line of run(["--format", "github", "hostile.html"]).stdout.trimEnd().split("\n"))
      expect(line)
        .to.match(/^::(?:error|warning) file=hostile\.html,/)
        .and.not.include("\u001b");
  });

  it("prints a block for each file, in which what follows from a mistake is only counted", () => {
    const { stdout } = run(["--format", "stylish", "site"]);
    expect(stdout).to.match(
      /^site\/news\/a, b: 100%\.html\n {2}3:15 {2}error {4}A quote .* likely-mistake\n\s+insert " at 3:15: \d findings go\n/,
    );
    expect(stdout).to.match(/\n\n2 problems \(2 errors, 0 warnings\); \d findings more only follow from these\n$/);
    expect(run(["--format", "stylish", "hostile.html"]).stdout)
      .not.to.include("\u001b")
      .and.not.match(/^::|##\[/m);
  });

  it("prints lines that editors jump to", () => {
    const { stdout } = run(["--format", "gnu", "site"]);
    expect(stdout).to.match(/^site\/news\/a, b: 100%\.html:3:15: error: .* \[likely-mistake\]$/m);
    for (const line of stdout.trimEnd().split("\n")) expect(line).to.match(/^site\/.*:\d+[.:]\d+(?:-\d+\.\d+)?: \w+: /);
  });

  it("prints SARIF with relative addresses, places in UTF-16 units and the changes that mend", () => {
    const { runs } = JSON.parse(run(["--format", "sarif", "site", "missing.html"]).stdout);
    const [{ results, tool, columnKind, invocations }] = runs;
    expect([tool.driver.name, columnKind]).to.deep.equal(["html-conformance", "utf16CodeUnits"]);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).to.equal(ruleId);
    const [location] = results[0].locations;
    expect(location.physicalLocation.artifactLocation.uri).to.equal("site/news/a%2C%20b%3A%20100%25.html");
    const fixes = results.flatMap(
      (one: { fixes?: { artifactChanges: { replacements: unknown[] }[] }[] }) => one.fixes ?? [],
    );
    expect(fixes.map(({ description }: { description: { text: string } }) => description.text)).to.deep.equal([
      'insert " at 3:15',
      "replace copy by copy; at 5:7",
    ]);
    expect(fixes[0].artifactChanges[0].replacements).to.deep.equal([
      { deletedRegion: { startLine: 3, startColumn: 15, endLine: 3, endColumn: 15 }, insertedContent: { text: '"' } },
    ]);
    expect(results.filter((one: { relatedLocations?: unknown }) => one.relatedLocations)).not.to.deep.equal([]);
    expect(invocations[0].executionSuccessful).to.equal(false);
    expect(invocations[0].toolExecutionNotifications[0].message.text).to.match(/^missing\.html: ENOENT/);
  });

  it("knows the address of standard input, if it is told", () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="img-src 'self'">`;
    const page = `${VALID}${policy}<p><img src="https://example.com/a.png" alt="">`;
    expect(run(["--base-url", "https://example.com/a", "-"], page).stdout).to.equal("");
    expect(run(["--base-url", "https://other.example/a", "-"], page).stdout).to.match(/^-:3:\d+: \w+: .*a\.png/);
    for (const [args, why] of [
      [["--base-url", "nothing", "-"], "is not a URL"],
      [["--base-url", "https://example.com/", "a.html"], "without -"],
      [["--format", "xml", "a.html"], "text, stylish, gnu, github, json, sarif are"],
      [["--watch", "-"], "it is for files"],
      [["--fix", "-"], "not standard input"],
      [["--dry-run", "a.html"], "without --fix"],
      [["-", "-"], "more than once"],
    ] as const) {
      const { status, stdout, stderr } = run([...args]);
      expect([status, stdout, stderr.includes(why)], stderr).to.deep.equal([2, "", true]);
    }
  });

  it("prints each result when it is there", async () => {
    const tree = path.join(folder, "tree");
    await mkdir(tree);
    for (let index = 0; index < 1_000; index++) await writeFile(path.join(tree, `${index}.html`), TYPO);
    const child = spawn(process.execPath, [COMMAND, "--json", tree], { stdio: ["ignore", "pipe", "ignore"] });
    // Nobody reads on: the command waits, and its results take no memory.
    const [first] = await once(child.stdout, "data");
    child.stdout.pause();
    expect(JSON.parse(String(first).split("\n")[0] ?? "").file).to.match(/0\.html$/);
    expect(child.exitCode).to.equal(null);
    let lines = String(first).split("\n").length - 1;
    child.stdout.on("data", (text) => {
      lines += String(text).split("\n").length - 1;
    });
    child.stdout.resume();
    await once(child, "close");
    expect([child.exitCode, lines]).to.deep.equal([1, 1_000]);
  });

  it("mends what has one right answer, and shows before what that would be", async () => {
    const file = "mend.html";
    await writeFile(path.join(folder, file), TYPO);
    const { stdout: diff, status } = run(["--fix", "--dry-run", file]);
    expect(status).to.equal(0);
    expect(diff.split("\n").filter((line) => line.startsWith("+"))).to.deep.equal([
      `+++ b/${file}`,
      '+<p><a href="/a">one</a> two</p>',
      "+<p>a &copy; b</p>",
    ]);
    for (const format of ["sarif", "gnu", "json"])
      expect(run(["--fix", "--dry-run", "--format", format, file]).stderr, format).to.equal(diff);
    const fixed = run(["--fix", "--json", file]);
    expect(fixed.stderr).to.equal("");
    expect(JSON.parse(fixed.stdout).messages).to.deep.equal([]);
    expect(JSON.parse(fixed.stdout).fixed).to.have.length(2);
    expect(run([file])).to.deep.equal({ status: 0, stdout: "", stderr: "" });
  });

  it("checks again what changes, also when another file takes its place, until it is interrupted", async () => {
    const watched = path.join(folder, "watched");
    await mkdir(path.join(watched, "sub"), { recursive: true });
    const inner = path.join(watched, "sub", "a.html");
    await writeFile(inner, `${VALID}<p>x\n`);
    const child = spawn(process.execPath, [COMMAND, "--watch", "--format", "gnu", watched]);
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (text) => {
        said[name] += String(text);
      });
    const until = async (name: "stdout" | "stderr", pattern: RegExp) => {
      for (let tries = 0; tries < 600 && !pattern.test(said[name]); tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(said[name]).to.match(pattern);
    };
    try {
      await until("stderr", /Watching/);
      await appendFile(inner, "<p foo=1>");
      await until("stdout", /sub\/a\.html:4\..*attribute-not-allowed\/foo/);
      await writeFile(path.join(watched, "notes.txt"), "<p foo=1>");
      await writeFile(inner, `${VALID}<p>y\n`);
      await until("stderr", /sub\/a\.html: no errors/);
      expect(said.stdout).not.to.include("notes");
    } finally {
      child.kill("SIGINT");
      await once(child, "close");
    }
  });
});
