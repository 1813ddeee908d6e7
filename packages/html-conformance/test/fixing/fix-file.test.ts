import { execFile, execFileSync } from "node:child_process";
import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { fixFile } from "../../src/fixing/fix-file.ts";

const TYPO = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>x</title></head>\n<p>a &copy b\n';
const MENDED = TYPO.replace("&copy", "&copy;");

describe("a file in which changes are made", () => {
  let folder: string;
  let run: Awaited<ReturnType<typeof loadConformance>>["run"];
  before(async () => {
    ({ run } = await loadConformance());
    folder = await mkdtemp(path.join(tmpdir(), "fixing-"));
  });
  after(() => rm(folder, { recursive: true }));

  const fix = (file: string, bytes: Buffer, options?: { dryRun?: boolean }, contentType = "text/html") =>
    fixFile({ file, bytes, contentType }, ({ source }, causes) => run(source, contentType, causes).messages, options);
  const write = async (name: string, bytes: string | Buffer) => {
    const file = path.join(folder, name);
    await writeFile(file, bytes);
    return { file, bytes: await readFile(file) };
  };

  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
  const texts: Record<string, (text: string) => Buffer> = {
    CRLF: (text) => Buffer.from(text.replaceAll("\n", "\r\n")),
    "mixed line ends and no last one": (text) => Buffer.from(`${text.trimEnd().replace("\n", "\r\n")}\r x\r`),
    "a byte order mark": (text) => Buffer.from(`\ufeff${text}`),
    "characters of four bytes, and U+FFFD itself": (text) => Buffer.from(`${text}\u{1F950}\ufffd`),
    "windows-1252": (text) => Buffer.from(`${text.replace("utf-8", "windows-1252")}caf\xe9 \x80\x81`, "latin1"),
    "iso-8859-2": (text) => Buffer.from(`${text.replace("utf-8", "iso-8859-2")}\xb1\xe6`, "latin1"),
    "UTF-16 with its mark": (text) => utf16(text),
    "UTF-16 in the other order": (text) => utf16(text).swap16(),
  };
  for (const [name, encode] of Object.entries(texts))
    it(`has all its other bytes: ${name}`, async () => {
      const { file, bytes } = await write("page.html", encode(TYPO));
      const { made, refused } = await fix(file, bytes);
      expect([made.map(({ kind }) => kind), refused]).to.deep.equal([["reference"], undefined]);
      expect((await readFile(file)).equals(encode(MENDED))).to.equal(true);
    });

  const left: Record<string, [bytes: Buffer, why: RegExp]> = {
    "bytes that are not of its encoding": [
      Buffer.concat([Buffer.from(TYPO), Buffer.from([0xff, 0xc0])]),
      /not exactly/,
    ],
    "a surrogate in UTF-8": [Buffer.concat([Buffer.from(TYPO), Buffer.from([0xed, 0xa0, 0x80])]), /not exactly/],
    "half a character of UTF-16": [Buffer.concat([utf16(TYPO), Buffer.from([0])]), /not exactly/],
    "an encoding of East Asia": [Buffer.from(TYPO.replace("utf-8", "shift_jis")), /shift_jis, which is not written/],
  };
  for (const [name, [bytes, why]] of Object.entries(left))
    it(`is left alone: ${name}`, async () => {
      const { file } = await write("left.html", bytes);
      const { made, refused } = await fix(file, bytes);
      expect(made).to.deep.equal([]);
      expect(refused).to.match(why);
      expect((await readFile(file)).equals(bytes)).to.equal(true);
    });

  it("keeps its rights, and stays behind its link; nothing else is left in its folder", async () => {
    const inner = path.join(folder, "inner");
    await mkdir(inner);
    const { file, bytes } = await write("inner/real.html", TYPO);
    await chmod(file, 0o640);
    const way = path.join(inner, "way.html");
    await symlink("real.html", way);
    expect((await fix(way, bytes)).made).to.have.length(1);
    expect((await lstat(way)).isSymbolicLink()).to.equal(true);
    expect((await stat(file)).mode & 0o7777).to.equal(0o640);
    expect(await readFile(file, "utf8")).to.equal(MENDED);
    expect((await readdir(inner)).sort()).to.deep.equal(["real.html", "way.html"]);
  });

  it("is left alone if it has changed meanwhile, has another name, or is no file any more", async () => {
    const { file, bytes } = await write("changed.html", TYPO);
    const again = await write("changed.html", `${TYPO}<p>Somebody else's`);
    expect((await fix(file, bytes)).refused).to.equal("it has changed since it was read");
    expect(await readFile(file, "utf8")).to.equal(again.bytes.toString());
    const second = await write("second.html", TYPO);
    await link(second.file, path.join(folder, "other.html"));
    expect((await fix(second.file, second.bytes)).refused).to.match(/^it has 2 names/);
    expect(await readFile(second.file, "utf8")).to.equal(TYPO);
    await rm(second.file);
    await promisify(execFile)("mkfifo", [second.file]);
    expect((await fix(second.file, second.bytes)).refused).to.equal("it is not a regular file");
    await rm(second.file);
    expect((await fix(second.file, second.bytes)).refused).to.match(/^ENOENT/);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).to.deep.equal([]);
  });

  it("is only shown with a dry run, as a diff that git applies", async () => {
    const { file, bytes } = await write("dry.html", TYPO.replaceAll("\n", "\r\n"));
    const { diff, made } = await fix("dry.html", bytes, { dryRun: true });
    expect(made).to.have.length(1);
    expect((await readFile(file)).equals(bytes)).to.equal(true);
    execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: diff });
    expect(await readFile(file, "utf8")).to.equal(MENDED.replaceAll("\n", "\r\n"));
  });

  it("has a diff that neither a terminal nor a build server obeys", async () => {
    const { diff } = await fix("::set-env::x\u001b.html", Buffer.from(`${TYPO}::set-env::x\n\u001b[31m ##[error]x\n`), {
      dryRun: true,
    });
    expect(diff)
      .to.include("set-env")
      .and.not.include("\u001b")
      .and.not.match(/##\[|^[ +-]?::/m);
  });

  it("is not looked into for changes if it is XML", async () => {
    const { bytes } = await write("page.xhtml", '<html xmlns="http://www.w3.org/1999/xhtml"><p>&copy</p></html>');
    expect((await fix("page.xhtml", bytes, {}, "application/xhtml+xml")).made).to.deep.equal([]);
  });
});
