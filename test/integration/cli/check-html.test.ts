import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import Ajv from "ajv-draft-04";
import { expect } from "chai";
import { requireNu } from "../../support/nu.ts";
import { openSandbox, type Sandbox } from "../../support/run-program.ts";
import { limitOf } from "../../support/wait.ts";

const VALID = '<!DOCTYPE html>\n<html lang="en"><title>x</title><p>ok';
const INVALID = '<!DOCTYPE html>\n<html lang="en"><title>x</title>\n<p foo=1>ok';
/** Declares and has the encoding windows-1251, which only UTF-8 may be. */
const cyrillic = Buffer.from(
  `<!DOCTYPE html>\n<meta charset="windows-1251">\n<title>\xef\xf0\xe8</title>`.replace(
    "html>",
    'html><html lang="ru">',
  ),
  "latin1",
);

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

  it("says which links of a folder it leaves out", async () => {
    const linked = await mkdtemp(path.join(folder, "../check-links-"));
    await writeFile(path.join(linked, "page.html"), VALID);
    await symlink("/etc/hostname", path.join(linked, "a.html"));
    await symlink(".", path.join(linked, "b"));
    const { code, stdout, stderr } = await run("--format", "json", linked);
    await rm(linked, { recursive: true });
    expect(stdout.trim().split("\n")).to.have.length(1);
    expect(stderr).to.match(
      /^Left out: ".*\/a\.html", a symbolic link in a folder, and 1 more symbolic link\. Name a file /,
    );
    expect(code).to.equal(0);
  });

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

  it("prints SARIF that is valid, with changes, and annotations for GitHub", async () => {
    const file = path.join(folder, "typo.html");
    await writeFile(file, `${VALID} <a href="/a>one</a> <b class="x">two</b> &copy three`);
    const isSarif = new Ajv.default({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
      createRequire(import.meta.url)("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
    );
    const { stdout } = await run("--format", "sarif", file);
    const log = JSON.parse(stdout);
    expect(isSarif(log), JSON.stringify(isSarif.errors)).to.equal(true);
    expect(log.runs[0].tool.driver.name).to.equal("conformance");
    type Result = { fixes?: { description: { text: string } }[] };
    const fixes = log.runs[0].results.flatMap((result: Result) => result.fixes ?? []);
    expect(fixes.map(({ description }: { description: { text: string } }) => description.text)).to.have.length(2);
    const { stdout: annotations } = await run("--format", "github", file);
    expect(annotations).to.match(
      /^::error file=.*typo\.html,line=2,endLine=2,col=\d+,endColumn=\d+,title=likely-mistake::/,
    );
    await rm(file);
  });

  describe("--fix", () => {
    const TYPO = `${VALID.replace("ok", "a &copy b")}\r\n`;
    const MENDED = TYPO.replace("&copy", "&copy;");
    let fixed: string;
    beforeEach(async () => {
      fixed = await mkdtemp(path.join(folder, "../check-fix-"));
    });
    afterEach(() => rm(fixed, { recursive: true }));
    const put = async (name: string, bytes: string | Buffer) => {
      await writeFile(path.join(fixed, name), bytes);
      return path.join(fixed, name);
    };

    it("makes changes with one right answer, and prints what is left", async () => {
      const file = await put("a.html", `${TYPO}<p foo=1>\r\n`);
      const { code, stdout } = await run("--fix", file);
      expect(await readFile(file, "utf8")).to.equal(`${MENDED}<p foo=1>\r\n`);
      expect(stdout).to.match(/a\.html: fixed: .* \[reference\]\n.*a\.html:3:1: error: .*\n.*\n1 file checked/);
      expect(code).to.equal(1);
      const [result] = (await run("--fix", "--format", "json", await put("b.html", TYPO))).stdout.trim().split("\n");
      expect(JSON.parse(result ?? "")).to.deep.include({ valid: true, errors: 0, messages: [] });
      expect(JSON.parse(result ?? "").fixed).to.have.length(1);
    });

    it("changes a thousand files, and leaves alone what it cannot write as it is, with the reason", async function () {
      this.timeout(limitOf(120));
      await Promise.all(Array.from({ length: 1_000 }, (_, index) => put(`${index}.html`, TYPO)));
      const broken = Buffer.concat([Buffer.from(TYPO), Buffer.from([0xff])]);
      await put("broken.html", broken);
      await promisify(execFile)("mkfifo", [path.join(fixed, "pipe")]);
      const { code, stdout } = await run("--fix", fixed, path.join(fixed, "pipe"));
      for (let index = 0; index < 1_000; index++)
        expect(await readFile(path.join(fixed, `${index}.html`), "utf8"), `${index}`).to.equal(MENDED);
      expect((await readFile(path.join(fixed, "broken.html"))).equals(broken)).to.equal(true);
      expect(stdout).to.match(/broken\.html: not fixed: its bytes are not exactly those of a text in utf-8\n/);
      expect(stdout).to.match(/pipe: could not be checked: it is a pipe; a regular file is needed\n/);
      expect(await readdir(fixed)).to.have.length(1_002);
      expect(code).to.equal(1);
    });

    it("with --dry-run writes nothing, and prints a diff that git applies", async () => {
      const file = await put("a.html", TYPO);
      await put("broken.html", Buffer.concat([Buffer.from(TYPO), Buffer.from([0xff])]));
      const options = { cwd: fixed };
      const args = ["check-html", "--fix", "--dry-run", "a.html", "broken.html"];
      const { code, stdout, stderr } = await sandbox.start(args, {}, options).ended;
      expect(await readFile(file, "utf8")).to.equal(TYPO);
      expect(stderr).to.match(/^broken\.html: not fixed: /m);
      const asSarif = await sandbox.start([...args, "--format", "sarif"], {}, options).ended;
      expect(asSarif.stderr).to.include(stdout);
      execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: fixed, input: stdout });
      expect(await readFile(file, "utf8")).to.equal(MENDED);
      expect(code).to.equal(1);
    });

    it("refuses what it cannot do", async () => {
      for (const [args, why] of [
        [["--dry-run", "a.html"], /--dry-run was given without --fix/],
        [["--fix", "-"], /--fix was given with -/],
        [["--fix", "--html-engine", "html-validate", "a.html"], /only conformance finds changes/],
      ] as const) {
        const { code, stderr } = await run(...args);
        expect([code, why.test(stderr)], stderr).to.deep.equal([2, true]);
      }
    });
  });

  it("finds files from where it is started", async () => {
    const options = { cwd: path.join(folder, "sub") };
    const { code, stdout } = await sandbox.start(["check-html", "page.htm", "../07.html"], {}, options).ended;
    expect(stdout).to.match(/^\.\.\/07\.html:3:1: error: /);
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

  it("goes on after a file that cannot be checked", () => expectNext("conformance"));

  it("goes on after a file that cannot be checked, with the Nu Html Checker", async function () {
    await requireNu(this);
    await expectNext("nu");
  });

  async function expectNext(engine: string): Promise<void> {
    const files = ["/proc/self/mem", path.join(folder, "00.html")];
    const { code, stdout } = await run("--html-engine", engine, "--format", "json", ...files);
    const [failed, fine] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(failed).to.include({ valid: null, errors: 0 });
    expect(failed.engine_error).to.be.a("string");
    expect(fine).to.include({ valid: true });
    expect(code).to.equal(1);
  }

  for (const engine of ["conformance", "html-validate"])
    it(`checks with ${engine}, in the same format`, () => expectFindings(engine));

  it("checks with the Nu Html Checker, in the same format", async function () {
    await requireNu(this);
    await expectFindings("nu");
    await writeFile(path.join(folder, "cyrillic.html"), cyrillic);
    const { stdout, code } = await run("--html-engine", "nu", "--format", "gnu", path.join(folder, "cyrillic.html"));
    expect(stdout).to.match(/cyrillic\.html:\S+: error: The only allowed value .* \[\S+\]\n$/);
    expect(code).to.equal(1);
  });

  async function expectFindings(engine: string): Promise<void> {
    const file = path.join(folder, "07.html");
    const { code, stdout } = await run("--html-engine", engine, "--format", "json", file);
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).to.deep.equal(["file", "valid", "errors", "warnings", "messages"]);
    expect(code).to.equal(result.valid ? 0 : 1);
    for (const message of result.messages)
      expect(Object.keys(message)).to.include.members([
        ...["type", "lastLine", "lastColumn", "message", "extract", "hiliteStart", "hiliteLength", "rule", "section"],
      ]);
    if (engine !== "html-validate") expect(result).to.include({ valid: false, errors: 1 });
  }

  it("says what to install where the Nu Html Checker cannot run", async () => {
    const env = { PATH: "/nowhere", JAVA_HOME: "" };
    const { code, stdout, stderr } = await sandbox.start(["check-html", "--html-engine", "nu", folder], env).ended;
    expect(stderr).to.match(/^The Nu Html Checker needs Java 17 or newer: no Java was found.* Install .*JAVA_HOME/);
    expect(stdout).to.equal("");
    expect(code).to.equal(2);
  });

  for (const { args, said } of [
    {
      args: ["/no/such/file"],
      said: '"/no/such/file" does not exist; name a file, a folder, or - for standard input.',
    },
    { args: [], said: "missing required argument 'path'. See npm run check-html -- --help." },
    { args: ["--format", "xml", "x"], said: "Allowed choices are text, json, stylish, gnu, github, sarif." },
  ])
    it(`refuses ${JSON.stringify(args)}`, async () => {
      const { code, stderr } = await run(...args);
      expect(stderr).to.contain(said);
      expect(code).to.equal(2);
    });
});
