import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";

const VALID = '<!DOCTYPE html>\n<html lang="en"><title>x</title><p>ok';
const INVALID = '<!DOCTYPE html>\n<html lang="en"><title>x</title>\n<p foo=1>ok';

describe("check-html", () => {
  let sandbox: Sandbox;
  let folder: string;

  before(async () => {
    sandbox = await openSandbox();
    folder = await mkdtemp(path.join(tmpdir(), "check-html-"));
    await mkdir(path.join(folder, "sub"));
    for (let i = 0; i < 30; i++)
      await writeFile(path.join(folder, `${String(i).padStart(2, "0")}.html`), i === 7 ? INVALID : VALID);
    await writeFile(path.join(folder, "sub", "page.htm"), VALID);
    await writeFile(path.join(folder, "sub", "notes.txt"), "no page");
  });
  after(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (...args: string[]) => sandbox.start(["check-html", ...args]).ended;

  it("prints one line of JSON for each file, in the order of the files", async () => {
    const { code, stdout } = await run("--format", "json", folder);
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results).to.have.length(31);
    const names = results.map(({ file }) => file);
    expect(names).to.deep.equal(names.toSorted());
    expect(results.filter(({ valid }) => !valid).map(({ file }) => path.basename(file))).to.deep.equal(["07.html"]);
    expect(results[7]).to.deep.include({ valid: false, errors: 1, warnings: 0 });
    expect(results[7].messages[0]).to.include({
      type: "error",
      lastLine: 3,
      firstColumn: 1,
      lastColumn: 9,
      extract: "x</title>\n<p foo=1>ok",
      hiliteStart: 10,
      hiliteLength: 9,
      rule: "attribute-not-allowed/foo",
    });
    expect(code).to.equal(1);
  });

  it("prints positions as compilers do", async () => {
    const file = path.join(folder, "07.html");
    const { stdout } = await run("--format", "gnu", file);
    expect(stdout).to.match(/07\.html:3\.1-3\.9: error: .*"foo".* \[attribute-not-allowed\/foo\]\n$/);
  });

  it("prints text without colours unless it goes to a terminal", async () => {
    const { code, stdout } = await run(path.join(folder, "00.html"));
    expect(stdout).to.equal("1 file checked · 0 with errors · 0 errors · 0 warnings\n");
    expect(code).to.equal(0);
  });

  it("goes on after a file that cannot be checked", async () => {
    const { code, stdout } = await run("--format", "json", "/proc/self/mem", path.join(folder, "00.html"));
    const [failed, fine] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(failed).to.include({ valid: null, errors: 0 });
    expect(failed.engine_error).to.be.a("string");
    expect(fine).to.include({ valid: true });
    expect(code).to.equal(1);
  });

  for (const { args, said } of [
    {
      args: ["/no/such/file"],
      said: '"/no/such/file" does not exist; name a file, a folder, or - for standard input.',
    },
    { args: [], said: "missing required argument 'path'. See npm run check-html -- --help." },
    { args: ["--format", "xml", "x"], said: "Allowed choices are text, json, gnu." },
  ])
    it(`refuses ${JSON.stringify(args)}`, async () => {
      const { code, stderr } = await run(...args);
      expect(stderr).to.contain(said);
      expect(code).to.equal(2);
    });
});
