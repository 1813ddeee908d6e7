import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { writeGrammars } from "../../scripts/own-grammars.ts";

const COMMAND = fileURLToPath(new URL("../../src/command.ts", import.meta.url));
const VALID = '<!DOCTYPE html><html lang="en"><title>Bakery</title><p>Bread';

describe("The command html-conformance", () => {
  let folder: string;
  before(async () => {
    await writeGrammars();
    folder = await mkdtemp(path.join(tmpdir(), "html-conformance-"));
    const files = {
      "valid.html": VALID,
      "invalid.html": `${VALID}\n<p foo=1>Rolls`,
      "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>',
      "page.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><p>',
      "hostile.html": `${VALID}<p \u001b[31m="##[error]x">`,
      "::stop-commands::x.html": `${VALID}<p section_start:1:x=1>`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  });
  after(() => rm(folder, { recursive: true }));

  function run(args: string[], input = "") {
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
      cwd: folder,
      input,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  it("prints nothing for valid files, and ends with 0", () => {
    expect(run(["valid.html", "drawing.svg"])).to.deep.equal({ status: 0, stdout: "", stderr: "" });
  });

  it("prints what is wrong, and ends with 1", () => {
    const { status, stdout } = run(["valid.html", "invalid.html"]);
    expect(stdout).to.equal(
      'invalid.html:2:1: error: The attribute "foo" is not allowed on <p> here. [attribute-not-allowed/foo]\n' +
        "  | ><p>Bread <p foo=1>Rolls\n",
    );
    expect(status).to.equal(1);
  });

  it("reads files by the ends of their names, and standard input", () => {
    expect(run(["page.xhtml"]).stdout).to.match(/^page\.xhtml:1:\d+: error: .* \[parse\/not-well-formed\]$/m);
    const { status, stdout } = run(["-"], "<p>");
    expect(status).to.equal(1);
    expect(stdout).to.match(/^-:1:1: error: /);
  });

  it("goes on after a file that cannot be read", () => {
    const { status, stdout } = run(["missing.html", "invalid.html"]);
    expect(stdout).to.match(/^missing\.html: could not be checked: ENOENT.*\ninvalid\.html:2:1: /);
    expect(status).to.equal(1);
  });

  it("prints a line of JSON for each file", () => {
    const lines = run(["--json", "valid.html", "invalid.html", "missing.html"]).stdout.trimEnd().split("\n");
    const [valid, invalid, missing] = lines.map((line) => JSON.parse(line));
    expect(valid).to.deep.equal({ file: "valid.html", messages: [] });
    expect(invalid.messages).to.have.length(1);
    expect(invalid.messages[0]).to.include({ type: "error", lastLine: 2, rule: "attribute-not-allowed/foo" });
    expect(missing).to.have.keys("file", "failure");
  });

  it("prints nothing that a terminal or a build server would obey, and JSON that means the same", () => {
    const { stdout } = run(["hostile.html"]);
    expect(stdout).to.include("\uFFFD[31m").and.not.include("\u001b").and.not.include("##[");
    const json = run(["--json", "hostile.html"]).stdout;
    expect([json.includes("\u001b"), json.includes("##[")]).to.deep.equal([false, false]);
    expect(
      JSON.parse(json).messages.some(({ extract }: { extract: string }) => extract.includes("##[error]x")),
    ).to.equal(true);
  });

  it("begins no line with a command that is a file's name, and quotes none of GitLab", () => {
    for (const file of ["::stop-commands::x.html", "::stop-commands::missing.html"]) {
      const { status, stdout } = run([file]);
      expect(status).to.equal(1);
      expect(stdout)
        .to.match(/^: ?:stop-commands/)
        .and.not.match(/^\s*::|section_start:/m);
    }
  });

  it("says how it is used: help with 0, a mistake with 2", () => {
    expect(run(["--help"])).to.deep.include({ status: 0, stderr: "" });
    expect(run(["--version"]).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    for (const [args, why] of [
      [[], "No file is named."],
      [["--nope"], "Unknown option '--nope'"],
    ] as const) {
      const { status, stdout, stderr } = run([...args]);
      expect([status, stdout]).to.deep.equal([2, ""]);
      expect(stderr)
        .to.match(new RegExp(`^html-conformance: ${why}`))
        .and.include("Usage: html-conformance");
    }
  });
});
